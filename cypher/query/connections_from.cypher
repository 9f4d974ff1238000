// Ids of the connections that leave a node and match every property, in id order.
// mode: read
// params: domain, from_id, type, filter, after, limit
// returns: id
MATCH (a:_Node {_domain: $domain, _id: $from_id})-[r]->(:_Node)
WHERE r._domain = $domain AND r._id > $after AND ($type IS NULL OR type(r) = $type)
  AND all(key IN keys($filter) WHERE r[key] = $filter[key])
RETURN r._id AS id
ORDER BY id
LIMIT $limit
