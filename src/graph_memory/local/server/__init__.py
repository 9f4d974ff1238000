"""Starts and stops the local Neo4j."""
