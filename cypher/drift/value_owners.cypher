// Who has these values of unique properties.
// mode: read
// params: domain, rows
// returns: kind, type, property, value, owner
UNWIND $rows AS row
MATCH (k:_Key {_domain: $domain, _kind: row.kind, _type: row.type, _property: row.property, _value: row.value})
RETURN k._kind AS kind, k._type AS type, k._property AS property, k._value AS value, k._owner AS owner
