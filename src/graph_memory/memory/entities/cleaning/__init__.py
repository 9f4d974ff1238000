"""Cleanup of entities: duplicates, merges, orphans and graph health."""
