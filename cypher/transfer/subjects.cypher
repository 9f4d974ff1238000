// A page of the subjects of a log, sorted by id, each with its last event and the size of its content.
// mode: read
// params: domain, after, limit
// returns: subject, seq, op, kind, size
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _subject, _seq)
WHERE e._domain = $domain AND e._subject > $after AND e._seq > 0
WITH e._domain AS domain, e._subject AS subject, max(e._seq) AS seq
ORDER BY domain, subject
LIMIT $limit
MATCH (l:_Event {_domain: $domain, _seq: seq})
RETURN subject, seq, l._op AS op, l._kind AS kind, coalesce(l._content_size, 0) AS size
ORDER BY subject
