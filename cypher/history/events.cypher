// Events of a domain's log, newest first, each with the previous event of its subject, and with the titles at that
// time of a connection's ends or an observation's node. The deletion of a node also contains the number of
// connections that were deleted with it. If ranges are given in `latest_in`, only events that are the last of their
// subject in these ranges are returned, without deletions.
// mode: read
// params: domain, after, before, session, source, actor, operations, types, without_types, latest_in, limit
// returns: event, previous, from_title, to_title, took
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq < $before
  AND coalesce(e._session = $session, $session IS NULL) AND coalesce(e._source = $source, $source IS NULL)
  AND coalesce(e._actor = $actor, $actor IS NULL) AND coalesce(coalesce(e._was, e._op) IN $operations, true)
  AND coalesce(e._type IN $types, $types IS NULL)
  AND NOT coalesce(e._type IN $without_types, false) AND coalesce(e._was, e._op) <> 'snapshot'
  AND (size($latest_in) = 0 OR e._op IN ['create', 'update'] AND NOT EXISTS {
    UNWIND $latest_in AS range
    MATCH (l:_Event)
    USING INDEX l:_Event(_domain, _subject, _seq)
    WHERE l._domain = range.domain AND l._subject = e._subject AND l._seq > e._seq
      AND l._seq > range.after AND l._seq <= range.until
    RETURN l
  })
WITH e
ORDER BY e._domain DESC, e._seq DESC
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
ORDER BY e._domain DESC, e._seq DESC
