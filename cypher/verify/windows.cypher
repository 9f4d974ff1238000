// Returns the search windows of owners, and whether they wait to be indexed.
// mode: read
// params: domain, owners
// returns: owner, type, place, text, grams, is_new
UNWIND $owners AS owner
MATCH (w:_Window {_domain: $domain, _owner: owner})
RETURN owner, w._type AS type, w._place AS place, w._text AS text, w._grams AS grams, w:_NewWindow AS is_new
