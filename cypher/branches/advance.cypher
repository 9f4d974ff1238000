// Notes how far the log of a branch has come, and whether something in it may be protected, as in its source.
// mode: write
// params: domain, source, seq
// returns: -
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (s:_Domain {_id: $source})
SET d._seq = $seq, d._has_protected = s._has_protected
