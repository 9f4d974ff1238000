// Owners of the windows that contain a needle: of those that wait to be indexed, and of those in the index, in id order;
// and how many wait. These are looked through first: a window that is indexed meanwhile is then met twice, never missed.
// The two are put together by the caller: a list that goes into a subquery is counted again for each of its rows.
// mode: read
// params: domain, grams, needle, type, after, limit
// returns: new, indexed, waiting
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
RETURN new, indexed, waiting
