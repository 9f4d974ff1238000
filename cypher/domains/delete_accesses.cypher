// Deletes some of a domain's access counts of nodes, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (a:_Access)
WHERE a._domain = $domain AND a._id IS NOT NULL
WITH a
LIMIT $limit
DELETE a
RETURN count(*) AS deleted
