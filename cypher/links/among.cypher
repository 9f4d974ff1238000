// For each of these nodes, the number of other nodes among them to which it is connected.
// mode: read
// params: domain, ids
// returns: id, edges
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id IN $ids
RETURN n._id AS id, COUNT {
         MATCH (n)-[r]-(m:_Node)
         WHERE r._id IS NOT NULL AND m <> n AND m._domain = $domain AND m._id IN $ids
         RETURN DISTINCT m
       } AS edges
