"""Infers connections from others, and finds contradictions."""
