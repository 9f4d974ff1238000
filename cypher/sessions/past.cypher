// For each node, observation and connection that existed as of an event number, the last event up to that number.
// mode: read
// params: domain, at
// returns: event
MATCH (e:_Event)
USING INDEX e:_Event(_domain, _seq)
WHERE e._domain = $domain AND e._seq > 0 AND e._seq <= $at AND e._kind IN ['node', 'observation', 'connection']
WITH e._subject AS subject, max(e._seq) AS last
MATCH (p:_Event)
USING INDEX p:_Event(_domain, _subject, _seq)
WHERE p._domain = $domain AND p._subject = subject AND p._seq = last AND p._op <> 'delete'
  AND (p._entity IS NOT NULL OR p._kind <> 'node')
RETURN properties(p) AS event
