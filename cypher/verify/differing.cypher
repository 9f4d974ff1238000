// Compares the next few subjects of a domain's log, in order, with the live graph: labels, ends, every property by type and
// value, and a small text with the log's copy of it. `differing` seem to differ, with what is not compared here: types, the
// domain itself, blobs. `unproved` seem not to, but have contents or keys, which are looked at next.
// mode: read
// params: domain, after, limit, header, keyed
// returns: last, subjects, differing, unproved
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject > $after AND e._seq > 0
WITH e._domain AS domain, e._subject AS id, max(e._seq) AS seq
ORDER BY domain, id
LIMIT $limit
MATCH (e:_Event {_domain: $domain, _seq: seq})
CALL (e, id) {
  WITH e, id
  WHERE e._kind = 'node'
  OPTIONAL MATCH (n:_Node {_domain: $domain, _id: id})
  RETURN properties(n) AS live, size(labels(n)) = 2 AND e._type IN labels(n) AS fits
  UNION ALL
  WITH e, id
  WHERE e._kind = 'connection'
  OPTIONAL MATCH (a)-[r:$(coalesce(e._type, '_')) {_domain: $domain, _id: id}]->(b)
  RETURN properties(r) AS live, a:_Node AND a._domain = $domain AND a._id = e._from
    AND b:_Node AND b._domain = $domain AND b._id = e._to AS fits
  UNION ALL
  WITH e, id
  WHERE e._kind = 'observation'
  OPTIONAL MATCH (o:_Observation {_domain: $domain, _id: id})
  RETURN properties(o) AS live,
    COLLECT { MATCH (o)-[:_OBSERVES]->(n) RETURN [n:_Node, n._domain, n._id] } = [[true, $domain, e._from]] AS fits
  UNION ALL
  WITH e
  WHERE NOT coalesce(e._kind, '') IN ['node', 'connection', 'observation']
  RETURN {} AS live, false AS fits
}
OPTIONAL MATCH (c:_Content {_domain: $domain, _sha256: e._content_sha256})
WITH e, id, live, fits, c, properties(e) AS logged, $keyed[e._kind + '/' + e._type] AS keyed
WITH e, id, live, fits, c, logged, keyed, [name IN keys(logged) WHERE $header[name] IS NULL] AS names
WITH e, id, logged, keyed, size(c._text) AS length, CASE
  WHEN e._op = 'delete' THEN live IS NULL
  ELSE fits AND live._version = e._seq AND valueType(live._version) = valueType(e._seq)
    AND coalesce(live._type = e._type, live._type IS NULL AND e._type IS NULL)
    AND size(keys(live)) = size(names) + CASE WHEN e._type IS NULL THEN 3 ELSE 4 END
      + CASE WHEN live._content IS NULL THEN 0 ELSE 1 END
    AND all(name IN names WHERE live[name] = logged[name] AND valueType(live[name]) = valueType(logged[name])
      AND NOT valueType(logged[name]) STARTS WITH 'LIST<FLOAT'
      AND (live[name] <> 0 OR toString(live[name]) = toString(logged[name])))
    AND (e._content_sha256 IS NULL OR e._content_encoding = 'utf-8' AND live._content = c._text)
END AS agrees
WITH id, logged, keyed, length, coalesce(agrees, false) AS agrees, CASE e._kind WHEN 'connection' THEN e._type END AS type,
     e._op <> 'delete' AND (e._content_sha256 IS NOT NULL OR keyed IS NOT NULL) AS has_derived
ORDER BY id
RETURN max(id) AS last, count(DISTINCT id) AS subjects,
       collect(CASE WHEN NOT agrees THEN [id, type] END) AS differing,
       collect(CASE WHEN agrees AND has_derived THEN [id, logged._kind, logged._type, logged._content_sha256,
         length, [name IN coalesce(keyed, []) | logged[name]]] END) AS unproved
