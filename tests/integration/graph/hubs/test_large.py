"""A hub is deleted, restored and erased. `HUB=100000 pytest -s …/hubs/test_large.py` does it on the default heap."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import AsyncIterator
from uuid import uuid4

import psutil
import pytest

from graph_memory import Memory, Settings, local, open_memory
from graph_memory.memory.changes import paging
from integration.graph.hubs.hub import HUB, ONTOLOGY, make_hub

LINKS = int(os.environ.get("HUB") or 0)
"""Connections of the hub in a long run, on a Neo4j of its own; otherwise there are few, and pages are small."""

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300 + LINKS / 20)]


@pytest.fixture
async def large(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Memory, Settings]]:
    """A memory to make a hub in."""
    if not LINKS:
        monkeypatch.setattr(paging, "AT_ONCE", 20)
        monkeypatch.setattr(paging, "PAGE", 20)
    settings = Settings(home=tmp_path_factory.mktemp("hub") / "home") if LINKS else request.getfixturevalue("settings")
    try:
        async with open_memory(settings) as opened:
            yield opened.in_domain(f"hub-{uuid4().hex[:12]}"), settings
    finally:
        if LINKS:
            local.stop(settings)


@pytest.mark.long
async def test_a_hub_is_deleted_and_taken_back_within_the_default_heap(large: tuple[Memory, Settings]) -> None:
    memory, settings = large
    links = LINKS or 90
    await memory.create_ontology(ONTOLOGY)
    await make_hub(memory, links, neighbours=max(links // 10, 10))
    began = time.monotonic()
    deleted = await memory.delete_node(HUB)
    tell("deleted", began, settings)
    assert deleted.connections == links
    assert (await memory.query_connections(limit=1)).connection_ids == ()
    began = time.monotonic()
    undone = await memory.history.revert(since=deleted.version, until=deleted.version)
    tell("removed", began, settings)
    assert len(undone.changes) + (undone.more_changes or 0) == links + 1
    assert undone.skipped == ()
    assert (await memory.domain_info()).connections == links
    began = time.monotonic()
    assert (await memory.upkeep.verify()).differences == ()
    tell("verified", began, settings)
    began = time.monotonic()
    await memory.history.erase(HUB)
    tell("erased", began, settings)
    assert (await memory.domain_info()).connections == 0


def tell(text: str, began: float, settings: Settings) -> None:
    """Print how long it took, and the memory that the server and this process have had at most."""
    status = local.status(settings)
    server = psutil.Process(status.pid).memory_info().rss // 2**20 if status.pid else 0
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{text}: {time.monotonic() - began:.1f} s; Neo4j {server} MB, this process {own} MB")  # noqa: T201
