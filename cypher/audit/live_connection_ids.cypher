// The ids of the connections in the live graph that claim to be of the domain, with their types.
// mode: read
// params: domain
// returns: id, type
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id IS NOT NULL
MATCH (a)-[r]->()
WHERE r._domain = $domain AND r._id IS NOT NULL
RETURN r._id AS id, type(r) AS type
