// Takes the write lock of a domain that another is to be under, and tells what goes on in it and which is above it.
// mode: write
// params: domain
// returns: state, job, parent
MATCH (d:_Domain {_id: $domain})
SET d._writer = ''
RETURN d._state AS state, d._job AS job, d._parent AS parent
