// Ids of all connections of the domain that match every property, in id order.
// mode: read
// params: domain, filter, valid_at, after, limit
// returns: id
MATCH (a:_Node)
WHERE a._domain = $domain AND a._id IS NOT NULL
MATCH (a)-[r]->(:_Node)
WHERE r._domain = $domain AND r._id > $after AND all(key IN keys($filter) WHERE r[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
RETURN r._id AS id
ORDER BY id
LIMIT $limit
