"""A small hub: pages hold five events, and a transaction takes ten."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from graph_memory import Memory
from graph_memory.memory.changes import paging
from graph_memory.memory.retention import erasure
from integration.graph.hubs.hub import ONTOLOGY


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have transactions take little, so that few connections are many."""
    monkeypatch.setattr(paging, "AT_ONCE", 10)
    monkeypatch.setattr(paging, "PAGE", 5)
    monkeypatch.setattr(erasure, "PAGE", 5)


@pytest.fixture
async def web(memory: Memory, small_pages: None) -> AsyncIterator[Memory]:
    """A domain with types; whatever a test does in it, graph and log agree afterwards."""
    await memory.create_ontology(ONTOLOGY)
    yield memory
    assert (await memory.upkeep.verify()).differences == ()
