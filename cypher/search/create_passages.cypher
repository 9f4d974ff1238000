// Creates passages, with the vector of an equal passage of the domain if there is one. Other passages wait for a
// vector, unless they were current too briefly. They are added to the index of the domain's analyser, and of its
// next analyser.
// mode: write
// params: domain, rows
// returns: created
MATCH (i:_Index {_domain: $domain})
WITH i._model AS model, [label IN [coalesce(i._analyser, '_English'), i._next_analyser] WHERE label IS NOT NULL] AS labels
UNWIND $rows AS row
WITH row.passage._sha256 AS sha256, collect(row) AS rows, model, labels
CALL (sha256, model) {
  OPTIONAL MATCH (same:_Passage)
  WHERE same._domain = $domain AND same._sha256 = sha256 AND same._model = model
  RETURN same
  LIMIT 1
}
UNWIND rows AS row
CREATE (p:_Passage:$(labels))
SET p = row.passage
FOREACH (s IN CASE WHEN same IS NULL THEN [] ELSE [same] END | SET p._embedding = s._embedding, p._model = s._model)
FOREACH (_ IN CASE WHEN same IS NULL AND row.waits THEN [0] ELSE [] END | SET p:_NewPassage)
RETURN count(*) AS created
