// Of passages, how near their vectors are to one, and how many passages their owners have, counted up to `most`.
// mode: read
// params: ids, vector, model, at, most
// returns: id, of_owner, cosine
UNWIND $ids AS id
MATCH (p:_Passage)
WHERE elementId(p) = id
WITH p._domain AS domain, p._owner AS owner, collect(p) AS passages
CALL (domain, owner) {
  MATCH (o:_Passage)
  USING INDEX o:_Passage(_domain, _owner, _until)
  WHERE o._domain = domain AND o._owner = owner AND o._until > $at AND o._since <= $at
  WITH o
  LIMIT $most
  RETURN count(*) AS of_owner
}
UNWIND passages AS p
RETURN elementId(p) AS id, of_owner,
       CASE WHEN $vector IS NOT NULL AND p._model = $model THEN 2 * vector.similarity.cosine(p._embedding, $vector) - 1 END AS cosine
