// Who holds which of these property values within a type.
// mode: read
// params: domain, kind, type, keys
// returns: property, owner
UNWIND $keys AS key
MATCH (k:_Key {_domain: $domain, _kind: $kind, _type: $type, _property: key.property, _value: key.value})
RETURN k._property AS property, k._owner AS owner
