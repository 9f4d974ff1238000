"""Exports a domain's nodes and connections at a point in its log, without the log, for other programs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, get_args

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import Revision, revision_of, seq_at
from graph_memory.memory.transfer.archive.export import header_of
from graph_memory.memory.transfer.archive.writer import open_target
from graph_memory.memory.transfer.folder.folders import PAGE, check_still_readable, existing_subjects, new_folder
from graph_memory.memory.transfer.formats.csv_writing import write_csv
from graph_memory.memory.transfer.formats.cypher_script import write_cypher
from graph_memory.memory.transfer.formats.graphml_writing import write_graphml
from graph_memory.memory.transfer.formats.jsonl import read_jsonl, write_jsonl
from graph_memory.memory.transfer.formats.records import (
    ConnectionRecord,
    Key,
    NodeRecord,
    Record,
    SourceOptions,
    SourcePosition,
)
from graph_memory.memory.transfer.formats.values import unsupported_value_error
from graph_memory.memory.transfer.load.validate_graph import MARKDOWN
from graph_memory.memory.transfer.results import GraphExportResult, GraphFormat
from graph_memory.model.events import Event
from graph_memory.model.projection import live_state
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, NodeState, Validity, content_ref
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content
from graph_memory.progress import Progress

MAX_CONTENT_CHARACTERS = 40_000_000
"""Maximum length of content in characters. Other programs read whole lines or files into memory."""
_NOWHERE = SourcePosition("")


async def export_graph(
    core: Core, domain: str, form: GraphFormat, at: int | str | None, target: Path | str | IO[bytes], progress: Progress
) -> GraphExportResult:
    """Write the state of a domain at a point in its log. See `Transfer.export_graph`."""
    if form not in get_args(GraphFormat):
        raise invalid_argument(
            "format", f"{quote(form)} is not a format", f"Use one of {', '.join(get_args(GraphFormat))}."
        )
    target = Path(target) if isinstance(target, str) else target
    seq = await seq_at(core.store, domain, "at", at)
    await header_of(core, domain)
    revision = await revision_of(core.store, domain, seq)
    with tempfile.TemporaryDirectory() as folder:
        record_store = _RecordStore(Path(folder))
        if form == "csv":
            async with new_folder(core, revision, _require_folder(target)) as temporary_folder:
                await _store_records(core, revision, record_store, progress)
                await anyio.to_thread.run_sync(write_csv, record_store.records, temporary_folder)
        else:
            await _store_records(core, revision, record_store, progress)
            await check_still_readable(core, revision)
            await anyio.to_thread.run_sync(_write_file, record_store, form, target)
    return GraphExportResult(
        domain=domain, seq=seq, format=form, nodes=record_store.nodes, connections=record_store.connections
    )


def _require_folder(target: Path | IO[bytes]) -> Path:
    if isinstance(target, Path):
        return target
    raise invalid_argument("target", "A CSV export is a folder of files", "Pass the name of a folder.")


class _RecordStore:
    """Temporary files with the records of a graph, nodes first. They can be read more than once."""

    def __init__(self, folder: Path) -> None:
        self._nodes = folder / "nodes.jsonl"
        self._connections = folder / "connections.jsonl"
        self.nodes = 0
        self.connections = 0

    def add(self, records: Sequence[Record]) -> None:
        nodes = [record for record in records if isinstance(record, NodeRecord)]
        connections = [record for record in records if isinstance(record, ConnectionRecord)]
        with self._nodes.open("ab") as file:
            write_jsonl(nodes, file)
        with self._connections.open("ab") as file:
            write_jsonl(connections, file)
        self.nodes += len(nodes)
        self.connections += len(connections)

    def records(self) -> Iterator[Record]:
        for path in (self._nodes, self._connections):
            for item in read_jsonl(path, SourceOptions()):
                if not isinstance(item, (NodeRecord, ConnectionRecord)):
                    raise TypeError(item)
                yield item


async def _store_records(core: Core, revision: Revision, record_store: _RecordStore, progress: Progress) -> None:
    records: list[Record] = []
    size = 0
    async for event, text in existing_subjects(core, revision, (Kind.NODE, Kind.CONNECTION), progress):
        ref = content_ref(event.draft.state or {})
        content = await core.contents.fetch(revision.domain, ref, text) if ref is not None else None
        records.append(_record(event, content))
        size += content.size if content else 0
        if len(records) == PAGE or size > MAX_CONTENT_CHARACTERS:
            await anyio.to_thread.run_sync(record_store.add, tuple(records))
            records, size = [], 0
    await anyio.to_thread.run_sync(record_store.add, tuple(records))


def _record(event: Event, content: Content | None) -> Record:
    """Return the record for the last event of a subject. Raises INVALID_ARGUMENT if the content is too large."""
    draft = event.draft
    state = live_state(event)
    record = (
        _node(NodeState.from_live(state), content)
        if draft.kind is Kind.NODE
        else _connection(ConnectionState.from_live(state, draft.from_id or "", draft.to_id or ""), content)
    )
    if len(record.content or "") > MAX_CONTENT_CHARACTERS:
        raise unsupported_value_error(
            record, "This format", f"its content is longer than {MAX_CONTENT_CHARACTERS:,} characters"
        )
    return record


def _node(node: NodeState, content: Content | None) -> NodeRecord:
    begin, end = _bounds(node.validity)
    return NodeRecord(
        place=_NOWHERE,
        key=Key(node.id),
        labels=(node.type,),
        properties=node.properties,
        content=(content.encoded if content else "") or None,
        format=None if node.content.format == MARKDOWN else node.content.format,
        encoding=None if node.content.is_text else node.content.encoding,
        tags=node.tags,
        fields=node.fields.non_defaults,
        valid_from=begin,
        valid_to=end,
    )


def _connection(connection: ConnectionState, content: Content | None) -> ConnectionRecord:
    begin, end = _bounds(connection.validity)
    return ConnectionRecord(
        place=_NOWHERE,
        id=connection.id,
        type=connection.type,
        strength=connection.strength.to_dict() or None,
        importance=connection.importance,
        made=connection.provenance.to_dict(),
        start=Key(connection.from_node_id),
        end=Key(connection.to_node_id),
        properties=connection.properties,
        content=content.encoded if content else None,
        valid_from=begin,
        valid_to=end,
    )


def _bounds(validity: Validity) -> tuple[str | None, str | None]:
    begin, end = validity.valid_from, validity.valid_to
    return begin and rfc3339(begin), end and rfc3339(end)


def _write_file(record_store: _RecordStore, form: GraphFormat, target: Path | IO[bytes]) -> None:
    with open_target(target) as stream:
        match form:
            case "graphml":
                write_graphml(record_store.records, stream)
            case "cypher":
                write_cypher(record_store.records, stream)
            case _:
                write_jsonl(record_store.records(), stream)
