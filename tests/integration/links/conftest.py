"""Two domains with nodes of the same type, one of them linked to the other by a test."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

import pytest

from graph_memory import Memory, ontology_from

DECLARED = {"node_types": ["Note"], "connection_types": [{"name": "Link", "from_types": ["*"], "to_types": ["*"]}]}


@dataclass(frozen=True)
class Pair:
    """A domain with the node `a`, and another one with the node `b`."""

    first: Memory
    other: Memory
    a: str
    b: str

    @property
    def names(self) -> tuple[str, str]:
        """The names of both domains."""
        return self.first._domain(None), self.other._domain(None)

    async def clean(self) -> bool:
        """Return whether both logs and graphs agree."""
        return all([(await memory.upkeep.verify()).clean for memory in (self.first, self.other)])


@pytest.fixture
async def pair(memory: Memory) -> Pair:
    """Two domains, not linked yet."""
    other = memory.in_domain(f"test-{uuid4().hex[:20]}")
    for domain_memory in (memory, other):
        await domain_memory.create_ontology(ontology_from(DECLARED))
    a = await memory.create_node("Note", "Anna keeps bees.")
    b = await other.create_node("Note", "How to keep bees through the winter.")
    return Pair(memory, other, a.node_id, b.node_id)
