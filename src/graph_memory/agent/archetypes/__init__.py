"""Archetypes: plug-ins that extract entities and relations from events. An archetype is a pure function.

An installed package offers one under the entry point group `graph_memory.archetypes`.
"""

from graph_memory.agent.archetypes.extraction import Archetype, Extraction

__all__ = ["Archetype", "Extraction"]
