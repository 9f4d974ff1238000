// The number of changes in a range of one log, by kind and operation, in periods of equal length, starting at a
// time. Times and lengths are in milliseconds.
// mode: read
// params: domain, after, before, begin, length
// returns: period, kind, operation, changes
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq < $before AND coalesce(e._was, e._op) <> 'snapshot'
RETURN toInteger(floor((e._at.epochMillis - $begin) / $length)) AS period, e._kind AS kind,
       coalesce(e._was, e._op) AS operation, count(*) AS changes
