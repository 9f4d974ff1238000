"""Pruning: archive what exceeds the limits of a domain to a file, and restore it."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from anyio import to_thread

from graph_memory.agent.results import Pruned, Restored
from graph_memory.agent.retention import Limits, Selection, StoredConnection, StoredNode, selected
from graph_memory.agent.roles import roles_of
from graph_memory.agent.writing import Operation, new_connection
from graph_memory.memory.api.memory import Memory
from graph_memory.model.arguments import fault
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ConnectionSummary, NodeSummary
from graph_memory.model.wording import quoted

MOST = 5_000
"""Maximum number of nodes and connections that one call archives, so that they are one batch."""
_PAGE = 1_000
_EXAMPLES = 20
_CREATES = frozenset({"create_node", "create_entities", "create_relations", "create_connection"})
"""The operations of an archive."""
_TRAILER = frozenset({"batch", "since", "until"})
"""The keys of its last line, which names the batch that deleted its nodes and connections."""
_LARGEST_ARCHIVE = 2_000_000_000
"""Maximum size of an archive that is read, in characters before compression."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """The nodes and connections of a domain, by id."""

    nodes: Mapping[str, NodeSummary]
    connections: Mapping[str, ConnectionSummary]

    def title(self, item: str) -> str:
        """Return a node or connection in words."""
        if node := self.nodes.get(item):
            return f"{node.type} {quoted(node.title)}"
        found = self.connections[item]
        return f"{found.type} from {quoted(found.from_title)} to {quoted(found.to_title)}"


async def prune(memory: Memory, limits: Limits, *, dry_run: bool, archive: Path) -> Pruned:
    """Archive what exceeds the limits. See `Agent.prune`."""
    contents = await _contents(memory)
    chosen = await _selected(memory, contents, limits)
    everything = [(name, item) for name, ids in asdict(chosen).items() for item in ids]
    items = everything[:MOST]
    kept = [(name, item) for name, item in items if not await _is_protected(memory, name, item)]
    result = Pruned(
        archived=dict(Counter(name for name, _ in kept)),
        examples=tuple(contents.title(item) for _, item in kept[:_EXAMPLES]),
        protected=len(items) - len(kept) or None,
        left_out=len(everything) - len(items) or None,
        dry_run=dry_run or None,
    )
    deletions = await _deletions(memory, kept)
    if deletions:
        await memory.execute_batch(deletions, options={"dry_run": True})  # nothing is archived if it would be refused
    if dry_run or not kept:
        return result
    lines = [line async for line in _archived(memory, contents, kept)]
    await to_thread.run_sync(_append, archive, lines, "xb")
    batch = await memory.execute_batch(deletions)
    where = {"since": batch.since, "until": batch.until}
    await to_thread.run_sync(_append, archive, [{"batch": batch.batch, **where}], "ab")
    return result.model_copy(update={"archive": str(archive), **where})


async def restore(memory: Memory, archive: Path) -> Restored:
    """Restore an archive that `prune` has written. See `Agent.restore`."""
    lines = await to_thread.run_sync(_read, archive)
    batch = lines.pop() if "batch" in lines[-1] else {}
    if batch and await _has_batch(memory, batch):
        reverted = await memory.history.revert(since=batch["since"], until=batch["until"])
        return Restored(batch=reverted.batch, restored=len(reverted.changes) + (reverted.more_changes or 0))
    created = [await memory.execute_batch(lines[start : start + MOST]) for start in range(0, len(lines), MOST)]
    return Restored(batch=created[0].batch, restored=sum(part.created for part in created))


async def _has_batch(memory: Memory, batch: Mapping[str, Any]) -> bool:
    """Return whether the log of the domain has the batch of an archive. Another domain has other changes there."""
    try:
        [first] = (await memory.history.log(since=batch["since"], until=batch["since"])).entries
    except (GraphError, ValueError) as error:
        if isinstance(error, GraphError) and error.code is not Code.HISTORY_COMPACTED:
            raise
        return False
    return first.id == batch["batch"]


async def _contents(memory: Memory) -> _Contents:
    """Read the nodes and connections of the domain in pages."""
    node_ids = (await memory.query_nodes()).node_ids
    connection_ids = (await memory.query_connections()).connection_ids
    nodes = [node for page in _pages(node_ids) for node in await memory.describe_nodes(page)]
    links = [link for page in _pages(connection_ids) for link in await memory.describe_connections(page)]
    return _Contents({node.id: node for node in nodes}, {link.id: link for link in links})


async def _selected(memory: Memory, contents: _Contents, limits: Limits) -> Selection:
    """Return what exceeds the limits."""
    roles = await roles_of(memory)
    names = {name: kind for kind, name in roles.names.items()} if roles else {}
    nodes = [
        StoredNode(node.id, names.get(node.type, ""), str(node.modified), node.properties)
        for node in contents.nodes.values()
    ]
    connections = [
        StoredConnection(link.id, names.get(link.type, ""), link.from_id, link.to_id, link.properties)
        for link in contents.connections.values()
    ]
    has_excess = len(nodes) > limits.entities or len(connections) > limits.relations
    salient = (await memory.entities.get_salient(len(nodes))).entities if nodes and has_excess else ()
    return selected(nodes, connections, [entity.id for entity in salient], limits, datetime.now(UTC))


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


async def _archived(memory: Memory, contents: _Contents, items: Sequence[tuple[str, str]]) -> AsyncIterator[Operation]:
    """Yield the operations that create the items again: nodes, then entities, then their connections."""
    entities = {item for name, item in items if name == "entities"}
    relations = {item for name, item in items if name == "relations"}
    gone = {item for _, item in items}
    for node_id in [item for _, item in items if item not in entities | relations]:
        node, content = contents.nodes[node_id], await memory.get_node_content(node_id)
        yield {
            "op": "create_node",
            "id": node_id,
            "type": node.type,
            "title": node.title,
            "content": content.content,
            "format": content.format,
            "encoding": content.encoding,
            "properties": node.properties,
        }
    for entity in (await memory.entities.open_nodes([*entities], detail=True)).entities if entities else ():
        fields = {"name": entity.name, "entityType": entity.entity_type, "properties": entity.properties or {}}
        yield {"op": "create_entities", "entities": [{**fields, "observations": [*entity.observations]}]}
    for found in contents.connections.values():
        if not {found.id, found.from_id, found.to_id} & gone:
            continue
        if {found.from_id, found.to_id} & entities:  # an entity gets another id
            relation = {"from": found.from_title, "to": found.to_title, "type": found.type}
            yield {"op": "create_relations", "relations": [{**relation, "properties": found.properties}]}
        else:
            new = new_connection(found.type, found.from_id, found.to_id)
            yield {**new, "id": found.id, "properties": found.properties}


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
    with suppress(OSError, EOFError, ValueError, TypeError, KeyError, zlib.error, RecursionError):
        with gzip.open(path, "rt", encoding="utf-8") as text:
            lines = [json.loads(line) for line in text.read(_LARGEST_ARCHIVE).splitlines()]
        operations = lines[:-1] if lines and {*lines[-1]} == {*_TRAILER} else lines
        if operations and all(line["op"] in _CREATES for line in operations):
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
