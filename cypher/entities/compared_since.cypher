// The time since which this database compares names with all their characters.
// mode: read
// params: step
// returns: at
MATCH (s:_SchemaStep {_version: $step})
RETURN s._applied AS at
