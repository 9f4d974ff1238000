"""Archetypes: pure functions, provided by plug-ins, that extract entities and relations from events.

A package provides an archetype as an entry point in the group `graph_memory.archetypes`.
"""

from graph_memory.agent.archetypes.extraction import Archetype, Extraction

__all__ = ["Archetype", "Extraction"]
