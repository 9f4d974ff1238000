"""History: the log in words, diffs, and past states."""
