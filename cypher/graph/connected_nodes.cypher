// Ids of a node's neighbours, without duplicates, in id order. A neighbour that was read incompletely is null. A node
// without connections has one row, with null. No row means that the node does not exist.
// mode: read
// params: domain, id, leaving, arriving, valid_at, after, limit
// returns: id
MATCH (n:_Node {_domain: $domain, _id: $id})
OPTIONAL CALL (n) {
  CALL (n) {
    WITH n WHERE coalesce(size($leaving) > 0, true)
    MATCH (n)-[r]->(m:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce(type(r) IN $leaving, true)
      AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
    RETURN m._id AS id
    UNION
    WITH n WHERE coalesce(size($arriving) > 0, true)
    MATCH (n)<-[r]-(m:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce(type(r) IN $arriving, true)
      AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
    RETURN m._id AS id
  }
  WITH DISTINCT id
  WHERE coalesce(id > $after, true)
  ORDER BY id IS NOT NULL, id
  LIMIT $limit
  RETURN id
}
RETURN id
