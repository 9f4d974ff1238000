// Takes the domain's write lock and tells what long operation is going on in it, if any, and how far that has come;
// and what of the domain is protected.
// mode: write
// params: domain
// returns: seq, state, job, protection, has_protected
MATCH (d:_Domain {_id: $domain})
SET d._writer = ''
RETURN d._seq AS seq, d._state AS state, d._job AS job,
       d._protection AS protection, coalesce(d._has_protected, false) AS has_protected
