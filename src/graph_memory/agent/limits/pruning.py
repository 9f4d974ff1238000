"""Pruning: moves the nodes and connections beyond a domain's limits to an archive file, and restores them."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from anyio import to_thread

from graph_memory.agent.limits.retention import MOST_ITEMS, Limits, Selection, StoredConnection, StoredNode, select
from graph_memory.agent.records.roles import roles_of
from graph_memory.agent.records.writing import Operation
from graph_memory.agent.results import PruneResult, RestoreResult
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.batch.references import escape_id
from graph_memory.memory.batch.results import BatchResult
from graph_memory.memory.entities.results import Entity, Profile
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ConnectionSummary, NodeSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

_PAGE_SIZE = 1_000
_MAX_EXAMPLES = 20
_ARCHIVE_OPERATIONS = frozenset({"create_node", "create_entities", "create_relations", "create_connection"})
"""The operations that an archive may contain."""
_TRAILER_KEYS = frozenset({"batch", "since", "until"})
"""The keys of the last line of an archive. The line identifies the batch that deleted the archived items."""
_MAX_ARCHIVE_CHARACTERS = 2_000_000_000
"""Maximum number of characters of an archive before compression."""


@dataclass(frozen=True, slots=True)
class _DomainContents:
    """A domain's nodes, connections and entities by id. Entities with the highest salience come first."""

    nodes: Mapping[str, NodeSummary]
    connections: Mapping[str, ConnectionSummary]
    entities: Mapping[str, Profile]

    def title(self, item: str) -> str:
        """Return the type and title of a node, or the type and endpoints of a connection, for messages."""
        if node := self.nodes.get(item):
            return f"{node.type} {quote(node.title)}"
        connection = self.connections[item]
        return f"{connection.type} from {quote(connection.from_title)} to {quote(connection.to_title)}"

    def adjacent_to(self, items: Collection[str]) -> set[str]:
        """Return the ids of connections that are in `items` or attached to one of them, and ids of their endpoints."""
        adjacent: set[str] = set()
        for link in self.connections.values():
            ids = {link.id, link.from_id, link.to_id}
            if not ids.isdisjoint(items):
                adjacent |= ids
        return adjacent


async def prune(memory: Memory, limits: Limits, *, dry_run: bool, archive: Path) -> PruneResult:
    """Archive the nodes and connections beyond the limits. See `Agent.prune`."""
    contents = await _read_contents(memory, limits)
    selection, protected = await _select_deletable(memory, contents, limits)
    result = PruneResult(
        archived={name: len(ids) for name, ids in _ids_by_type(selection) if ids},
        examples=tuple(contents.title(item) for _, ids in _ids_by_type(selection) for item in ids)[:_MAX_EXAMPLES],
        protected=protected or None,
        left_out=selection.left_out or None,
        dry_run=dry_run or None,
    )
    if dry_run or not result.archived:
        return result
    lines = [line async for line in _archive_lines(memory, contents, selection)]
    await to_thread.run_sync(_append_lines, archive, lines, "xb")
    batch = await memory.execute_batch(_deletions(contents, selection))
    event_range = {"since": batch.since, "until": batch.until}
    await to_thread.run_sync(_append_lines, archive, [{"batch": batch.batch, **event_range}], "ab")
    return result.model_copy(update={"archive": str(archive), **event_range})


async def restore(memory: Memory, archive: Path) -> RestoreResult:
    """Restore the contents of an archive written by `prune`. See `Agent.restore`."""
    lines = await to_thread.run_sync(_read_archive, archive)
    batch = lines.pop() if "batch" in lines[-1] else {}
    if batch and await _has_batch(memory, batch):
        reverted = await memory.history.revert(since=batch["since"], until=batch["until"])
        return RestoreResult(batch=reverted.batch, restored=len(reverted.changes) + (reverted.more_changes or 0))
    ids: dict[str, str] = {}
    parts: list[BatchResult] = []
    for start in range(0, len(lines), MOST_ITEMS):
        part = await memory.execute_batch([_with_new_ids(line, ids) for line in lines[start : start + MOST_ITEMS]])
        ids |= {item.ref: item.id for item in part.results if item.ref and item.id}
        parts.append(part)
    return RestoreResult(batch=parts[0].batch, restored=sum(part.created for part in parts))


