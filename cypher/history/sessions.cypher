// The sessions that changed a domain, the most recent writer first. Changes without a session are grouped by source and
// actor. Each has the titles of the nodes that it changed last.
// mode: read
// params: domain, after, before, limit
// returns: session, source, actor, first_seq, last_seq, began, ended, changes, subjects, titles
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq < $before AND coalesce(e._was, e._op) <> 'snapshot'
WITH e._session AS session, e._source AS source, e._actor AS actor, e
ORDER BY e._seq DESC
WITH session, source, actor, min(e._seq) AS first_seq, max(e._seq) AS last_seq, min(e._at) AS began, max(e._at) AS ended,
     count(*) AS changes, count(DISTINCT e._subject) AS subjects, collect(DISTINCT e._title)[..3] AS titles
ORDER BY last_seq DESC
LIMIT $limit
RETURN session, source, actor, first_seq, last_seq, began, ended, changes, subjects, titles
