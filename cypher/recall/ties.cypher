// The connections of some nodes now, up to a number of each, with what they are weighed by, and how many Neo4j has of each
// node. A node that is not there gives no row.
// mode: read
// params: domain, ids, valid_at, most
// returns: id, edges, ties
UNWIND $ids AS id
MATCH (n:_Node {_domain: $domain, _id: id})
RETURN id, COUNT { (n)--() } AS edges, COLLECT {
  MATCH (n)-[r]-(m:_Node)
  WHERE r._domain = $domain AND r._id IS NOT NULL AND m._id IS NOT NULL
    AND ($valid_at IS NULL OR coalesce(r._valid_from <= $valid_at, true) AND coalesce(r._valid_to > $valid_at, true))
  WITH r
  LIMIT $most
  RETURN r {._id, ._type, ._modified, ._importance, ._strength_semantic, ._strength_structural, ._strength_temporal,
            ._strength_confidence, ._valid_to, _from: startNode(r)._id, _to: endNode(r)._id}
} AS ties
