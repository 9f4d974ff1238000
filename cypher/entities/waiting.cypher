// The ids of entities and observations whose texts wait to be indexed.
// mode: read
// params: domain, limit
// returns: id
MATCH (n:_Node)
WHERE n._domain = $domain AND n._is_long = false
RETURN n._id AS id
LIMIT $limit
UNION ALL
MATCH (o:_Observation)
WHERE o._domain = $domain AND o._is_long = false
RETURN o._id AS id
LIMIT $limit
