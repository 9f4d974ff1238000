// The passages of some types with the nearest vectors, nearest first.
// mode: read
// params: domain, model, vector, at, types, created_from, created_to, begun_from, begun_by, not_ended_by, limit
// returns: id, owner, unit, score
CYPHER 25
MATCH (p:_Passage)
SEARCH p IN (
  VECTOR INDEX _passage_vectors
  FOR $vector
  WHERE p._domain = $domain AND p._model = $model AND p._since <= $at AND p._until > $at AND p._type IN $types
    AND p._created >= $created_from AND p._created <= $created_to
    AND p._valid_from >= $begun_from AND p._valid_from <= $begun_by AND p._valid_to > $not_ended_by
  LIMIT $limit
) SCORE AS score
RETURN elementId(p) AS id, p._owner AS owner, p._unit AS unit, score
