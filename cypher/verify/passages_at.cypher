// Returns the passages of owners as of a log position.
// mode: read
// params: domain, owners, at
// returns: owner, row
UNWIND $owners AS owner
MATCH (p:_Passage)
WHERE p._domain = $domain AND p._owner = owner AND p._until > $at AND p._since <= $at
RETURN owner, p { .*, _embedding: null, _next_embedding: null } AS row
