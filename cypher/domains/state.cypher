// The long operation that is running in a domain, if any, read without locking the domain.
// mode: read
// params: domain
// returns: seq, state, job
MATCH (d:_Domain {_id: $domain})
RETURN d._seq AS seq, d._state AS state, d._job AS job
