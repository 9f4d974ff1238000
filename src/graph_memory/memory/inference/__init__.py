"""Infers connections from existing connections, and lists contradictions."""
