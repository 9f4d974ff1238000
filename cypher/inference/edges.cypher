// All connections of some types, with ends and creation method, without those that are not valid now. Connections of a
// type that is rare in the database are read by their type, others from the nodes at which the type may start.
// mode: read
// params: domain, types, limit
// returns: id, type, from_id, to_id, method
UNWIND $types AS type
WITH type, COUNT { MATCH ()-[r:$(type)]->() RETURN r LIMIT 1001 } <= 1000 AS is_rare
CALL (type, is_rare) {
  WITH type
  WHERE is_rare
  MATCH (a)-[r:$(type)]->(b)
  RETURN a, r, b
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
  MATCH (a)-[r:$(type)]->(b)
  RETURN a, r, b
}
WITH type, a, r, b
WHERE r._domain = $domain AND r._id IS NOT NULL AND b:_Node
  AND coalesce(r._valid_from <= datetime(), true) AND coalesce(r._valid_to > datetime(), true)
RETURN r._id AS id, type AS type, a._id AS from_id, b._id AS to_id, coalesce(r._creation_method, 'manual') AS method
LIMIT $limit
