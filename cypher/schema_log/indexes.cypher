// All indexes of the database, those of constraints among them, each with its state.
// mode: read
// params: -
// returns: name, state, is_constraint
SHOW INDEXES YIELD name, state, owningConstraint
RETURN name, state, owningConstraint IS NOT NULL AS is_constraint
