// The connections of some nodes after a number of the log, with what they are weighed by: those that live and have not
// changed since, up to a number of each node, and those that changed since and were there then.
// mode: read
// params: domain, at, ids, valid_at, most
// returns: id, edges, ties
CALL () {
  UNWIND $ids AS id
  MATCH (n:_Node {_domain: $domain, _id: id})
  CALL (n) {
    MATCH (n)-[r]-(m:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND m._id IS NOT NULL AND r._version <= $at
    RETURN r
    LIMIT $most
  }
  WITH id, r
  RETURN id, r {._id, ._type, ._modified, ._importance, ._strength_semantic, ._strength_structural, ._strength_temporal,
                ._strength_confidence, ._valid_from, ._valid_to, _from: startNode(r)._id, _to: endNode(r)._id} AS tie
  UNION ALL
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
  UNWIND [end IN [p._from, p._to] WHERE end IN $ids] AS id
  RETURN id, p {_id: p._subject, ._type, ._modified, ._importance, ._strength_semantic, ._strength_structural,
                ._strength_temporal, ._strength_confidence, ._valid_from, ._valid_to, ._from, ._to} AS tie
}
WITH id, tie
WHERE $valid_at IS NULL OR coalesce(tie._valid_from <= $valid_at, true) AND coalesce(tie._valid_to > $valid_at, true)
WITH id, collect(tie) AS ties
RETURN id, size(ties) AS edges, ties
