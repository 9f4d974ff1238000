// Ids of all nodes that match every property, in id order.
// mode: read
// params: domain, filter, after, limit
// returns: id
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id > $after AND all(key IN keys($filter) WHERE n[key] = $filter[key])
RETURN n._id AS id
ORDER BY id
LIMIT $limit
