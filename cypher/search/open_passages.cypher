// The current passages of owners.
// mode: read
// params: domain, owners, open
// returns: owner, row
UNWIND $owners AS owner
MATCH (p:_Passage {_domain: $domain, _owner: owner, _until: $open})
RETURN owner, p { .*, _embedding: null, _next_embedding: null, _text: p._text } AS row