def _with_new_ids(line: Operation, ids: Mapping[str, str]) -> Operation:
    """Return the operation with its references to entities of earlier batches replaced by their new ids."""
    ends = {key: ids.get(str(line[key])[1:]) for key in ("from_node_id", "to_node_id") if key in line}
    return {**line, **{key: end for key, end in ends.items() if end}}


async def _has_batch(memory: Memory, batch: Mapping[str, Any]) -> bool:
    """Return whether the domain's log still has the batch that deleted the archived items.

    Returns False if the archive is from another domain.
    """
    try:
        [first_entry] = (await memory.history.log(since=batch["since"], until=batch["since"])).entries
    except (GraphError, ValueError) as error:
        if isinstance(error, GraphError) and error.code is not Code.HISTORY_COMPACTED:
            raise
        return False
    return first_entry.id == batch["batch"]


async def _read_contents(memory: Memory, limits: Limits) -> _DomainContents:
    """Read the domain's nodes and connections in pages. Reads entities only if a limit needs them."""
    node_ids = (await memory.query_nodes()).node_ids
    connection_ids = (await memory.query_connections()).connection_ids
    nodes = [node for page in _pages(node_ids) for node in await memory.describe_nodes(page)]
    links = [link for page in _pages(connection_ids) for link in await memory.describe_connections(page)]
    needs_entities = len(nodes) > limits.entities or len(links) > limits.relations
    salient_entities = (await memory.entities.get_salient(len(nodes))).entities if nodes and needs_entities else ()
    return _DomainContents(
        {node.id: node for node in nodes},
        {link.id: link for link in links},
        {entity.id: entity for entity in salient_entities},
    )


async def _select_deletable(memory: Memory, contents: _DomainContents, limits: Limits) -> tuple[Selection, int]:
    """Return the items beyond the limits that can be deleted, and the number of items that are protected."""
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
    observations = {entity.id: len(entity.observations) for entity in contents.entities.values()}
    protected: dict[str, bool] = {}
    while True:
        protected_ids = {item for item, is_protected in protected.items() if is_protected}
        undeletable = protected_ids | contents.adjacent_to(protected_ids)
        selection = select(nodes, connections, observations, limits, datetime.now(UTC), undeletable=undeletable)
        operations = _deletions(contents, selection)
        try:
            _ = operations and await memory.execute_batch(operations, options={"dry_run": True})
        except GraphError as error:
            items = {item for _, ids in _ids_by_type(selection) for item in ids}
            unchecked = (items | contents.adjacent_to(items)) - protected.keys()
            if error.code is not Code.PROTECTED or not unchecked:
                raise
            protected |= {item: await _is_protected(memory, contents, item) for item in unchecked}
        else:
            return selection, len(protected_ids)


def _ids_by_type(selection: Selection) -> list[tuple[str, tuple[str, ...]]]:
    return [(limit.name, getattr(selection, limit.name)) for limit in fields(Limits)]


def _pages(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + _PAGE_SIZE] for start in range(0, len(ids), _PAGE_SIZE))


async def _is_protected(memory: Memory, contents: _DomainContents, item: str) -> bool:
    subject = await (memory.get_node(item) if item in contents.nodes else memory.get_connection(item))
    return subject.protection is not None


def _deletions(contents: _DomainContents, selection: Selection) -> list[Operation]:
    """Return the operations that delete the selection. Relations come first, since deleting a node deletes them too."""
    names = [contents.entities[entity].name for entity in selection.entities]
    nodes = (*selection.events, *selection.patterns, *selection.documents)
    return [
        *({"op": "delete_connection", "connection_id": relation} for relation in selection.relations),
        *([{"op": "delete_entities", "entityNames": names}] if names else []),
        *({"op": "delete_node", "node_id": node} for node in nodes),
    ]


