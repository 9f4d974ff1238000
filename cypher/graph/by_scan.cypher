// Owners of the windows that contain a searched text that is too short for trigrams, in id order.
// mode: read
// params: domain, needle, type, after, limit
// returns: id
MATCH (w:_Window)
WHERE w._domain = $domain AND w._owner > $after AND ($type IS NULL OR w._type = $type) AND w._text CONTAINS $needle
WITH DISTINCT w._domain AS domain, w._owner AS id
ORDER BY domain, id
LIMIT $limit
RETURN id
