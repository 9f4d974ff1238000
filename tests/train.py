"""Makes Java's AOT cache if there is none, before tests that start many a Neo4j: each then takes 2 seconds, not 8."""

from __future__ import annotations

import time

from graph_memory.local.aot.fast_start import cache_of
from graph_memory.local.aot.training import make_cache
from graph_memory.local.jars.fetch import class_path
from graph_memory.settings import Settings

settings = Settings(neo4j_heap="512m")
class_path(settings)
cache = cache_of(settings)
while cache and cache.is_being_made():  # in the background, after somebody's first start
    time.sleep(1)
make_cache(settings)
