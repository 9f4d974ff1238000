"""Exports the entities of a domain in the file format of the official memory server."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import seq_at
from graph_memory.memory.entities.reads import read_graph
from graph_memory.memory.entities.results import KnowledgeGraph
from graph_memory.memory.transfer.archive.export import header_of
from graph_memory.memory.transfer.archive.writer import open_target
from graph_memory.memory.transfer.formats.memories.official import write_official
from graph_memory.memory.transfer.results import GraphExportResult
from graph_memory.progress import Progress


async def export_official(
    core: Core, domain: str, target: Path | str | IO[bytes], progress: Progress
) -> GraphExportResult:
    """Write the entities and relations of a domain. See `Transfer.export_graph`."""
    target = Path(target) if isinstance(target, str) else target
    progress("Reading", None)
    await header_of(core, domain)
    seq = await seq_at(core.store, domain, "at", None)
    graph = await read_graph(core, domain)
    await anyio.to_thread.run_sync(_write, graph, target)
    counts = {"nodes": len(graph.entities), "connections": len(graph.relations)}
    return GraphExportResult(domain=domain, seq=seq, format="official", **counts)


def _write(graph: KnowledgeGraph, target: Path | IO[bytes]) -> None:
    entities, relations = ([entity.to_dict() for entity in entities] for entities in (graph.entities, graph.relations))
    with open_target(target) as stream:
        write_official(entities, relations, stream)
