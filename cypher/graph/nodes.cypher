// Ids of all nodes that match every property, in id order.
// mode: read
// params: domain, filter, valid_at, after, limit
// returns: id
MATCH (n:_Node)
WHERE n._domain = $domain AND n._id > $after AND all(key IN keys($filter) WHERE n[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(n._valid_from <= $valid_at, true) AND coalesce(n._valid_to > $valid_at, true))
RETURN n._id AS id
ORDER BY n._domain, n._id
LIMIT $limit
