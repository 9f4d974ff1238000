// Returns the search windows of the owners after one id and up to another, in one list. Of windows beyond the end of the
// longest of these texts, only the owners are returned.
// mode: read
// params: domain, after, last, places
// returns: rows, beyond
MATCH (w:_Window)
WHERE w._domain = $domain AND w._owner > $after AND w._owner <= $last
WITH w, coalesce(w._place < $places, false) AS is_near
RETURN collect(CASE WHEN is_near THEN [w._owner, w._type, w._place, w._text, w._grams, w:_NewWindow] END) AS rows,
       collect(DISTINCT CASE WHEN NOT is_near THEN w._owner END) AS beyond
