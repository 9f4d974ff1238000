// Stores vectors of the next model beside the current vectors, by the text of passages.
// mode: write
// params: domain, rows, model, limit
// returns: put
UNWIND $rows AS row
MATCH (p:_Passage {_domain: $domain, _sha256: row.sha256})
WHERE p._model <> $model AND coalesce(p._next_model, '') <> $model AND NOT p:_NewPassage
WITH p, row
LIMIT $limit
SET p._next_embedding = row.vector, p._next_model = $model
RETURN count(*) AS put
