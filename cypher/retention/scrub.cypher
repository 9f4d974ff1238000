// Removes all content from the next events of a subject and its attachments. Readers take the remaining events for
// deletions, and `_was` contains the original operation. The request hash and the rejected parts are removed too,
// because they belong to the whole batch and are stored on its first event.
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
