// The heaviest connections of many nodes, ranked by the property `by` or by the weight of `model/values/weight.py`,
// which `graph/weighed` computes too. They are read from the graph. With `past`, and for nodes of more than `uncut`
// connections, they are read from events. `edges` is their approximate number. If it is above `uncut`, or above
// `looked` in the past, `is_cut` is true and only the last changes of each type and direction are read, and with
// `towards` the events of these nodes too. The filter of the node at the other end is checked if the live graph
// contains that node; otherwise the last value of the row is true. Connections to nodes in `known` are left out; with
// `towards`, so are all connections to other nodes. `more` adds the components of the weight, and properties. Lists
// come in one map, `request`, because Neo4j plans a statement again for each length of a list parameter.
// mode: read
// params: domain, past, at, uncut, looked, now, least, limit, more, request
// returns: node, edges, is_cut, rows
UNWIND $request.ids AS node
CALL (node) {
  WITH node
  WHERE NOT $past
  MATCH (n:_Node {_domain: $domain, _id: node})
  WITH n, COUNT { (n)--() } AS edges
  RETURN n, edges, edges > $uncut AS is_cut, [] AS changes
  UNION ALL
  WITH node
  WHERE $past
  WITH COLLECT {
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _from, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._from = node AND e._type IS NOT NULL AND e._seq > 0 AND e._subject IS NOT NULL
    RETURN [e._seq, e._subject]
    LIMIT $looked + 1
  } AS leaving, COLLECT {
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _to, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._to = node AND e._type IS NOT NULL AND e._seq > 0 AND e._subject IS NOT NULL
    RETURN [e._seq, e._subject]
    LIMIT $looked + 1
  } AS arriving
  RETURN NULL AS n, size(leaving) + size(arriving) AS edges, size(leaving) > $looked OR size(arriving) > $looked AS is_cut,
         leaving + arriving AS changes
}
CALL (node, n, is_cut, changes) {
  CALL (node, is_cut, changes) {
    UNWIND CASE WHEN is_cut THEN [] ELSE changes END AS change
    WITH change
    WHERE change[0] <= $at
    RETURN change[1] AS subject
    UNION
    UNWIND CASE WHEN is_cut THEN $request.out_types ELSE [] END AS type
    CALL (node, type) {
      MATCH (e:_Event)
      USING INDEX e:_Event(_domain, _from, _type, _seq, _subject)
      WHERE e._domain = $domain AND e._from = node AND e._type = type AND e._seq <= $at AND e._subject IS NOT NULL
      RETURN e._subject AS subject
      ORDER BY e._domain DESC, e._from DESC, e._type DESC, e._seq DESC
      LIMIT $looked
    }
    RETURN subject
    UNION
    UNWIND CASE WHEN is_cut THEN $request.in_types ELSE [] END AS type
    CALL (node, type) {
      MATCH (e:_Event)
      USING INDEX e:_Event(_domain, _to, _type, _seq, _subject)
      WHERE e._domain = $domain AND e._to = node AND e._type = type AND e._seq <= $at AND e._subject IS NOT NULL
      RETURN e._subject AS subject
      ORDER BY e._domain DESC, e._to DESC, e._type DESC, e._seq DESC
      LIMIT $looked
    }
    RETURN subject
    UNION
    UNWIND CASE WHEN is_cut THEN $request.towards ELSE [] END AS other
    CALL (node, other) {
      MATCH (e:_Event)
      USING INDEX e:_Event(_domain, _from, _type, _seq, _subject)
      WHERE e._domain = $domain AND e._from = other AND e._type IS NOT NULL AND e._seq > 0 AND e._subject IS NOT NULL
      WITH node, e
      LIMIT $looked
      WHERE e._to = node
      RETURN e._subject AS subject
      UNION ALL
      MATCH (e:_Event)
      USING INDEX e:_Event(_domain, _to, _type, _seq, _subject)
      WHERE e._domain = $domain AND e._to = other AND e._type IS NOT NULL AND e._seq > 0 AND e._subject IS NOT NULL
      WITH node, e
      LIMIT $looked
      WHERE e._from = node
      RETURN e._subject AS subject
    }
    RETURN subject
  }
  WITH collect(subject) AS subjects
  CALL (node, n, is_cut, subjects) {
    WITH n
    WHERE NOT is_cut
    MATCH (n)-[r]-(m:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL
      AND (startNode(r) = n AND coalesce(type(r) IN $request.leaving, true) OR endNode(r) = n AND coalesce(type(r) IN $request.arriving, true))
    RETURN r, m, m._id AS other, r._id AS id, coalesce(m._version > $at, true) AS unsure
    UNION ALL
    UNWIND subjects AS subject
    CALL (subject) {
      MATCH (p:_Event)
      USING INDEX p:_Event(_domain, _subject, _seq)
      WHERE p._domain = $domain AND p._subject = subject AND p._seq > 0 AND p._seq <= $at
      RETURN p
      ORDER BY p._domain DESC, p._subject DESC, p._seq DESC
      LIMIT 1
    }
    WITH p AS r, subject AS id, CASE
      WHEN p._op = 'delete' THEN NULL
      WHEN p._from = node AND coalesce(p._type IN $request.leaving, true) THEN p._to
      WHEN p._to = node AND coalesce(p._type IN $request.arriving, true) THEN p._from
    END AS other
    WHERE other IS NOT NULL
    OPTIONAL CALL (other) {
      WITH other
      WHERE $request.node_filter IS NOT NULL
      MATCH (m:_Event)
      USING INDEX m:_Event(_domain, _subject, _seq)
      WHERE m._domain = $domain AND m._subject = other AND m._seq > 0 AND m._seq <= $at
      RETURN m
      ORDER BY m._domain DESC, m._subject DESC, m._seq DESC
      LIMIT 1
    }
    RETURN r, m, other, id, false AS unsure
  }
  WITH r, m, other, id, unsure
  WHERE NOT other IN $request.known AND coalesce(other IN $request.towards, true) AND all(key IN keys($request.filter) WHERE r[key] = $request.filter[key])
    AND ($request.valid_at IS NULL OR coalesce(r._valid_from <= $request.valid_at, true) AND coalesce(r._valid_to > $request.valid_at, true))
    AND ($request.node_filter IS NULL OR other IN $request.starts OR unsure
      OR coalesce(m._type IN $request.node_types, true) AND all(tag IN $request.tags WHERE tag IN coalesce(m._tags, []))
        AND all(key IN keys($request.node_filter) WHERE m[key] = $request.node_filter[key]))
  WITH r, id, unsure, ($now - r._modified.epochMillis) / 86400000.0 AS age,
       (coalesce(r._strength_semantic, 0.5) + coalesce(r._strength_structural, 0.5)) / 2
         * coalesce(r._strength_confidence, 0.9) AS strength
  WITH r, id, unsure, strength, CASE WHEN age > 0 THEN age ELSE 0.0 END AS age
  WITH r, id, unsure, strength, age, CASE WHEN $request.by IS NOT NULL THEN r[$request.by] END AS given,
       strength + (1 - strength) * coalesce($request.co_access[id], 0.0) / 2 AS used
  WITH r, id, unsure, strength, age, given,
       coalesce((used + r._importance) / 2, used) * coalesce(r._strength_temporal, 1.0)
         * 2.0 ^ (-age / coalesce($request.half_lives[r._type], 365.0)) AS weight
  WHERE weight >= $least
  WITH r, id, unsure, strength, age, weight
  ORDER BY CASE
      WHEN $request.by IS NULL THEN -weight
      WHEN given IS :: INTEGER | FLOAT THEN coalesce(-toFloat(given), 0.0)
      ELSE 0.0
    END, id
  LIMIT $limit
  WITH r, id, unsure, strength, age, weight, properties(r) AS p
  RETURN collect([id, p._type, CASE WHEN p._subject IS NULL THEN startNode(r)._id ELSE p._from END,
                  CASE WHEN p._subject IS NULL THEN endNode(r)._id ELSE p._to END, weight, strength,
                  p._importance, age, p._valid_to.epochMillis, coalesce(p._valid_from, p._created).epochMillis,
                  CASE WHEN $more THEN p END, unsure]) AS rows
}
RETURN node, edges, is_cut, rows
