// Copies the search windows of these owners into a branch, to be indexed there.
// mode: write
// params: source, domain, owners
// returns: copied
UNWIND $owners AS owner
MATCH (w:_Window {_domain: $source, _owner: owner})
CREATE (k:_Window:_NewWindow)
SET k = w { ._owner, ._type, ._place, ._text, _domain: $domain }
RETURN count(*) AS copied
