"""Points in time and in the log."""
