"""Neo4j Browser, prepared for the memory."""
