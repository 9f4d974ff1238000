// Deletes some of a domain's search windows, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_Window)
WHERE n._domain = $domain AND n._owner IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
