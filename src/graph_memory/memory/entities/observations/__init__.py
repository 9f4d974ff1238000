"""Resolution of texts to observations, and moving observations."""
