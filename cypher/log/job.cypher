// Takes the domain's write lock, and returns its job, if any, with the progress, and its protection.
// mode: write
// params: domain
// returns: seq, state, job, protection, has_protected
MATCH (d:_Domain {_id: $domain})
SET d._writer = ''
RETURN d._seq AS seq, d._state AS state, d._job AS job,
       d._protection AS protection, coalesce(d._has_protected, false) AS has_protected
