"""The work behind the hooks: storing spooled events in the log, summarising sessions, and writing briefings."""
