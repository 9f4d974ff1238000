// Ids of the connections that arrive at a node and match every property, in id order.
// mode: read
// params: domain, to_id, type, filter, valid_at, after, limit
// returns: id
MATCH (:_Node)-[r]->(b:_Node {_domain: $domain, _id: $to_id})
WHERE r._domain = $domain AND r._id > $after AND ($type IS NULL OR type(r) = $type)
  AND all(key IN keys($filter) WHERE r[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
RETURN r._id AS id
ORDER BY id
LIMIT $limit
