// The events of some subjects, newest first, with the same columns as `events`.
// mode: read
// params: domain, subjects, after, before, session, source, actor, operations, types, without_types, limit
// returns: event, previous, from_title, to_title, took
UNWIND $subjects AS subject
CALL (subject) {
  MATCH (e:_Event)
  USING INDEX e:_Event(_domain, _subject, _seq)
  WHERE e._domain = $domain AND e._subject = subject AND e._seq > $after AND e._seq < $before
    AND coalesce(e._session = $session, $session IS NULL) AND coalesce(e._source = $source, $source IS NULL)
    AND coalesce(e._actor = $actor, $actor IS NULL) AND coalesce(coalesce(e._was, e._op) IN $operations, true)
    AND coalesce(e._type IN $types, $types IS NULL)
    AND NOT coalesce(e._type IN $without_types, false) AND coalesce(e._was, e._op) <> 'snapshot'
  RETURN e
  ORDER BY e._domain DESC, e._subject DESC, e._seq DESC
  LIMIT $limit
}
WITH e
ORDER BY e._seq DESC
LIMIT $limit
OPTIONAL MATCH (p:_Event {_domain: $domain, _seq: e._prev})
CALL (e) {
  OPTIONAL MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._from AND n._seq <= e._seq AND n._title IS NOT NULL
  RETURN n._title AS from_title
  ORDER BY n._domain DESC, n._subject DESC, n._seq DESC
  LIMIT 1
}
CALL (e) {
  OPTIONAL MATCH (n:_Event)
  USING INDEX n:_Event(_domain, _subject, _seq)
  WHERE n._domain = $domain AND n._subject = e._to AND n._seq <= e._seq AND n._title IS NOT NULL
  RETURN n._title AS to_title
  ORDER BY n._domain DESC, n._subject DESC, n._seq DESC
  LIMIT 1
}
CALL (e) {
  WITH e
  WHERE e._op = 'delete' AND e._kind = 'node'
    AND NOT EXISTS { MATCH (n:_Event {_domain: $domain, _seq: e._seq + 1}) WHERE n._batch = e._batch }
  MATCH (b:_Event {_domain: $domain, _id: e._batch})
  MATCH (c:_Event)
  WHERE c._domain = $domain AND c._seq >= b._seq AND c._seq < e._seq
    AND c._op = 'delete' AND c._kind = 'connection' AND (c._from = e._subject OR c._to = e._subject)
  RETURN count(c) AS took
}
RETURN properties(e) AS event, properties(p) AS previous, from_title, to_title, took
ORDER BY e._seq DESC
