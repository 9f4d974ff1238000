// Deletes some of a domain's key rows, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_Key)
WHERE n._domain = $domain AND n._owner IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
