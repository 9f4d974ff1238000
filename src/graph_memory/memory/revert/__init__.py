"""Undoes changes by writing earlier states as new events."""
