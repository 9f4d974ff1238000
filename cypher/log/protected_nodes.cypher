// The protected nodes of a domain, each with its protection.
// mode: read
// params: domain
// returns: id, protection
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IS NOT NULL
WITH n
WHERE n._protection IS NOT NULL
RETURN n._id AS id, n._protection AS protection
