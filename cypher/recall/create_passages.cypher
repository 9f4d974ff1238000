// Makes passages, each with the vector of an equal one of the domain where there is one. Others wait for theirs, unless
// they lived too briefly to get one.
// mode: write
// params: domain, rows, model, analyser
// returns: created
UNWIND $rows AS row
CALL (row) {
  OPTIONAL MATCH (same:_Passage {_domain: $domain, _sha256: row.passage._sha256})
  WHERE same._embedding IS NOT NULL AND same._model = $model
  RETURN same
  LIMIT 1
}
CREATE (p:_Passage:$($analyser))
SET p = row.passage
FOREACH (s IN CASE WHEN same IS NULL THEN [] ELSE [same] END | SET p._embedding = s._embedding, p._model = s._model)
FOREACH (_ IN CASE WHEN same IS NULL AND row.waits THEN [0] ELSE [] END | SET p:_NewPassage)
RETURN count(*) AS created
