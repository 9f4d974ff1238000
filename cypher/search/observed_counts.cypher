// The number of observations of nodes that have not ended at a time, in microseconds, up to a limit.
// mode: read
// params: domain, nodes, at, ends, most
// returns: node, having
UNWIND $nodes AS node
RETURN node, COUNT {
  MATCH (p:_Passage)
  USING INDEX p:_Passage(_domain, _sequence, _position, _order)
  WHERE p._domain = $domain AND p._sequence = 'owner/' + node AND p._position IS NOT NULL AND p._order IS NOT NULL
    AND p._owner_kind = 'observation' AND p._since <= $at AND p._until > $at AND p._valid_to > $ends
  WITH DISTINCT p._owner AS owner
  LIMIT $most
  RETURN owner
} AS having
