// A page of the nodes of a domain in id order, each with the nodes that its outgoing connections lead to. A node that
// is the target of several connections occurs several times.
// mode: read
// params: domain, after, limit
// returns: id, type, targets
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _id)
WHERE n._domain = $domain AND n._id > $after
WITH n
ORDER BY n._domain, n._id
LIMIT $limit
RETURN n._id AS id, n._type AS type,
       COLLECT { MATCH (n)-[r]->(m:_Node) WHERE r._domain = $domain AND r._id IS NOT NULL RETURN m._id } AS targets
