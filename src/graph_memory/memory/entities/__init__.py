"""Entities with observations, and relations between them, by their names: what agents call a knowledge graph."""
