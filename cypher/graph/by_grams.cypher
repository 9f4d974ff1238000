// Owners of the windows that contain the searched text: first owners of waiting windows, with their number, then owners
// of indexed windows, in id order. Waiting windows are scanned first, so a window that is indexed meanwhile may be
// found twice, but is never missed.
// mode: read
// params: domain, grams, needle, type, after, limit
// returns: ids, waiting
MATCH (w:_NewWindow)
WHERE w._domain = $domain AND w._owner > $after
RETURN collect(DISTINCT CASE
         WHEN ($type IS NULL OR w._type = $type) AND w._text CONTAINS $needle THEN w._owner
       END) AS ids, count(*) AS waiting
UNION ALL
CALL db.index.fulltext.queryNodes('_window_grams', $grams) YIELD node
WHERE node._domain = $domain AND node._owner > $after AND ($type IS NULL OR node._type = $type)
  AND node._text CONTAINS $needle
WITH DISTINCT node._owner AS id
ORDER BY id
LIMIT $limit
RETURN collect(id) AS ids, 0 AS waiting
