"""Exports a domain's log: all events, and the content that they refer to, as one stream of lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, cast

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.transfer.archive.format import (
    ContentPiece,
    Header,
    count_pieces,
    event_line,
    header_line,
    is_text_line,
    piece_line,
    text_line,
)
from graph_memory.memory.transfer.archive.writer import PAGE, Writer, open_writer, split_by_size
from graph_memory.memory.transfer.results import ExportResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.subjects import DomainState, content_ref
from graph_memory.model.values.content import ContentRef
from graph_memory.progress import Progress
from graph_memory.storage.log.jobs import READY, busy_error
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

REMEMBERED = 50_000
"""Maximum number of written contents whose hashes are kept. If there are more, the first contents may be repeated."""


@dataclass(frozen=True, slots=True)
class HeadRow:
    """The number of the last event in a domain's log, the domain's creation time, and its job state."""

    seq: int
    ontology_version: int
    created: datetime
    state: str
    job: str | None
    events: int
    compacted_to: int | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event's properties, and the properties of the content that its subject had before."""

    event: Mapping[str, object]
    before: Mapping[str, object] | None


ARCHIVE_HEAD = query("transfer/head", HeadRow)
DOMAIN_EVENT = query("transfer/domain_event", dict[str, object])
EVENTS = query("transfer/events", EventRow)


async def export_file(core: Core, domain: str, target: Path | str | IO[bytes], progress: Progress) -> ExportResult:
    """Write a domain's log to a file or a stream. See `Transfer.export_file`."""
    header = await header_of(core, domain)
    with open_writer(Path(target) if isinstance(target, str) else target) as writer:
        return await write_log(core, header, writer, progress)


async def write_log(core: Core, header: Header, writer: Writer, progress: Progress) -> ExportResult:
    """Write the events in the range of a header, with their contents. Raises DOMAIN_BUSY if events are missing."""
    return await _PagedExport(core, header, writer, progress).run()


async def header_of(core: Core, domain: str) -> Header:
    """Return the header of an export.

    Raises ONTOLOGY_NOT_FOUND if the domain does not exist, and DOMAIN_BUSY while a job runs in the domain.
    """
    row = await core.store.first_row(ARCHIVE_HEAD, domain=domain)
    if row is None:
        raise no_ontology_error(domain)
    if row.state != READY:
        raise busy_error(domain, row.state, row.job)
    return Header(
        domain=domain,
        exported=utc_now(),
        written_by=version("graph-memory"),
        seq=row.seq,
        events=row.events,
        ontology_version=row.ontology_version,
        state=await state_of(core, domain, row.seq, row.created, row.compacted_to),
    )


async def state_of(core: Core, domain: str, until: int, created: datetime, compacted_to: int | None) -> DomainState:
    """Return the state of a domain as of event number `until`, according to its log.

    `compacted_to` is passed separately, because an event after `until` may record it.
    """
    logged_state = await core.store.first_row(DOMAIN_EVENT, domain=domain, until=until)
    state = DomainState.from_state(logged_state) if logged_state else DomainState(created=created)
    return replace(state, compacted_to=compacted_to)


class _PagedExport:
    """Exports a log in pages, up to the last event in the header. Later changes are not exported."""

    def __init__(self, core: Core, header: Header, writer: Writer, progress: Progress) -> None:
        self._core = core
        self._header = header
        self._writer = writer
        self._progress = progress
        self._events = 0
        self._contents = 0
        self._written: dict[tuple[str, bool], None] = {}

    async def run(self) -> ExportResult:
        header = self._header
        await self._write([header_line(header)])
        params, after = {"domain": header.domain, "until": header.seq, "limit": PAGE}, 0
        while rows := await self._core.store.read(EVENTS, after=after, **params):
            page = [_EventLine.of(row) for row in rows]
            await self._write_page(page)
            after = page[-1].seq
            self._events += len(page)
            self._progress("Exporting", self._events / max(1, header.events))
        if self._events != header.events:
            raise _changed_log_error(header.domain)
        sha256 = await anyio.to_thread.run_sync(self._writer.end, self._events, self._contents)
        return ExportResult(
            domain=header.domain, seq=header.seq, events=self._events, contents=self._contents, sha256=sha256
        )

    async def _write_page(self, page: Sequence[_EventLine]) -> None:
        for rows in split_by_size(
            page, lambda row: row.content.size if row.content and is_text_line(row.content) else 0
        ):
            refs_to_write = [
                row.content if row.content is not None and self._mark_as_written(row.content) else None for row in rows
            ]
            texts = await self._read_texts(refs_to_write)
            lines: list[bytes] = []
            for row, ref in zip(rows, refs_to_write, strict=True):
                if ref is not None:
                    lines += await self._content_lines(ref, texts.get(ref.sha256), lines)
                lines.append(row.line)
            await self._write(lines)

    async def _read_texts(self, refs: Iterable[ContentRef | None]) -> Mapping[str, str]:
        """Return the texts that Neo4j stores inline, keyed by hash, including texts that are also binary content."""
        hashes = {ref.sha256 for ref in refs if ref is not None}
        if not hashes:
            return {}
        rows = await self._core.store.read(CONTENTS, domain=self._header.domain, hashes=list(hashes))
        return {row.sha256: row.text for row in rows}

    def _mark_as_written(self, ref: ContentRef) -> bool:
        """Record that content is in the file. Returns False if it was already recorded."""
        if (ref.sha256, ref.is_text) in self._written:
            return False
        if len(self._written) == REMEMBERED:
            del self._written[next(iter(self._written))]
        self._written[ref.sha256, ref.is_text] = None
        return True

    async def _content_lines(self, ref: ContentRef, inline: str | None, pending_lines: list[bytes]) -> list[bytes]:
        """Return the line for text content. Write other content now, after `pending_lines`, and return no line."""
        self._contents += 1
        if is_text_line(ref):
            return [text_line(await self._core.contents.fetch(self._header.domain, ref, inline))]
        await self._write(pending_lines)
        pending_lines.clear()
        count, number = count_pieces(ref.size), 0
        async for data in self._core.contents.stream(self._header.domain, ref, inline):
            number += 1
            await self._write([piece_line(ContentPiece(ref.sha256, number, count, data))])
        return []

    async def _write(self, lines: Sequence[bytes]) -> None:
        await anyio.to_thread.run_sync(self._writer.write, tuple(lines))


@dataclass(frozen=True, slots=True)
class _EventLine:
    """The line of an event, and the reference to its content, or None if the event did not change the content."""

    seq: int
    line: bytes
    content: ContentRef | None

    @classmethod
    def of(cls, row: EventRow) -> _EventLine:
        ref, before = content_ref(row.event), row.before or {}
        is_unchanged = ref is None or (before.get("_content_sha256"), before.get("_content_encoding")) == (
            ref.sha256,
            ref.encoding,
        )
        return cls(cast("int", row.event["_seq"]), event_line(row.event), None if is_unchanged else ref)


def _changed_log_error(domain: str) -> GraphError:
    hint = "Export the domain again: its log was compacted or deleted during the export."
    return GraphError(Code.DOMAIN_BUSY, f"The log of domain {domain} changed while it was exported", {"hint": hint})
