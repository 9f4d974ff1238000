// Deletes some events of a domain's log, oldest first, and returns how many.
// mode: write
// params: domain, limit
// returns: deleted
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0
WITH e
ORDER BY e._domain, e._seq
LIMIT $limit
DELETE e
RETURN count(*) AS deleted
