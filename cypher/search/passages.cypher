// Passages with the number of passages of their owners, up to `most`, and the cosine between their vector and a given
// vector.
// mode: read
// params: ids, vector, model, at, most
// returns: id, head, text, date, owner, owner_kind, unit, type, place, created, valid_from, valid_to, of_owner, cosine
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
RETURN elementId(p) AS id, p._head AS head, p._text AS text, p._date AS date, owner, p._owner_kind AS owner_kind,
       p._unit AS unit, p._type AS type, p._place AS place, p._created AS created, p._valid_from AS valid_from,
       p._valid_to AS valid_to, of_owner,
       CASE WHEN $vector IS NOT NULL AND p._model = $model THEN 2 * vector.similarity.cosine(p._embedding, $vector) - 1 END AS cosine
