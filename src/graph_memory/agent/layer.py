"""`Agent`: the memory types of an agent, each a part of one domain, read and written through the public facades."""

from __future__ import annotations

from graph_memory.agent.episodic import Episodic
from graph_memory.agent.procedural import PatternCache, Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.memory.api.memory import Memory


class Agent:
    """What an agent keeps of its own work. `memory.agent` is one.

    Everything is nodes, connections and observations of the domain. A domain without the types of
    `ontologies/agent.yaml` gets them with the first write; types of its own by these names stay as they are.
    """

    def __init__(self, memory: Memory, kept: dict[tuple[str, str], object], domain: str) -> None:
        self._memory = memory
        self._patterns = PatternCache(kept, domain)

    @property
    def episodic(self) -> Episodic:
        """What happened, in order."""
        return Episodic(self._memory)

    @property
    def procedural(self) -> Procedural:
        """What works in a situation, and what must be avoided there."""
        return Procedural(self._memory, self._patterns)

    @property
    def prospective(self) -> Prospective:
        """What is to be done, and what stands in its way."""
        return Prospective(self._memory)
