"""Which entity a name means."""
