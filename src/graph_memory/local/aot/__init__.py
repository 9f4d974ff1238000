"""Java's ahead-of-time (AOT) cache, which makes Neo4j start faster."""
