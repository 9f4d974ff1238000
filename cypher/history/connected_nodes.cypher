// Ids of the nodes that were at the other ends of a node's connections at a number of the log, each once, in id order:
// by connections that live and have not changed since, and by those that changed since and were there then; null for one
// that was seen by halves.
// mode: read
// params: domain, at, id, type, outgoing, incoming, valid_at, after, limit
// returns: id
CALL () {
  MATCH (n:_Node {_domain: $domain, _id: $id})-[r]->(m:_Node)
  WHERE $outgoing AND r._domain = $domain AND r._version <= $at AND coalesce(type(r) = $type, true)
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN m._id AS id
  UNION
  MATCH (n:_Node {_domain: $domain, _id: $id})<-[r]-(m:_Node)
  WHERE $incoming AND r._domain = $domain AND r._version <= $at AND coalesce(type(r) = $type, true)
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  RETURN m._id AS id
  UNION
  MATCH (e:_Event)
  WHERE e._domain = $domain AND e._seq > $at AND e._kind = 'connection' AND coalesce(e._type = $type, true)
    AND ($outgoing AND e._from = $id OR $incoming AND e._to = $id)
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
    AND ($valid_at IS NULL OR coalesce(p._valid_from <= $valid_at, true) AND coalesce(p._valid_to > $valid_at, true))
  UNWIND CASE WHEN $outgoing AND p._from = $id THEN [p._to] ELSE [] END
    + CASE WHEN $incoming AND p._to = $id THEN [p._from] ELSE [] END AS id
  RETURN id
}
WITH id
WHERE coalesce(id > $after, true)
RETURN id
ORDER BY id IS NOT NULL, id
LIMIT $limit
