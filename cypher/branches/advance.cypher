// Notes how far a log has come.
// mode: write
// params: domain, seq
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._seq = $seq
