// Ids of the connections of some types that match every property, in id order. Connections of a type that is rare in
// the database are read by their type. Others are read from the nodes at which the type may start, because the index of
// a relationship type that is a parameter cannot be narrowed to a domain.
// mode: read
// params: domain, types, filter, valid_at, after, limit
// returns: id
UNWIND $types AS type
WITH type, COUNT { MATCH ()-[r:$(type)]->() RETURN r LIMIT 1001 } <= 1000 AS is_rare
CALL (type, is_rare) {
  WITH type
  WHERE is_rare
  MATCH ()-[r:$(type)]->()
  RETURN r
  UNION ALL
  WITH type
  WHERE NOT is_rare
  MATCH (t:_ConnectionType {_domain: $domain, _name: type})
  WITH type, CASE
    WHEN '*' IN t._from_types
      THEN COLLECT { MATCH (n:_NodeType) WHERE n._domain = $domain AND n._name IS NOT NULL RETURN n._name }
    ELSE t._from_types
  END AS from_types
  UNWIND from_types AS from_type
  MATCH (a:_Node)
  USING INDEX a:_Node(_domain, _type, _id)
  WHERE a._domain = $domain AND a._type = from_type AND a._id IS NOT NULL
  MATCH (a)-[r:$(type)]->()
  RETURN r
}
WITH r
WHERE r._domain = $domain AND r._id > $after AND all(key IN keys($filter) WHERE r[key] = $filter[key])
  AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
RETURN r._id AS id
ORDER BY id
LIMIT $limit
