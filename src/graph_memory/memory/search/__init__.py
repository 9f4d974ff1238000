"""Index and query of everything that can be searched."""
