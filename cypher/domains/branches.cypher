// Domains that are branches or are being created as branches, sorted by name. `job` is the progress of the creation.
// mode: read
// params: -
// returns: name, forked_from, job
MATCH (d:_Domain)
WHERE d._id IS NOT NULL AND (d._forked_from IS NOT NULL OR d._state = 'branching')
RETURN d._id AS name, d._forked_from AS forked_from, d._job AS job
ORDER BY name
