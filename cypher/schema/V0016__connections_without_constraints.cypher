// Connections are found by the ends in their last event, so their types need no constraints. The constraints of older
// versions are dropped after the steps, because their names depend on the types.
