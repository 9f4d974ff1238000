"""Traverses connections: walks, paths, neighbours and communities."""
