// Ids of the nodes of a type that match every property, in id order.
// mode: read
// params: domain, type, filter, after, limit
// returns: id
MATCH (n:_Node)
USING INDEX n:_Node(_domain, _type, _id)
WHERE n._domain = $domain AND n._type = $type AND n._id > $after
  AND all(key IN keys($filter) WHERE n[key] = $filter[key])
RETURN n._id AS id
ORDER BY id
LIMIT $limit
