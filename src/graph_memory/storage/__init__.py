"""Stores data in Neo4j and in the blob store. No other package persists the data of domains."""
