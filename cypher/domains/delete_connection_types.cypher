// Deletes some of a domain's connection types, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_ConnectionType)
WHERE n._domain = $domain AND n._name IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
