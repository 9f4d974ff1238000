// Takes the write lock of a new parent, and returns its state, its job and its own parent.
// mode: write
// params: domain
// returns: state, job, parent
MATCH (d:_Domain {_id: $domain})
SET d._writer = ''
RETURN d._state AS state, d._job AS job, d._parent AS parent
