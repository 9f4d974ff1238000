"""Resolution and download of Neo4j's jars."""
