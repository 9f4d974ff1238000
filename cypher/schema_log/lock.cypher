// Takes the schema lock until the transaction ends: step 0 is no step, only something to hold. It also bears the
// database's own id.
// mode: write
// params: -
// returns: -
MERGE (s:_SchemaStep {_version: 0})
SET s._store = coalesce(s._store, randomUUID())
