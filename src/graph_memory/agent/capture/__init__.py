"""Events and texts of hooks: storing the spool in the log, summaries of sessions, and briefings."""
