"""Neo4j and the service in containers; `make test-container` says which images."""
