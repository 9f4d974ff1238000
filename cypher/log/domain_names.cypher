// The names of all domains of the database, also of domains that are being created.
// mode: read
// params: -
// returns: name
MATCH (d:_Domain)
WHERE d._id IS NOT NULL
RETURN d._id AS name
ORDER BY name
