// Deletes some of a domain's links, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_Link)
WHERE n._domain = $domain AND n._id IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
