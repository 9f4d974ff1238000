// Returns the events with these ids.
// mode: read
// params: domain, ids
// returns: seq, id, op, kind, subject, batch
UNWIND $ids AS id
MATCH (e:_Event {_domain: $domain, _id: id})
RETURN e._seq AS seq, e._id AS id, e._op AS op, e._kind AS kind, e._subject AS subject, e._batch AS batch
ORDER BY seq
