// Passages that wait for a vector, latest first, each text once.
// mode: read
// params: domain, limit
// returns: sha256, head, text
MATCH (p:_NewPassage)
WHERE p._domain = $domain AND p._since >= 0
WITH p
ORDER BY p._domain DESC, p._since DESC
LIMIT $limit
RETURN p._sha256 AS sha256, head(collect(p._head)) AS head, head(collect(p._text)) AS text
