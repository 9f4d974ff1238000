// Ids of a node's neighbours, without duplicates, in id order. A null for an incompletely read neighbour, and for a
// node without connections. No row: the node does not exist.
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
