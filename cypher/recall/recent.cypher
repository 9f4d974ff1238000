// The nodes that the log names last between two numbers of it, the newest first, each once: an observation stands for its
// node, a connection for the node that it leads from, unless it was erased. Looks at no more than so many events.
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
