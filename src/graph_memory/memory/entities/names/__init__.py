"""Resolution of names to entities."""
