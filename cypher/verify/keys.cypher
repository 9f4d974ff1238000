// Returns the key rows of owners.
// mode: read
// params: domain, owners
// returns: owner, kind, type, property, value
UNWIND $owners AS owner
MATCH (k:_Key {_domain: $domain, _owner: owner})
RETURN owner, k._kind AS kind, k._type AS type, k._property AS property, k._value AS value
