"""What an event can be about."""
