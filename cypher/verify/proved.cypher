// Compares live nodes, observations and links with ids after one and up to another, and the connections that leave
// these nodes, each with the event whose number is its version: labels, ends, every property by value and type, and
// an inline text with the logged one. `proved` contains the numbers of the events that agree, `unlike` the ids,
// relationship types and source nodes of all other subjects, including binary content. `unproved` has the agreeing
// subjects whose keys or text are compared next. A type that the service never writes, such as a list of numbers,
// never agrees. An ordered CASE is faster than the same OR.
// mode: read
// params: domain, after, last, header, keyed, carried
// returns: proved, unlike, unproved
CALL () {
  MATCH (n:_Node)
  WHERE n._domain = $domain AND n._id > $after AND n._id <= $last
  RETURN n AS x, n._id AS id
  UNION ALL
  MATCH (o:_Observation)
  WHERE o._domain = $domain AND o._id > $after AND o._id <= $last
  RETURN o AS x, o._id AS id
  UNION ALL
  MATCH (l:_Link)
  WHERE l._domain = $domain AND l._id > $after AND l._id <= $last
  RETURN l AS x, l._id AS id
}
CALL (x, id) {
  WITH x
  WHERE x:_Node
  RETURN properties(x) AS live, 'node' AS kind, null AS type, labels(x) AS types, null AS a, null AS b, size(labels(x)) = 2 AS fits
  UNION ALL
  WITH x, id
  WHERE x:_Node
  MATCH (x)-[r]->(b)
  WHERE r._domain = $domain AND r._id IS NOT NULL
  RETURN properties(r) AS live, 'connection' AS kind, type(r) AS type, [type(r)] AS types, id AS a, b._id AS b,
         b._id IS NOT NULL AND b:_Node AND b._domain = $domain AS fits
  UNION ALL
  WITH x
  WHERE x:_Observation
  OPTIONAL MATCH (x)-[:_OBSERVES]->(n)
  WITH x, collect(n) AS about
  RETURN properties(x) AS live, 'observation' AS kind, null AS type, null AS types, about[0]._id AS a, null AS b,
         size(about) = 1 AND about[0]._id IS NOT NULL AND all(n IN about WHERE n:_Node AND n._domain = $domain) AS fits
  UNION ALL
  WITH x
  WHERE x:_Link
  OPTIONAL MATCH (n)-[:_LINKS]->(x)
  WITH x, collect(n) AS about
  OPTIONAL MATCH (t:_Node {_domain: x._target_domain, _id: x._target})
  RETURN properties(x) AS live, 'link' AS kind, null AS type, null AS types, about[0]._id AS a, null AS b,
         size(about) = 1 AND about[0]._id IS NOT NULL AND all(n IN about WHERE n:_Node AND n._domain = $domain)
         AND COLLECT {
           MATCH (x)-[:_LEADS_TO]->(y)
           RETURN y
         } = CASE WHEN t IS NULL THEN [] ELSE [t] END AS fits
}
OPTIONAL MATCH (e:_Event {_domain: $domain, _seq: live._version})
WITH live, kind, type, types, a, b, fits, properties(e) AS logged
CALL (logged) {
  WITH logged
  WHERE logged._content_sha256 IS NOT NULL
  MATCH (c:_Content {_domain: $domain, _sha256: logged._content_sha256})
  RETURN collect(c._text)[0] AS text
}
WITH live, kind, type, types, a, b, fits, logged, text, CASE
  WHEN kind = 'observation' THEN logged._text
  WHEN kind = 'node' AND logged._mentioned IS NULL
    THEN logged.name + '\n' + logged._entity + CASE WHEN logged.aliases IS :: STRING NOT NULL THEN '\n' + logged.aliases ELSE '' END
END AS searched
WITH live, type, a, logged, text, fits AND logged._kind = kind AND logged._op <> 'delete' AND logged._subject = live._id
    AND live._version IS :: INTEGER AND live._version > 0 AND logged._seq IS :: INTEGER
    AND coalesce(logged._type IN types, types IS NULL)
    AND coalesce(live._type = logged._type, live._type IS NULL AND logged._type IS NULL)
    AND coalesce(logged._from = a, a IS NULL) AND coalesce(logged._to = b, b IS NULL)
    AND CASE
      WHEN searched IS NULL THEN live._folded IS NULL AND live._is_long IS NULL
      WHEN size(searched) > 8000 THEN live._folded IS NULL AND live._is_long = true
      WHEN live._folded IS NULL THEN live._is_long = false
      ELSE live._folded = normalize(toLower(searched)) AND coalesce(live._is_long = false, true)
    END
    AND CASE
      WHEN logged._entity IS NOT NULL AND logged._mentioned IS NULL AND logged.aliases IS :: STRING NOT NULL
        THEN live._called = true
      ELSE live._called IS NULL
    END
    AND CASE
      WHEN logged._entity IS NULL THEN live._entity_name IS NULL
      WHEN size(logged.name) <= 1000 THEN live._entity_name = logged.name
      ELSE live._entity_name = toString(size(logged.name))
    END
    AND CASE
      WHEN logged._content_sha256 IS NULL THEN live._content IS NULL
      ELSE logged._content_encoding = 'utf-8' AND live._content = text
    END
  AS may_agree,
  size([name IN keys(live) WHERE $header[name] IS NULL AND live[name] = logged[name] AND CASE
    WHEN live[name] IS :: STRING NOT NULL THEN true
    WHEN live[name] IS :: ZONED DATETIME NOT NULL THEN true
    WHEN live[name] IS :: INTEGER NOT NULL THEN logged[name] IS :: INTEGER NOT NULL
    WHEN live[name] IS :: BOOLEAN NOT NULL THEN true
    WHEN live[name] IS :: LIST<STRING NOT NULL> NOT NULL THEN true
    WHEN live[name] IS :: FLOAT NOT NULL
      THEN logged[name] IS :: FLOAT NOT NULL AND toString(live[name]) = toString(logged[name])
    ELSE false
  END]) AS same,
  size(keys(live)) - CASE WHEN live._type IS NULL THEN 3 ELSE 4 END - CASE WHEN live._content IS NULL THEN 0 ELSE 1 END
    - CASE WHEN live._entity_name IS NULL THEN 0 ELSE 1 END
    - CASE WHEN live._folded IS NULL THEN 0 ELSE 1 END - CASE WHEN live._is_long IS NULL THEN 0 ELSE 1 END
    - CASE WHEN live._called IS NULL THEN 0 ELSE 1 END AS needed,
  size([name IN keys(logged) WHERE $header[name] IS NULL]) AS there
WITH live, type, a, logged, text, coalesce(may_agree AND same = needed AND there = needed, false) AS agrees,
     $keyed[logged._kind + '/' + logged._type] AS keyed
RETURN collect(CASE WHEN agrees THEN live._version END) AS proved,
       collect(CASE WHEN NOT agrees THEN [live._id, type, CASE WHEN type IS NOT NULL THEN a END] END) AS unlike,
       collect(CASE WHEN agrees AND (logged._content_sha256 IS NOT NULL OR keyed IS NOT NULL)
         THEN [live._id, logged._kind, logged._type, logged._content_sha256,
               CASE WHEN logged._content_size IS :: INTEGER THEN logged._content_size END,
               [name IN coalesce(keyed, []) | logged[name]],
               CASE WHEN type IS NULL AND size(text) <= $carried THEN text END] END) AS unproved
