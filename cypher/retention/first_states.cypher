// Counts the nodes whose first state is removed if a domain is compacted up to a number, and returns the first few of their
// last titles. A node with a single event keeps its state, which is the snapshot.
// mode: read
// params: domain, to, limit
// returns: nodes, titles
MATCH (e:_Event)
WHERE e._domain = $domain AND e._seq > 0 AND e._seq <= $to AND e._kind = 'node'
WITH e
ORDER BY e._domain, e._seq
WITH e._subject AS id, min(e._seq) AS first, count(*) AS events, collect(e._title) AS titles
WHERE events > 1
WITH coalesce(titles[-1], id) AS title, first
ORDER BY first
RETURN count(*) AS nodes, collect(title)[..$limit] AS titles
