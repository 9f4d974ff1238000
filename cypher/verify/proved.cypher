// Compares the next few nodes and observations of the live graph, in the order of their ids, and the connections that leave
// these nodes, each with the event whose number it has as its version: labels, ends, every property by value and type, and
// a small text with the log's copy of it. `proved` are the numbers of those that are what their events say, `unlike` the ids
// and relationship types of all others. A type that the service never writes, such as a list of numbers, proves nothing.
// mode: read
// params: domain, after, limit, header
// returns: last, proved, unlike
CALL () {
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id > $after
  RETURN n AS x, n._id AS id ORDER BY n._domain, n._id LIMIT $limit
  UNION
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._id > $after
  RETURN o AS x, o._id AS id ORDER BY o._domain, o._id LIMIT $limit
}
WITH id, collect(x) AS those
ORDER BY id
LIMIT $limit
UNWIND those AS x
CALL (x, id) {
  WITH x
  WHERE x:_Node
  RETURN properties(x) AS live, 'node' AS kind, null AS type, labels(x) AS types, [] AS ends, size(labels(x)) = 2 AS fits
  UNION ALL
  WITH x, id
  WHERE x:_Node
  MATCH (x)-[r]->(b)
  WHERE r._domain = $domain AND r._id IS NOT NULL
  RETURN properties(r) AS live, 'connection' AS kind, type(r) AS type, [type(r)] AS types, [id, b._id] AS ends,
         b:_Node AND b._domain = $domain AS fits
  UNION ALL
  WITH x
  WHERE x:_Observation
  OPTIONAL MATCH (x)-[:_OBSERVES]->(n)
  WITH x, collect(n) AS about
  RETURN properties(x) AS live, 'observation' AS kind, null AS type, null AS types, [n IN about | n._id] AS ends,
         size(about) = 1 AND all(n IN about WHERE n:_Node AND n._domain = $domain) AS fits
}
OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: live._version})
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
WITH id, live, kind, type, types, ends, fits, c, properties(e) AS logged
WITH id, live, type, fits AND logged._kind = kind AND logged._op <> 'delete' AND logged._subject = live._id
    AND live._version IS :: INTEGER AND live._version > 0 AND logged._seq IS :: INTEGER
    AND coalesce(logged._type IN types, types IS NULL) AND [logged._from, logged._to][..size(ends)] = ends
    AND (logged._content_sha256 IS NULL OR live._content = c._text)
    AND coalesce(live._seq, live._op, live._kind, live._subject, live._from, live._to, live._prev, live._at, live._session,
      live._source, live._actor, live._batch, live._snapshot_of, live._erased, live._was) IS NULL
  AS may_agree,
  size([name IN keys(live) WHERE live[name] = logged[name] AND CASE valueType(live[name])
    WHEN 'STRING NOT NULL' THEN true
    WHEN 'ZONED DATETIME NOT NULL' THEN true
    WHEN 'BOOLEAN NOT NULL' THEN true
    WHEN 'LIST<STRING NOT NULL> NOT NULL' THEN true
    WHEN 'INTEGER NOT NULL' THEN logged[name] IS :: INTEGER
    WHEN 'FLOAT NOT NULL' THEN logged[name] IS :: FLOAT AND toString(live[name]) = toString(logged[name])
    ELSE false
  END]) AS same,
  size(keys(live)) - CASE WHEN live._content IS NULL THEN 2 ELSE 3 END AS needed,
  size([name IN keys(logged) WHERE $header[name] IS NULL]) + CASE WHEN logged._type IS NULL THEN 1 ELSE 2 END AS there
WITH id, live, type, coalesce(may_agree AND same = needed AND there = needed, false) AS agrees
RETURN max(id) AS last, collect(CASE WHEN agrees THEN live._version END) AS proved,
       collect(CASE WHEN NOT agrees THEN [live._id, type] END) AS unlike
