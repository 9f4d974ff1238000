// Takes all content from the next few events of a subject and of what was tied to it. What is left says that there was
// something: whoever reads the log takes it for a delete, and `_was` tells what it was. The hash of the request goes too,
// and what was refused: they are about the whole batch, and stand on its first event, whosever that is.
// mode: write
// params: domain, subject, after, limit
// returns: scrubbed, last
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._erased IS NULL
  AND (e._subject = $subject OR e._from = $subject OR e._to = $subject)
WITH e
ORDER BY e._domain, e._seq
LIMIT $limit
CALL (e) {
  MATCH (first:_Event {_domain: $domain, _id: e._batch})
  REMOVE first._request, first._refused
}
SET e = e {
  ._domain, ._seq, ._id, ._kind, ._subject, ._prev, ._at, ._session, ._source, ._actor, ._batch, ._snapshot_of,
  _op: 'delete', _was: e._op, _erased: true
}
RETURN count(e) AS scrubbed, coalesce(max(e._seq), $after) AS last
