"""Pure domain model: values, rules and events, without I/O."""
