// What long operation is going on in a domain, if any, without its lock.
// mode: read
// params: domain
// returns: seq, state, job
MATCH (d:_Domain {_id: $domain})
RETURN d._seq AS seq, d._state AS state, d._job AS job
