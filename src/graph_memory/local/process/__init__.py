"""Starts, identifies and ends the process of the local Neo4j."""
