// The number of passages of a domain that wait for a vector, up to a limit.
// mode: read
// params: domain, limit
// returns: waiting
MATCH (p:_NewPassage)
WHERE p._domain = $domain AND p._since >= 0
WITH p
LIMIT $limit
RETURN count(*) AS waiting
