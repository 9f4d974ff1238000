// Ids of the connections that arrive at a node and match every property, in id order.
// mode: read
// params: domain, to_id, type, filter, after, limit
// returns: id
MATCH (:_Node)-[r]->(b:_Node {_domain: $domain, _id: $to_id})
WHERE r._domain = $domain AND r._id > $after AND ($type IS NULL OR type(r) = $type)
  AND all(key IN keys($filter) WHERE r[key] = $filter[key])
RETURN r._id AS id
ORDER BY id
LIMIT $limit
