// Deletes some of a domain's passages, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (p:_Passage)
WHERE p._domain = $domain AND p._owner IS NOT NULL AND p._until IS NOT NULL
WITH p
LIMIT $limit
DELETE p
RETURN count(*) AS deleted
