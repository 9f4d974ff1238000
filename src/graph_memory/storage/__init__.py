"""Neo4j and blobs: the only room that keeps anything."""
