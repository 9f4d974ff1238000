"""What hooks capture and show: the spool's way into the log, summaries of sessions, and briefings."""
