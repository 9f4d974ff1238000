"""Pruning: archive what exceeds the limits of a domain to a file, and restore it."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

from anyio import to_thread

from graph_memory.agent.results import Pruned, Restored
from graph_memory.agent.retention import Limits, Selection, StoredConnection, StoredNode, selected
from graph_memory.agent.roles import roles_of
from graph_memory.agent.writing import Operation, new_connection
from graph_memory.memory.api.memory import Memory
from graph_memory.model.arguments import fault
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.wording import quoted

MOST = 5_000
"""Maximum number of nodes and connections that one call archives, so that they are one batch."""
_PAGE = 1_000
_EXAMPLES = 20
_LARGEST_ARCHIVE = 2_000_000_000
"""Maximum size of an archive that is read, in bytes before compression."""


async def prune(memory: Memory, limits: Limits, *, dry_run: bool, archive: Path) -> Pruned:
    """Archive what exceeds the limits. See `Agent.prune`."""
    chosen = await _selected(memory, limits)
    everything = [(name, item) for name, ids in asdict(chosen).items() for item in ids]
    items = everything[:MOST]
    kept = [(name, item) for name, item in items if not await _is_protected(memory, name, item)]
    result = Pruned(
        archived=dict(Counter(name for name, _ in kept)),
        examples=await _titles(memory, kept[:_EXAMPLES]),
        protected=len(items) - len(kept) or None,
        left_out=len(everything) - len(items) or None,
        dry_run=dry_run or None,
    )
    deletions = await _deletions(memory, kept)
    if deletions:
        await memory.execute_batch(deletions, options={"dry_run": True})  # nothing is archived if it would be refused
    if dry_run or not kept:
        return result
    lines = [line async for line in _archived(memory, kept)]
    await to_thread.run_sync(_append, archive, lines, "xb")
    batch = await memory.execute_batch(deletions)
    where = {"since": batch.since, "until": batch.until}
    await to_thread.run_sync(_append, archive, [where], "ab")
    return result.model_copy(update={"archive": str(archive), **where})


async def restore(memory: Memory, archive: Path) -> Restored:
    """Restore an archive that `prune` has written. See `Agent.restore`."""
    lines = await to_thread.run_sync(_read, archive)
    last: Mapping[str, Any] = lines[-1] if lines else {}
    if {*last} == {"since", "until"}:
        try:
            reverted = await memory.history.revert(since=last["since"], until=last["until"])
        except GraphError as error:
            if error.code not in (Code.HISTORY_COMPACTED, Code.EVENT_NOT_FOUND):
                raise
        else:
            return Restored(batch=reverted.batch, restored=len(reverted.changes) + (reverted.more_changes or 0))
    batch = await memory.execute_batch([line for line in lines if "op" in line])
    return Restored(batch=batch.batch, restored=batch.created)


async def _selected(memory: Memory, limits: Limits) -> Selection:
    """Read the domain in pages, and return what exceeds the limits."""
    roles = await roles_of(memory)
    names = {name: kind for kind, name in roles.names.items()} if roles else {}
    node_ids = (await memory.query_nodes()).node_ids
    connection_ids = (await memory.query_connections()).connection_ids
    nodes = [
        StoredNode(node.id, names.get(node.type, ""), node.title, str(node.modified), node.properties)
        for page in _pages(node_ids)
        for node in await memory.describe_nodes(page)
    ]
    connections = [
        StoredConnection(
            one.id,
            names.get(one.type, ""),
            one.from_id,
            one.to_id,
            f"{one.from_title} – {one.to_title}",
            one.properties,
        )
        for page in _pages(connection_ids)
        for one in await memory.describe_connections(page)
    ]
    entities = [entity.id for entity in (await memory.entities.get_salient(max(1, len(node_ids)))).entities]
    return selected(nodes, connections, entities, limits, datetime.now(UTC))


def _pages(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE))


async def _is_protected(memory: Memory, name: str, item: str) -> bool:
    """Return whether a node or connection is protected."""
    found = await (memory.get_connection(item) if name == "relations" else memory.get_node(item))
    return found.protection is not None


async def _deletions(memory: Memory, items: Sequence[tuple[str, str]]) -> list[Operation]:
    """Return the operations that delete items: relations first, since a node takes its connections with it."""
    relations = [item for name, item in items if name == "relations"]
    entities = [item for name, item in items if name == "entities"]
    nodes = [item for name, item in items if name not in ("relations", "entities")]
    operations: list[Operation] = [{"op": "delete_connection", "connection_id": item} for item in relations]
    if entities:
        found = (await memory.entities.open_nodes(entities, detail=True)).entities
        operations.append({"op": "delete_entities", "entityNames": [entity.name for entity in found]})
    return [*operations, *({"op": "delete_node", "node_id": item} for item in nodes)]


async def _titles(memory: Memory, items: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    nodes = await memory.describe_nodes([item for name, item in items if name != "relations"])
    relations = await memory.describe_connections([item for name, item in items if name == "relations"])
    titles = [f"{node.type} {quoted(node.title)}" for node in nodes]
    return (*titles, *(f"{one.type} from {quoted(one.from_title)} to {quoted(one.to_title)}" for one in relations))


async def _archived(memory: Memory, items: Sequence[tuple[str, str]]) -> AsyncIterator[Operation]:
    """Yield the operations that create the items again: nodes, then entities, then their connections."""
    entities = [item for name, item in items if name == "entities"]
    nodes = [item for name, item in items if name not in ("entities", "relations")]
    for node_id in nodes:
        info, content = await memory.get_node(node_id), await memory.get_node_content(node_id)
        yield {
            "op": "create_node",
            "id": node_id,
            "type": info.type,
            "title": info.title,
            "content": content.content,
            "format": content.format,
            "encoding": content.encoding,
            "properties": info.properties,
        }
    graph = await memory.entities.open_nodes(entities, detail=True) if entities else None
    for entity in graph.entities if graph else ():
        fields = {"name": entity.name, "entityType": entity.entity_type, "properties": entity.properties or {}}
        yield {"op": "create_entities", "entities": [{**fields, "observations": [*entity.observations]}]}
    relations = [item for name, item in items if name == "relations"]
    for connection in dict.fromkeys([*await _around(memory, [*nodes, *entities]), *relations]):
        [found] = await memory.describe_connections([connection])
        if {found.from_id, found.to_id} & {*entities}:  # an entity gets another id
            relation = {"from": found.from_title, "to": found.to_title, "type": found.type}
            yield {"op": "create_relations", "relations": [{**relation, "properties": found.properties}]}
        else:
            new = new_connection(found.type, found.from_id, found.to_id)
            yield {**new, "id": connection, "properties": found.properties}


async def _around(memory: Memory, nodes: Sequence[str]) -> list[str]:
    """Return the ids of the connections of nodes."""
    found: list[str] = []
    for node in nodes:
        for side in ("from_node_id", "to_node_id"):
            found += (await memory.query_connections(**cast("Any", {side: node}))).connection_ids
    return found


def _append(path: Path, lines: Iterable[Mapping[str, object]], mode: Literal["xb", "ab"]) -> None:
    """Write lines to a new archive (`xb`), or to the end of one, and wait until they are on the disk.

    Raises FILE_CREATION_FAILED.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode) as file:
            with gzip.open(file, "wt", encoding="utf-8") as text:
                text.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        message = f"The archive {quoted(str(path))} cannot be written: {error.strerror}"
        hint = "Give the path of a new file in a folder that you can write to."
        raise GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint}) from error


def _read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of an archive. Raises INVALID_ARCHIVE."""
    with suppress(OSError, EOFError, ValueError, TypeError):
        with gzip.open(path, "rt", encoding="utf-8") as text:
            lines = [json.loads(line) for line in text.read(_LARGEST_ARCHIVE).splitlines()]
        if lines and all(isinstance(line, dict) for line in lines):
            return lines
    hint = "Give the path of an archive that prune has returned."
    raise GraphError(Code.INVALID_ARCHIVE, f"{quoted(str(path))} is not an archive of pruned memories", {"hint": hint})


def archive_path(folder: Path, domain: str) -> Path:
    """Return the path of a new archive."""
    at = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    return folder / f"{domain}-pruned-{at}.jsonl.gz"


def checked_path(path: Path | str) -> Path:
    """Return the path of an archive. Raises INVALID_ARGUMENT for an empty path."""
    if not str(path).strip():
        raise fault("archive", "The path of the archive is empty", "Give the path of a file.")
    return Path(path).expanduser()
