"""The graph of a police investigation, loaded once: `make detective GRAPH=folder`. Else nothing is collected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_memory import Settings, SyncMemory, open_memory_sync

GRAPH = os.environ.get("GRAPH")
collect_ignore_glob = [] if GRAPH else ["test_*"]


@pytest.fixture(scope="session")
def case(settings: Settings) -> Iterator[SyncMemory]:
    """The graph in a domain of its own, with its words indexed: no question needs vectors."""
    folder = Path(GRAPH or "")
    if not folder.is_dir():
        pytest.fail(f"There is no folder {folder}: give that of the pole graph, as in make detective GRAPH=folder")
    with open_memory_sync(settings.model_copy(update={"embeddings": "off"})) as opened:
        memory = opened.in_domain("pole")
        memory.transfer.load(folder, ontology="infer")
        memory.upkeep.reindex(anew=False)
        yield memory
