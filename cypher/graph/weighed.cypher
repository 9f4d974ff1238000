// Connections that match at a log position and have a weight within the bounds: live connections that have not changed
// since, and the former state of connections that have. The weight is defined in `model/values/weight.py`; a test
// compares the two. Times are in milliseconds, `half_lives` in days, keyed by type. With `heaviest`, the rows are
// sorted by weight, otherwise by id.
// mode: read
// params: domain, at, from_id, to_id, types, along, against, filter, valid_at, after, limit, now, half_lives, co_access, least, below, heaviest
// returns: id, type, from_id, to_id, weight
CALL () {
  WITH 1 AS one
  WHERE $from_id IS NOT NULL
  MATCH (a:_Node {_domain: $domain, _id: $from_id})-[r]-(b:_Node)
  WHERE coalesce(b._id = $to_id, true)
    AND (startNode(r) = a AND coalesce(type(r) IN $along, true) OR endNode(r) = a AND type(r) IN $against)
  RETURN r
  UNION
  WITH 1 AS one
  WHERE $from_id IS NULL AND $to_id IS NOT NULL
  MATCH (b:_Node {_domain: $domain, _id: $to_id})-[r]-(:_Node)
  WHERE endNode(r) = b AND coalesce(type(r) IN $along, true) OR startNode(r) = b AND type(r) IN $against
  RETURN r
  UNION
  WITH 1 AS one
  WHERE $from_id IS NULL AND $to_id IS NULL AND $types IS NULL
  MATCH (a:_Node)
  WHERE a._domain = $domain AND a._id IS NOT NULL
  MATCH (a)-[r]->(:_Node)
  RETURN r
  UNION
  WITH 1 AS one
  WHERE $from_id IS NULL AND $to_id IS NULL
  UNWIND $types AS type
  MATCH (t:_ConnectionType {_domain: $domain, _name: type})
  WITH type, CASE
    WHEN '*' IN t._from_types
      THEN COLLECT { MATCH (n:_NodeType) WHERE n._domain = $domain AND n._name IS NOT NULL RETURN n._name }
    ELSE t._from_types
  END AS from_types
  UNWIND from_types AS from_type
  MATCH (a:_Node)
  USING INDEX a:_Node(_domain, _type, _id)
  WHERE a._domain = $domain AND a._type = from_type AND a._id IS NOT NULL
  MATCH (a)-[r:$(type)]->()
  RETURN r
  UNION
  WITH 1 AS one
  WHERE EXISTS { MATCH (later:_Event) WHERE later._domain = $domain AND later._seq > $at }
  CALL () {
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _from, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._from = coalesce($from_id, $to_id) AND e._type IS NOT NULL AND e._seq > $at
      AND e._subject > $after
    RETURN e
    UNION
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _to, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._to = coalesce($from_id, $to_id) AND e._type IS NOT NULL AND e._seq > $at
      AND e._subject > $after
    RETURN e
    UNION
    WITH 1 AS row
    WHERE $from_id IS NULL AND $to_id IS NULL
    MATCH (e:_Event)
    WHERE e._domain = $domain AND e._seq > $at AND e._kind = 'connection' AND e._subject > $after
    RETURN e
  }
  WITH e
  WHERE (coalesce(e._type IN $along, true) AND coalesce(e._from = $from_id, true) AND coalesce(e._to = $to_id, true)
      OR e._type IN $against AND coalesce(e._to = $from_id, true) AND coalesce(e._from = $to_id, true))
  WITH DISTINCT e._subject AS subject
  CALL (subject) {
    MATCH (p:_Event)
    USING INDEX p:_Event(_domain, _subject, _seq)
    WHERE p._domain = $domain AND p._subject = subject AND p._seq > 0 AND p._seq <= $at
    RETURN p
    ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
    LIMIT 1
  }
  WITH p
  WHERE p._op <> 'delete'
  RETURN p AS r
}
WITH r, properties(r) AS p, coalesce(r._subject, r._id) AS id
WHERE p._domain = $domain AND id > $after AND (p._version <= $at OR p._subject IS NOT NULL)
  AND all(key IN keys($filter) WHERE p[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(p._valid_from <= $valid_at, true) AND coalesce(p._valid_to > $valid_at, true))
WITH r, p, id,
     ($now - p._modified.epochMillis) / 86400000.0 / coalesce($half_lives[p._type], 365.0) AS age,
     (coalesce(p._strength_semantic, 0.5) + coalesce(p._strength_structural, 0.5)) / 2
       * coalesce(p._strength_confidence, 0.9) AS strength
WITH r, p, id, age, strength + (1 - strength) * coalesce($co_access[id], 0.0) / 2 AS used
WITH r, p, id,
     coalesce((used + p._importance) / 2, used) * coalesce(p._strength_temporal, 1.0)
       * 2.0 ^ CASE WHEN age > 0 THEN -age ELSE 0.0 END AS weight
WHERE weight >= $least AND weight < $below
WITH r, p, id, weight
ORDER BY CASE WHEN $heaviest THEN -weight ELSE 0.0 END, id
LIMIT $limit
RETURN id, p._type AS type, CASE WHEN p._subject IS NULL THEN startNode(r)._id ELSE p._from END AS from_id,
       CASE WHEN p._subject IS NULL THEN endNode(r)._id ELSE p._to END AS to_id, weight
