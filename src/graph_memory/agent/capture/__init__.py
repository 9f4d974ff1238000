"""The server's part of the hooks: stores spooled events, summarises sessions, and writes briefings."""
