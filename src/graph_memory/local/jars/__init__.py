"""The jars of Neo4j: which, and how they come here."""
