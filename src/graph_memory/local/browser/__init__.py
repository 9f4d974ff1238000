"""Adapts Neo4j Browser to graph-memory."""
