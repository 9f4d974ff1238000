// The search windows of these owners.
// mode: read
// params: domain, owners
// returns: owner, type, place, text, grams
UNWIND $owners AS owner
MATCH (w:_Window {_domain: $domain, _owner: owner})
RETURN owner, w._type AS type, w._place AS place, w._text AS text, w._grams AS grams
