// Ids of the connections from one node to another that match every property, in id order. `along` and `against` are
// as in `connections_from`.
// mode: read
// params: domain, from_id, to_id, along, against, filter, valid_at, after, limit
// returns: id
MATCH (a:_Node {_domain: $domain, _id: $from_id})
MATCH (b:_Node {_domain: $domain, _id: $to_id})
CALL (a, b) {
  MATCH (a)-[r]->(b)
  WHERE coalesce(type(r) IN $along, true)
  RETURN r
  UNION
  WITH a, b WHERE size($against) > 0
  MATCH (a)<-[r]-(b)
  WHERE type(r) IN $against
  RETURN r
}
WITH r
WHERE r._domain = $domain AND r._id > $after AND all(key IN keys($filter) WHERE r[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
RETURN r._id AS id
ORDER BY id
LIMIT $limit
