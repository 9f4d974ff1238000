// For each of many nodes, the ids of its neighbours, without duplicates. A neighbour that was read incompletely has an
// empty id. A node without a row does not exist.
// mode: read
// params: domain, ids, leaving, arriving, valid_at
// returns: id, ids
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
CALL (n) {
  CALL (n) {
    WITH n WHERE coalesce(size($leaving) > 0, true)
    MATCH (n)-[r]->(m:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce(type(r) IN $leaving, true)
      AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
    RETURN m._id AS other
    UNION
    WITH n WHERE coalesce(size($arriving) > 0, true)
    MATCH (n)<-[r]-(m:_Node)
    WHERE r._domain = $domain AND r._id IS NOT NULL AND coalesce(type(r) IN $arriving, true)
      AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
    RETURN m._id AS other
  }
  WITH DISTINCT other
  ORDER BY other
  RETURN collect(coalesce(other, '')) AS ids
}
RETURN id, ids
