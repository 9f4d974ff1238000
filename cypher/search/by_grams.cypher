// Owners of the windows that contain a needle, in id order, and how many windows wait to be indexed. Those that wait
// are looked through first: a window that is indexed meanwhile is then met twice, never missed.
// mode: read
// params: domain, grams, needle, type, after, limit
// returns: ids, waiting
CALL () {
  MATCH (w:_NewWindow)
  WHERE w._domain = $domain AND w._owner > $after
  WITH w._owner AS owner, ($type IS NULL OR w._type = $type) AND w._text CONTAINS $needle AS is_meant
  RETURN collect(DISTINCT CASE WHEN is_meant THEN owner END) AS new, count(*) AS waiting
}
CALL () {
  CALL db.index.fulltext.queryNodes('_window_grams', $grams) YIELD node
  WHERE node._domain = $domain AND node._owner > $after AND ($type IS NULL OR node._type = $type)
    AND node._text CONTAINS $needle
  WITH DISTINCT node._owner AS owner
  ORDER BY owner
  LIMIT $limit
  RETURN collect(owner) AS indexed
}
CALL (new, indexed) {
  UNWIND new + indexed AS id
  WITH DISTINCT id
  ORDER BY id
  LIMIT $limit
  RETURN collect(id) AS ids
}
RETURN ids, waiting