async def _archive_lines(memory: Memory, contents: _DomainContents, selection: Selection) -> AsyncIterator[Operation]:
    """Yield the operations that create the items again: nodes, then entities, then connections.

    Restored entities get new ids. So connections refer to an entity as `$mem_…`, by its old id.
    """
    for node_id in (*selection.events, *selection.patterns, *selection.documents):
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
    entities = {*selection.entities}
    opened = (await memory.entities.open_nodes([*entities], detail=True)).entities if entities else ()
    for entity in opened:
        yield {"op": "create_entities", "entities": [{**_entity_fields(entity, contents), "ref": str(entity.id)}]}
    deleted = {item for _, ids in _ids_by_type(selection) for item in ids}
    for link in contents.connections.values():
        if {link.from_id, link.to_id} <= contents.entities.keys() and {link.from_id, link.to_id} & entities:
            relation = {"from": link.from_title, "to": link.to_title, "type": link.type, "properties": link.properties}
            yield {"op": "create_relations", "relations": [relation]}
        elif {link.id, link.from_id, link.to_id} & deleted:
            ends = {"from_node_id": link.from_id, "to_node_id": link.to_id}
            ends = {key: f"${end}" if end in entities else escape_id(end) for key, end in ends.items()}
            operation = {"op": "create_connection", "type": link.type, "id": link.id, "properties": link.properties}
            yield {**operation, **ends}


def _entity_fields(entity: Entity, contents: _DomainContents) -> Operation:
    """Return the fields of an entity and its observations in the form that `create_entities` takes."""
    profile = contents.entities[str(entity.id)]
    observations = [
        {"text": detail.text, "time": detail.ts.isoformat(), "source": detail.source, "confidence": detail.confidence}
        for detail in entity.observation_details or ()
    ]
    values = [{key: value for key, value in observation.items() if value is not None} for observation in observations]
    fields = {"name": entity.name, "type": entity.entity_type, "properties": entity.properties or {}}
    description = {"description": profile.description} if profile.description else {}
    return {**fields, **description, "observations": values}


def _append_lines(path: Path, lines: Iterable[Mapping[str, object]], mode: Literal["xb", "ab"]) -> None:
    """Write lines to a new archive (`xb`), or append them (`ab`), and sync the file.

    Raises FILE_CREATION_FAILED if the file cannot be written, or already exists (`xb`).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode) as file:
            with gzip.open(file, "wt", encoding="utf-8") as text:
                text.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        message = f"The archive {quote(str(path))} cannot be written: {error.strerror}"
        hint = "Pass the path of a new file in a folder that you can write to."
        raise GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint}) from error


def _read_archive(path: Path) -> list[dict[str, Any]]:
    """Return the lines of an archive. Raises INVALID_ARCHIVE if the file is not an archive or cannot be read."""
    with suppress(OSError, EOFError, ValueError, TypeError, KeyError, zlib.error, RecursionError):
        with gzip.open(path, "rt", encoding="utf-8") as text:
            lines = [json.loads(line) for line in text.read(_MAX_ARCHIVE_CHARACTERS).splitlines()]
        operations = lines[:-1] if lines and {*lines[-1]} == {*_TRAILER_KEYS} else lines
        if operations and all(line["op"] in _ARCHIVE_OPERATIONS for line in operations):
            return lines
    hint = "Pass the path of an archive that prune returned."
    raise GraphError(Code.INVALID_ARCHIVE, f"{quote(str(path))} is not an archive of pruned memories", {"hint": hint})


def archive_path(folder: Path, domain: str) -> Path:
    """Return the path of a new archive, named after the domain and the current time."""
    timestamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    return folder / f"{domain}-pruned-{timestamp}.jsonl.gz"


def checked_path(path: Path | str) -> Path:
    """Return the path of the archive. Raises INVALID_ARGUMENT if it is empty."""
    if not str(path).strip():
        raise invalid_argument("archive", "The path of the archive is empty", "Pass the path of a file.")
    return Path(path).expanduser()
