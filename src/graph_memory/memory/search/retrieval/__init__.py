"""Reading of candidates from the index."""
