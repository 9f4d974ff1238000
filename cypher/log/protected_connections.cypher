// The protected connections of a domain, each with its protection.
// mode: read
// params: domain
// returns: id, protection
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id IS NOT NULL
MATCH (a)-[r]->(:_Node)
WHERE r._domain = $domain AND r._id IS NOT NULL AND r._protection IS NOT NULL
RETURN r._id AS id, r._protection AS protection
