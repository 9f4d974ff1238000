"""Entities, observations and relations, addressed by name (a knowledge graph)."""
