"""Cypher statements of callers."""
