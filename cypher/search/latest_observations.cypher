// The latest observations of nodes that have not ended at a time, in microseconds, up to `most` per node, with the cosine of
// their vectors.
// mode: read
// params: domain, nodes, at, ends, vector, model, most
// returns: node, passages
UNWIND $nodes AS node
RETURN node, COLLECT {
  MATCH (p:_Passage)
  USING INDEX p:_Passage(_domain, _sequence, _position, _order)
  WHERE p._domain = $domain AND p._sequence = 'owner/' + node AND p._position IS NOT NULL AND p._order IS NOT NULL
    AND p._owner_kind = 'observation' AND p._since <= $at AND p._until > $at AND p._valid_to > $ends
  WITH p
  ORDER BY p._position DESC, p._order DESC
  LIMIT $most
  RETURN p {
    id: elementId(p), owner: p._owner, owner_kind: p._owner_kind, unit: p._unit, type: p._type, place: p._place, head: p._head,
    text: p._text, date: p._date, created: p._created, valid_from: p._valid_from, valid_to: p._valid_to,
    cosine: CASE WHEN $vector IS NOT NULL AND p._model = $model THEN 2 * vector.similarity.cosine(p._embedding, $vector) - 1 END
  } AS passage
} AS passages
