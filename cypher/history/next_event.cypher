// The first event of a log from a number on, and its time.
// mode: read
// params: domain, seq
// returns: seq, at
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq >= $seq
RETURN e._seq AS seq, e._at AS at
ORDER BY e._domain, e._seq
LIMIT 1
