// Sets the last event number of a branch, and whether it may have protected subjects, as its source.
// mode: write
// params: domain, source, seq
// returns: -
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (s:_Domain {_id: $source})
SET d._seq = $seq, d._has_protected = s._has_protected
