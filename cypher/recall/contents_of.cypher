// The texts of the contents of owners, in order, up to a number of passages of each.
// mode: read
// params: domain, owners, at, most
// returns: owner, texts
UNWIND $owners AS owner
RETURN owner, COLLECT {
  MATCH (p:_Passage)
  USING INDEX p:_Passage(_domain, _owner, _until)
  WHERE p._domain = $domain AND p._owner = owner AND p._until > $at AND p._since <= $at AND p._place STARTS WITH 'content/'
  RETURN p._text
  ORDER BY p._order, p._place
  LIMIT $most
} AS texts
