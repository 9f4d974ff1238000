// Sets the last event number of a branch. The branch may have protected subjects if its source may.
// mode: write
// params: domain, source, seq
// returns: -
MATCH (d:_Domain {_id: $domain})
OPTIONAL MATCH (s:_Domain {_id: $source})
SET d._seq = $seq, d._has_protected = s._has_protected
