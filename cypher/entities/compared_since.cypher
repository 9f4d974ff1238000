// The time at which this database began to compare names with all their signs.
// mode: read
// params: step
// returns: at
MATCH (s:_SchemaStep {_version: $step})
RETURN s._applied AS at
