// The vectors of the owners' passages by a model at a log position, up to a maximum per owner.
// mode: read
// params: domain, owners, model, at, most
// returns: owner, vectors
UNWIND $owners AS owner
CALL (owner) {
  MATCH (p:_Passage)
  USING INDEX p:_Passage(_domain, _owner, _until)
  WHERE p._domain = $domain AND p._owner = owner AND p._until > $at AND p._since <= $at AND p._model = $model
    AND p._embedding IS NOT NULL
  WITH p
  ORDER BY p._sequence, p._position
  LIMIT $most
  RETURN collect(p._embedding) AS vectors
}
RETURN owner, vectors
