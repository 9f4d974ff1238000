"""Resolves and downloads the jars of Neo4j."""
