// The connections in the live graph that claim to be of the domain, of the next few of its nodes; one row for each node,
// because a row costs the driver more than what is in it.
// mode: read
// params: domain, after, limit
// returns: source, found
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id > $after
WITH a ORDER BY a._domain, a._id LIMIT $limit
OPTIONAL MATCH (a)-[r]->()
WHERE r._domain = $domain AND r._id IS NOT NULL
RETURN a._id AS source, [one IN collect(r) | [one._id, type(one)]] AS found
ORDER BY source
