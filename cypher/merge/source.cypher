// Where a domain's log ends, and what long operation goes on in it.
// mode: read
// params: domain
// returns: last, state, job
MATCH (d:_Domain {_id: $domain})
RETURN d._seq AS last, d._state AS state, d._job AS job
