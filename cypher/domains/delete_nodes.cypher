// Deletes some of a domain's nodes, with all that is tied to them, and tells how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
