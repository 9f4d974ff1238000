// The ids of a node's observations, including ended ones, newest first.
// mode: read
// params: domain, node, limit
// returns: id
MATCH (n:_Node {_domain: $domain, _id: $node})<-[:_OBSERVES]-(o:_Observation)
RETURN o._id AS id
ORDER BY o._created DESC, o._id
LIMIT $limit
