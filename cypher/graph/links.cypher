// The connections between a node and others at a log position: live connections that have not changed since, and the
// former state of connections that have.
// mode: read
// params: domain, at, id, ids, types, valid_at
// returns: id, type, from_id, to_id
CALL () {
  MATCH (n:_Node {_domain: $domain, _id: $id})
  UNWIND $ids AS other
  MATCH (m:_Node {_domain: $domain, _id: other})
  MATCH (n)-[r]-(m)
  WHERE r._domain = $domain AND r._id IS NOT NULL AND r._version <= $at AND coalesce(type(r) IN $types, true)
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN r._id AS id, type(r) AS type, startNode(r)._id AS from_id, endNode(r)._id AS to_id
  UNION
  WITH 1 AS one
  WHERE EXISTS { MATCH (later:_Event) WHERE later._domain = $domain AND later._seq > $at }
  CALL () {
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _from, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._from = $id AND e._type IS NOT NULL AND e._seq > $at AND e._subject IS NOT NULL
      AND coalesce(e._type IN $types, true) AND e._to IN $ids
    RETURN e._subject AS subject
    UNION
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _to, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._to = $id AND e._type IS NOT NULL AND e._seq > $at AND e._subject IS NOT NULL
      AND coalesce(e._type IN $types, true) AND e._from IN $ids
    RETURN e._subject AS subject
  }
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
    AND ($valid_at IS NULL OR coalesce(p._valid_from <= $valid_at, true) AND coalesce(p._valid_to > $valid_at, true))
  RETURN p._subject AS id, p._type AS type, p._from AS from_id, p._to AS to_id
}
RETURN id, type, from_id, to_id
ORDER BY id
