"""The log: events are appended and projected in one transaction."""
