// The most recently changed nodes of the log, newest first, with the author and time of the change. An observation
// counts for its node, a connection for its source node. Reads at most `looked` events.
// mode: read
// params: domain, looked
// returns: id, at, actor, session, source
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0
WITH e
ORDER BY e._domain DESC, e._seq DESC
LIMIT $looked
WITH e
WHERE e._kind IN ['node', 'observation', 'connection']
WITH CASE e._kind WHEN 'node' THEN e._subject ELSE e._from END AS id, e
WHERE id IS NOT NULL
WITH id, head(collect(e)) AS last
RETURN id, last._at AS at, last._actor AS actor, last._session AS session, last._source AS source
ORDER BY last._seq DESC, id
