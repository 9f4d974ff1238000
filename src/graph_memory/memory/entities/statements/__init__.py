"""Two statements about one thing compared: whether the new one is known, or makes the known one doubtful."""
