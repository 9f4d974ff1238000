// The observations of a node that have current passages.
// mode: read
// params: domain, node, open
// returns: owner
MATCH (p:_Passage)
USING INDEX p:_Passage(_domain, _sequence, _position, _order)
WHERE p._domain = $domain AND p._sequence = 'owner/' + $node AND p._position IS NOT NULL AND p._order IS NOT NULL
  AND p._until = $open AND p._owner_kind = 'observation'
RETURN DISTINCT p._owner AS owner
