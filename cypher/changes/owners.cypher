// Who has values of unique properties.
// mode: read
// params: domain, rows
// returns: kind, type, property, value, owner
UNWIND $rows AS row
MATCH (k:_Key {_domain: $domain, _kind: row.kind, _type: row.type, _property: row.property, _value: row.value})
RETURN row.kind AS kind, row.type AS type, row.property AS property, row.value AS value, k._owner AS owner
