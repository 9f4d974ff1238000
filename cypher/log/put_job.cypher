// Notes which long operation goes on in a domain and how far it has come; the state `ready` ends it.
// mode: write
// params: domain, state, job
// returns: -
MATCH (d:_Domain {_id: $domain})
SET d._state = $state, d._job = $job
