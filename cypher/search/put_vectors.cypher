// Stores the vectors of waiting passages, by their text. Passages that were erased in the meantime are not restored.
// mode: write
// params: domain, rows, model, limit
// returns: put
UNWIND $rows AS row
MATCH (p:_Passage {_domain: $domain, _sha256: row.sha256})
WHERE p:_NewPassage
WITH p, row
LIMIT $limit
SET p._embedding = row.vector, p._model = $model
REMOVE p:_NewPassage
RETURN count(*) AS put
