// Deletes some of a domain's small texts, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_Content)
WHERE n._domain = $domain AND n._sha256 IS NOT NULL
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
