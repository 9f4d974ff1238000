// Deletes some of a domain's node types, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_NodeType)
WHERE n._domain = $domain AND n._name IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
