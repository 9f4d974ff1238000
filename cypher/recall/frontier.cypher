// The connections of many nodes, at a number of the log: those that live and have not changed since, and those that changed
// since and were there then. Of each node so many, those that count most: by the property `by`, else by the weight of `model/weight.py`, which `graph/weighed` has too. Whether the node at the other end is what is
// asked for, or one of `starts`, is looked at where the graph can tell it; where not, `unsure` is true. With `known`, connections to these
// nodes are left out; with `towards`, all others. `more` brings what the weight is made of, and properties.
// mode: read
// params: domain, at, ids, leaving, arriving, filter, valid_at, now, half_lives, least, by, node_types, tags, node_filter, starts, known, towards, limit, more
// returns: node, id, type, from_id, to_id, weight, strength, importance, age_days, properties, unsure
CALL () {
  OPTIONAL CALL () {
    MATCH (e:_Event)
    WHERE e._domain = $domain AND e._seq > $at AND e._kind = 'connection' AND (e._from IN $ids OR e._to IN $ids)
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
    RETURN p
  }
  RETURN collect(p) AS changed
}
UNWIND $ids AS node
CALL (node, changed) {
  CALL (node, changed) {
    MATCH (n:_Node {_domain: $domain, _id: node})-[r]-(m:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND r._version <= $at
      AND (startNode(r) = n AND coalesce(type(r) IN $leaving, true) OR endNode(r) = n AND coalesce(type(r) IN $arriving, true))
    RETURN r, m, m._id AS other, r._id AS id
    UNION ALL
    UNWIND changed AS r
    WITH r, CASE
      WHEN r._from = node AND coalesce(r._type IN $leaving, true) THEN r._to
      WHEN r._to = node AND coalesce(r._type IN $arriving, true) THEN r._from
    END AS other
    WHERE other IS NOT NULL
    RETURN r, NULL AS m, other, r._subject AS id
  }
  WITH r, m, other, id
  WHERE NOT other IN $known AND coalesce(other IN $towards, true) AND all(key IN keys($filter) WHERE r[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
    AND ($node_filter IS NULL OR other IN $starts OR coalesce(m._version > $at, true)
      OR coalesce(m._type IN $node_types, true) AND all(tag IN $tags WHERE tag IN coalesce(m._tags, []))
        AND all(key IN keys($node_filter) WHERE m[key] = $node_filter[key]))
  WITH r, m, id, ($now - r._modified.epochMillis) / 86400000.0 AS age,
       (coalesce(r._strength_semantic, 0.5) + coalesce(r._strength_structural, 0.5)) / 2
         * coalesce(r._strength_confidence, 0.9) AS strength
  WITH r, m, id, strength, CASE WHEN age > 0 THEN age ELSE 0.0 END AS age
  WITH r, m, id, strength, age, CASE WHEN $by IS NOT NULL THEN r[$by] END AS given,
       coalesce((strength + r._importance) / 2, strength) * coalesce(r._strength_temporal, 1.0)
         * 2.0 ^ (-age / coalesce($half_lives[r._type], 365.0)) AS weight
  WHERE weight >= $least
  RETURN r, m, id, strength, age, weight
  ORDER BY CASE
      WHEN $by IS NULL THEN -weight
      WHEN given IS :: INTEGER | FLOAT THEN coalesce(-toFloat(given), 0.0)
      ELSE 0.0
    END, id
  LIMIT $limit
}
WITH node, r, m, id, strength, age, weight, properties(r) AS p
RETURN node, id, p._type AS type, CASE WHEN p._subject IS NULL THEN startNode(r)._id ELSE p._from END AS from_id,
       CASE WHEN p._subject IS NULL THEN endNode(r)._id ELSE p._to END AS to_id, weight, strength,
       p._importance AS importance, age AS age_days, CASE WHEN $more THEN p END AS properties,
       coalesce(m._version > $at, true) AS unsure
