// Who has the values of unique properties that subjects would get back.
// mode: read
// params: domain, rows
// returns: subject, owner
UNWIND $rows AS row
MATCH (k:_Key {_domain: $domain, _kind: row.kind, _type: row.type, _property: row.property, _value: row.value})
WHERE k._owner <> row.subject
RETURN row.subject AS subject, k._owner AS owner
