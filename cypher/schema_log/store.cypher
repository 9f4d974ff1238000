// The database's own id, by which it is told from every other.
// mode: read
// params: -
// returns: store
MATCH (s:_SchemaStep {_version: 0})
RETURN s._store AS store
