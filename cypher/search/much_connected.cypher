// Nodes with at least so many connections, up to a number of nodes; a connection that Neo4j keeps both ways counts as two.
// mode: read
// params: domain, least, limit
// returns: id
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _id)
WHERE n._domain = $domain AND n._id IS NOT NULL AND COUNT { (n)--() } >= $least
RETURN n._id AS id
LIMIT $limit
