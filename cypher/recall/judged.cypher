// Of passages, how near their vectors are to one, and how many passages their owners have.
// mode: read
// params: ids, vector, model, at
// returns: id, of_owner, cosine
UNWIND $ids AS id
MATCH (p:_Passage)
WHERE elementId(p) = id
CALL (p) {
  MATCH (o:_Passage)
  USING INDEX o:_Passage(_domain, _owner, _until)
  WHERE o._domain = p._domain AND o._owner = p._owner AND o._until > $at AND o._since <= $at
  RETURN count(*) AS of_owner
}
RETURN id, of_owner,
       CASE WHEN $vector IS NOT NULL AND p._model = $model THEN 2 * vector.similarity.cosine(p._embedding, $vector) - 1 END AS cosine
