// Returns the key rows of owners, in one list.
// mode: read
// params: domain, owners
// returns: found
UNWIND $owners AS owner
MATCH (k:_Key {_domain: $domain, _owner: owner})
RETURN collect([k._owner, k._kind, k._type, k._property, k._value]) AS found
