"""Start and stop of a local Neo4j."""
