// Deletes some of what is known of how often a domain's nodes were given to somebody, and tells how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (a:_Access)
WHERE a._domain = $domain AND a._id IS NOT NULL
WITH a
LIMIT $limit
DELETE a
RETURN count(*) AS deleted
