// The unique id of the database.
// mode: read
// params: -
// returns: store
MATCH (s:_SchemaStep {_version: 0})
RETURN s._store AS store
