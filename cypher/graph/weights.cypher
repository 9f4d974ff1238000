// What the weights of connections are made of, as the log last said it up to a number; nothing of those that were not
// there then. The time is in milliseconds.
// mode: read
// params: domain, ids, at
// returns: id, type, from_id, to_id, semantic, structural, temporal, confidence, importance, modified
MATCH (n:_Event)
USING INDEX n:_Event(_domain, _subject, _seq)
WHERE n._domain = $domain AND n._subject IN $ids AND n._seq > 0 AND n._seq <= $at
WITH n._subject AS id, max(n._seq) AS last
MATCH (e:_Event {_domain: $domain, _seq: last})
WHERE e._op <> 'delete' AND e._kind = 'connection'
RETURN id, e._type AS type, e._from AS from_id, e._to AS to_id,
       e._strength_semantic AS semantic, e._strength_structural AS structural,
       e._strength_temporal AS temporal, e._strength_confidence AS confidence,
       e._importance AS importance, e._modified.epochMillis AS modified
