// Ids of a node's neighbours at a log position, without duplicates, in id order: along live connections that have not
// changed since, and along the former state of connections that have. A neighbour that was read incompletely is null.
// mode: read
// params: domain, at, id, leaving, arriving, valid_at, after, limit
// returns: id
CALL () {
  MATCH (n:_Node {_domain: $domain, _id: $id})-[r]->(m:_Node)
  WHERE coalesce(size($leaving) > 0, true) AND r._domain = $domain AND r._id IS NOT NULL AND r._version <= $at
    AND coalesce(type(r) IN $leaving, true)
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN m._id AS id
  UNION
  MATCH (n:_Node {_domain: $domain, _id: $id})<-[r]-(m:_Node)
  WHERE coalesce(size($arriving) > 0, true) AND r._domain = $domain AND r._id IS NOT NULL AND r._version <= $at
    AND coalesce(type(r) IN $arriving, true)
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN m._id AS id
  UNION
  CALL () {
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _from, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._from = $id AND e._type IS NOT NULL AND e._seq > $at AND e._subject IS NOT NULL
      AND coalesce(e._type IN $leaving, true)
    RETURN e._subject AS subject
    UNION
    MATCH (e:_Event)
    USING INDEX e:_Event(_domain, _to, _type, _seq, _subject)
    WHERE e._domain = $domain AND e._to = $id AND e._type IS NOT NULL AND e._seq > $at AND e._subject IS NOT NULL
      AND coalesce(e._type IN $arriving, true)
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
  UNWIND CASE WHEN p._from = $id AND coalesce(p._type IN $leaving, true) THEN [p._to] ELSE [] END
    + CASE WHEN p._to = $id AND coalesce(p._type IN $arriving, true) THEN [p._from] ELSE [] END AS id
  RETURN id
}
WITH id
WHERE coalesce(id > $after, true)
RETURN id
ORDER BY id IS NOT NULL, id
LIMIT $limit
