// Nodes with the last events between two numbers of the log, newest first, without duplicates. An event of an
// observation counts for its node, and an event of a connection for its source, unless it was erased. Reads at most
// `looked` events.
// mode: read
// params: domain, after, at, looked, limit
// returns: id
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > $after AND e._seq <= $at
WITH e
ORDER BY e._domain DESC, e._seq DESC
LIMIT $looked
WITH e
WHERE e._kind IN ['node', 'observation', 'connection']
WITH CASE e._kind WHEN 'node' THEN e._subject ELSE e._from END AS id, max(e._seq) AS seq
WHERE id IS NOT NULL
RETURN id
ORDER BY seq DESC, id
LIMIT $limit
