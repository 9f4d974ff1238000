// Replaces vectors of other models with vectors of the domain's model for the next passages, from an owner on. Passages
// without such a vector wait for one. Returns the last owner.
// mode: write
// params: domain, model, from, limit
// returns: last
MATCH (i:_Index {_domain: $domain, _model: $model})
SET i._locked = true
WITH i
MATCH (p:_Passage)
WHERE p._domain = $domain AND p._owner >= $from AND p._until > 0 AND p._model <> $model AND NOT p:_NewPassage
WITH p
ORDER BY p._domain, p._owner
LIMIT $limit
FOREACH (_ IN CASE WHEN p._next_model = $model THEN [0] ELSE [] END |
  SET p._embedding = p._next_embedding, p._model = $model)
FOREACH (_ IN CASE WHEN p._model <> $model THEN [0] ELSE [] END | SET p:_NewPassage)
REMOVE p._next_embedding, p._next_model
RETURN max(p._owner) AS last
