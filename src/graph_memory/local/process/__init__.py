"""Processes of Neo4j."""
