// The indexes with these names, including indexes of constraints, each with its state.
// mode: read
// params: names
// returns: name, state, is_constraint
SHOW INDEXES YIELD name, state, owningConstraint
WHERE name IN $names
RETURN name, state, owningConstraint IS NOT NULL AS is_constraint
