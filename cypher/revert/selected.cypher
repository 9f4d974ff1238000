// Returns the first events in a range of the log, optionally only of one session.
// mode: read
// params: domain, first, last, session, limit
// returns: seq, id, op, kind, subject, batch
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq >= $first AND e._seq <= $last
  AND coalesce(e._session = $session, $session IS NULL) AND coalesce(e._was, e._op) <> 'snapshot'
RETURN e._seq AS seq, e._id AS id, e._op AS op, e._kind AS kind, e._subject AS subject, e._batch AS batch
ORDER BY seq
LIMIT $limit
