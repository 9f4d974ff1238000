// Deletes some of the names of a domain's subjects, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (n:_Name)
WHERE n._domain = $domain AND n._owner IS NOT NULL AND n._until IS NOT NULL
WITH n
LIMIT $limit
DELETE n
RETURN count(*) AS deleted
