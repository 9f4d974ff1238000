// Looks through the ids of everything in the live graph that claims to be of the domain, connections apart, a page at a time:
// those that the log does not know, or knows for something else.
// mode: read
// params: domain, after, limit
// returns: last, unknown
CALL () {
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id > $after
  WITH n ORDER BY n._domain, n._id LIMIT $limit
  RETURN n._id AS id, 'node' AS kind
  UNION ALL
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._id > $after
  WITH o ORDER BY o._domain, o._id LIMIT $limit
  RETURN o._id AS id, 'observation' AS kind
  UNION ALL
  MATCH (k:_Key)
  WHERE k._domain = $domain AND k._owner > $after
  WITH DISTINCT k._domain AS domain, k._owner AS id ORDER BY domain, id LIMIT $limit
  RETURN id, null AS kind
  UNION ALL
  MATCH (w:_Window)
  WHERE w._domain = $domain AND w._owner > $after
  WITH DISTINCT w._domain AS domain, w._owner AS id ORDER BY domain, id LIMIT $limit
  RETURN id, null AS kind
}
WITH id, collect(kind) AS kinds
ORDER BY id
LIMIT $limit
WITH id, NOT EXISTS {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0
    AND (e._kind = 'connection' OR all(kind IN kinds WHERE kind = e._kind))
} AS is_unknown
RETURN max(id) AS last, collect(CASE WHEN is_unknown THEN id END) AS unknown
