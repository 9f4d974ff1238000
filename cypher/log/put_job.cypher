// Stores the job of a domain with its progress. The state `ready` ends it.
// mode: write
// params: domain, state, job
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._state = $state, d._job = $job
