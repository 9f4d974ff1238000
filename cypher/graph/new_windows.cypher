// Search windows that wait to be indexed.
// mode: read
// params: domain, limit
// returns: owner, place, text
MATCH (w:_NewWindow)
WHERE w._domain = $domain AND w._owner > '' AND w._place IS NOT NULL AND w._text IS NOT NULL
RETURN w._owner AS owner, w._place AS place, w._text AS text
LIMIT $limit
