// Takes the schema lock until the transaction ends, on the node of step 0. That node also contains the id of the
// database.
// mode: write
// params: -
// returns: -
MERGE (s:_SchemaStep {_version: 0})
SET s._store = coalesce(s._store, randomUUID())
