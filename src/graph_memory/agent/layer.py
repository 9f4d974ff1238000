"""`Agent`: the memory types of an agent, on the public facades."""

from __future__ import annotations

from graph_memory.agent.episodic import Episodic
from graph_memory.agent.procedural import PatternCache, Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.memory.api.memory import Memory


class Agent:
    """The events, patterns and goals of an agent in a domain. `memory.agent` is one.

    They are nodes and connections of the domain. The first write adds the types of `ontologies/agent.yaml`. Other types
    with the same names stay unchanged.
    """

    def __init__(self, memory: Memory, cache: dict[tuple[str, str], object], domain: str) -> None:
        self._memory = memory
        self._patterns = PatternCache(cache, domain)

    @property
    def episodic(self) -> Episodic:
        """Events, in the order of time."""
        return Episodic(self._memory)

    @property
    def procedural(self) -> Procedural:
        """Patterns that work in a situation or must be avoided there."""
        return Procedural(self._memory, self._patterns)

    @property
    def prospective(self) -> Prospective:
        """Goals, their steps and their blockers."""
        return Prospective(self._memory)
