"""The processes of Neo4j."""
