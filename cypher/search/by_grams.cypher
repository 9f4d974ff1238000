// Owners of the windows that contain a needle, found by its trigrams, in id order.
// mode: read
// params: domain, grams, needle, type, after, limit
// returns: id
CALL db.index.fulltext.queryNodes('_window_grams', $grams) YIELD node
WHERE node._domain = $domain AND node._owner > $after AND ($type IS NULL OR node._type = $type)
  AND node._text CONTAINS $needle
RETURN DISTINCT node._owner AS id
ORDER BY id
LIMIT $limit
