"""Neo4j Browser, adapted to graph-memory."""
