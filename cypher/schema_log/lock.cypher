// Takes the schema lock until the transaction ends: step 0 is no step, only something to hold.
// mode: write
// params: -
// returns: -
MERGE (s:_SchemaStep {_version: 0})
SET s._locked = true
REMOVE s._locked
