// The events of one batch, in order, given the position of its first.
// mode: read
// params: domain, batch, first
// returns: op, kind, subject, seq
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq >= $first AND e._batch = $batch
RETURN e._op AS op, e._kind AS kind, e._subject AS subject, e._seq AS seq
ORDER BY seq
