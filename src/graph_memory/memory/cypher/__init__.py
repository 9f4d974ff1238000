"""Cypher statements that callers pass."""
