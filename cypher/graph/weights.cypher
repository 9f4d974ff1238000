// What the weights of connections are made of, as the log last said it up to a number; nothing of those that were not
// there then. The time is in milliseconds.
// mode: read
// params: domain, ids, at
// returns: id, type, from_id, to_id, semantic, structural, temporal, confidence, importance, modified
UNWIND $ids AS id
CALL (id) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = id AND e._seq > 0 AND e._seq <= $at
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT 1
}
WITH e
WHERE e._op <> 'delete' AND e._kind = 'connection'
RETURN e._subject AS id, e._type AS type, e._from AS from_id, e._to AS to_id,
       e._strength_semantic AS semantic, e._strength_structural AS structural,
       e._strength_temporal AS temporal, e._strength_confidence AS confidence,
       e._importance AS importance, e._modified.epochMillis AS modified
