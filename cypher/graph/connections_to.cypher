// Ids of the connections to a node that match every property, in id order. The types in `along` (all if null) are
// followed as stored, and those in `against` in the opposite direction.
// mode: read
// params: domain, to_id, along, against, filter, valid_at, after, limit
// returns: id
MATCH (a:_Node {_domain: $domain, _id: $to_id})
CALL (a) {
  MATCH (a)<-[r]-(:_Node)
  WHERE coalesce(type(r) IN $along, true)
  RETURN r
  UNION
  WITH a WHERE size($against) > 0
  MATCH (a)-[r]->(:_Node)
  WHERE type(r) IN $against
  RETURN r
}
WITH r
WHERE r._domain = $domain AND r._id > $after AND all(key IN keys($filter) WHERE r[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
RETURN r._id AS id
ORDER BY id
LIMIT $limit
