// The connections of many nodes, at a number of the log: as they are now; with `past`, and of nodes of more than `uncut`
// connections, by their events. Of each node so many, those that count most: by the property `by`, else by the weight of
// `model/values/weight.py`, which `graph/weighed` has too. `edges` is about how many there are. Where that is more than `uncut`, or
// `looked` in the past, which `is_cut` tells, only the last so many changes of each type and direction are looked at, and
// with `towards` the events of these nodes too. Whether the node at the other end is what is asked for, or one of `starts`,
// is looked at where the graph can tell it; where not, the last of what is told of a connection is true. With `known`,
// connections to these nodes are left out; with `towards`, all others. `more` brings what the weight is made of, and
// properties. Lists come in one map, `asked`: Neo4j plans a statement anew for each length of a list that is a parameter of
// its own.
// mode: read
// params: domain, past, at, uncut, looked, now, least, limit, more, asked
// returns: node, edges, is_cut, found
UNWIND $asked.ids AS node
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
    UNWIND CASE WHEN is_cut THEN $asked.out_types ELSE [] END AS type
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
    UNWIND CASE WHEN is_cut THEN $asked.in_types ELSE [] END AS type
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
    UNWIND CASE WHEN is_cut THEN $asked.towards ELSE [] END AS other
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
      AND (startNode(r) = n AND coalesce(type(r) IN $asked.leaving, true) OR endNode(r) = n AND coalesce(type(r) IN $asked.arriving, true))
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
      WHEN p._from = node AND coalesce(p._type IN $asked.leaving, true) THEN p._to
      WHEN p._to = node AND coalesce(p._type IN $asked.arriving, true) THEN p._from
    END AS other
    WHERE other IS NOT NULL
    OPTIONAL CALL (other) {
      WITH other
      WHERE $asked.node_filter IS NOT NULL
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
  WHERE NOT other IN $asked.known AND coalesce(other IN $asked.towards, true) AND all(key IN keys($asked.filter) WHERE r[key] = $asked.filter[key])
    AND ($asked.valid_at IS NULL OR coalesce(r._valid_from <= $asked.valid_at, true) AND coalesce(r._valid_to > $asked.valid_at, true))
    AND ($asked.node_filter IS NULL OR other IN $asked.starts OR unsure
      OR coalesce(m._type IN $asked.node_types, true) AND all(tag IN $asked.tags WHERE tag IN coalesce(m._tags, []))
        AND all(key IN keys($asked.node_filter) WHERE m[key] = $asked.node_filter[key]))
  WITH r, id, unsure, ($now - r._modified.epochMillis) / 86400000.0 AS age,
       (coalesce(r._strength_semantic, 0.5) + coalesce(r._strength_structural, 0.5)) / 2
         * coalesce(r._strength_confidence, 0.9) AS strength
  WITH r, id, unsure, strength, CASE WHEN age > 0 THEN age ELSE 0.0 END AS age
  WITH r, id, unsure, strength, age, CASE WHEN $asked.by IS NOT NULL THEN r[$asked.by] END AS given,
       strength + (1 - strength) * coalesce($asked.co_access[id], 0.0) / 2 AS used
  WITH r, id, unsure, strength, age, given,
       coalesce((used + r._importance) / 2, used) * coalesce(r._strength_temporal, 1.0)
         * 2.0 ^ (-age / coalesce($asked.half_lives[r._type], 365.0)) AS weight
  WHERE weight >= $least
  WITH r, id, unsure, strength, age, weight
  ORDER BY CASE
      WHEN $asked.by IS NULL THEN -weight
      WHEN given IS :: INTEGER | FLOAT THEN coalesce(-toFloat(given), 0.0)
      ELSE 0.0
    END, id
  LIMIT $limit
  WITH r, id, unsure, strength, age, weight, properties(r) AS p
  RETURN collect([id, p._type, CASE WHEN p._subject IS NULL THEN startNode(r)._id ELSE p._from END,
                  CASE WHEN p._subject IS NULL THEN endNode(r)._id ELSE p._to END, weight, strength,
                  p._importance, age, p._valid_to.epochMillis, coalesce(p._valid_from, p._created).epochMillis,
                  CASE WHEN $more THEN p END, unsure]) AS found
}
RETURN node, edges, is_cut, found
