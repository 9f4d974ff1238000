"""Storage in Neo4j and the blob store. No other package persists domain data."""
