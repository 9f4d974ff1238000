// Nodes with at least `least` connections, up to a limit. A connection that Neo4j stores in both directions counts twice.
// mode: read
// params: domain, least, limit
// returns: id
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _id)
WHERE n._domain = $domain AND n._id IS NOT NULL AND COUNT { (n)--() } >= $least
RETURN n._id AS id
LIMIT $limit
