"""Values, properties and arguments."""
