// Ids of the connections that matched at a log position, in id order, as in `nodes`. The types in `along` (all if
// null) are followed as stored, and those in `against` in the opposite direction.
// mode: read
// params: domain, at, from_id, to_id, along, against, filter, valid_at, after, limit
// returns: id
CALL () {
  WITH 1 AS one
  WHERE $from_id IS NOT NULL
  MATCH (a:_Node {_domain: $domain, _id: $from_id})-[r]-(b:_Node)
  WHERE r._domain = $domain AND r._id > $after AND r._version <= $at AND coalesce(b._id = $to_id, true)
    AND (startNode(r) = a AND coalesce(type(r) IN $along, true) OR endNode(r) = a AND type(r) IN $against)
    AND all(key IN keys($filter) WHERE r[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN r._id AS id
  UNION
  WITH 1 AS one
  WHERE $from_id IS NULL AND $to_id IS NOT NULL
  MATCH (b:_Node {_domain: $domain, _id: $to_id})-[r]-(:_Node)
  WHERE r._domain = $domain AND r._id > $after AND r._version <= $at
    AND (endNode(r) = b AND coalesce(type(r) IN $along, true) OR startNode(r) = b AND type(r) IN $against)
    AND all(key IN keys($filter) WHERE r[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN r._id AS id
  UNION
  WITH 1 AS one
  WHERE $from_id IS NULL AND $to_id IS NULL
  MATCH (a:_Node)
  WHERE a._domain = $domain AND a._id IS NOT NULL
  MATCH (a)-[r]->(:_Node)
  WHERE r._domain = $domain AND r._id > $after AND r._version <= $at
    AND coalesce(type(r) IN $along OR type(r) IN $against, true) AND all(key IN keys($filter) WHERE r[key] = $filter[key])
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN r._id AS id
  UNION
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
    WITH 1 AS one
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
  WHERE p._op <> 'delete' AND all(key IN keys($filter) WHERE p[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(p._valid_from <= $valid_at, true) AND coalesce(p._valid_to > $valid_at, true))
  RETURN p._subject AS id
}
RETURN id
ORDER BY id
LIMIT $limit
