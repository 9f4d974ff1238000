"""The files of the local Neo4j in a home folder."""
