// The ids of a node's connections, up to a limit.
// mode: read
// params: domain, node, others, limit
// returns: id
MATCH (n:_Node {_domain: $domain, _id: $node})-[r]-(m:_Node)
WHERE r._id IS NOT NULL AND m._id IN $others
RETURN DISTINCT r._id AS id
LIMIT $limit
