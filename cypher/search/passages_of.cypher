// The passages of owners, up to a limit, with the cosine to a vector.
// mode: read
// params: domain, owners, at, vector, model, limit
// returns: passage
UNWIND $owners AS owner
MATCH (p:_Passage)
USING INDEX p:_Passage(_domain, _owner, _until)
WHERE p._domain = $domain AND p._owner = owner AND p._until > $at AND p._since <= $at
WITH p
LIMIT $limit
RETURN p {
  id: elementId(p), owner: p._owner, owner_kind: p._owner_kind, unit: p._unit, type: p._type, place: p._place, head: p._head,
  text: p._text, date: p._date, created: p._created, valid_from: p._valid_from, valid_to: p._valid_to,
  cosine: CASE WHEN $vector IS NOT NULL AND p._model = $model THEN 2 * vector.similarity.cosine(p._embedding, $vector) - 1 END
} AS passage
