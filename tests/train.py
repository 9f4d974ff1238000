"""Makes Java's AOT cache if there is none, before tests that start many a Neo4j: each then takes 2 seconds, not 8."""

from graph_memory.local.aot.training import make
from graph_memory.local.jars.fetch import class_path
from graph_memory.settings import Settings

settings = Settings(neo4j_heap="512m")
class_path(settings)
make(settings)
