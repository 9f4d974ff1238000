// Deletes some of a domain's nodes, with everything attached to them, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
