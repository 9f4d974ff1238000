"""Export of a domain's log: all events, and the content that they refer to, as one stream of lines."""

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
    Header,
    Piece,
    event_line,
    header_line,
    is_text_line,
    piece_line,
    pieces_of,
    text_line,
)
from graph_memory.memory.transfer.archive.writer import PAGE, Writer, by_size, writing
from graph_memory.memory.transfer.results import Exported
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.subjects import DomainState, content_ref
from graph_memory.model.values.content import ContentRef
from graph_memory.progress import Progress
from graph_memory.storage.log.jobs import READY, busy
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

REMEMBERED = 50_000
"""Maximum number of written contents that are remembered, so that few contents are written twice."""
_STAGE = "Exporting"


@dataclass(frozen=True, slots=True)
class HeadRow:
    """The last event, the creation time and the state of a domain's log."""

    seq: int
    ontology_version: int
    created: datetime
    state: str
    job: str | None
    events: int
    compacted_to: int | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event's property map, and the content that its subject had before."""

    event: Mapping[str, object]
    before: Mapping[str, object] | None


ARCHIVE_HEAD = query("transfer/head", HeadRow)
DOMAIN_EVENT = query("transfer/domain_event", dict[str, object])
EVENTS = query("transfer/events", EventRow)


async def export_file(core: Core, domain: str, target: Path | str | IO[bytes], tell: Progress) -> Exported:
    """Write a domain's log to a file or a stream. See `Transfer.export_file`."""
    header = await header_of(core, domain)
    with writing(Path(target) if isinstance(target, str) else target) as writer:
        return await write_log(core, header, writer, tell)


async def write_log(core: Core, header: Header, writer: Writer, tell: Progress) -> Exported:
    """Write the events in the range of a header, with their contents. Raises DOMAIN_BUSY if events are missing."""
    return await _Exporting(core, header, writer, tell).run()


async def header_of(core: Core, domain: str) -> Header:
    """Return the header of an export. Raises ONTOLOGY_NOT_FOUND and DOMAIN_BUSY."""
    row = await core.store.first_row(ARCHIVE_HEAD, domain=domain)
    if row is None:
        raise no_ontology(domain)
    if row.state != READY:
        raise busy(domain, row.state, row.job)
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
    """Return the state of a domain according to its log up to event number `until`.

    `compacted_to` is passed separately, because a later event may record it.
    """
    rendered = await core.store.first_row(DOMAIN_EVENT, domain=domain, until=until)
    state = DomainState.from_state(rendered) if rendered else DomainState(created=created)
    return replace(state, compacted_to=compacted_to)


class _Exporting:
    """An export in pages. It ends with the event that was last at its start, so later changes are left out."""

    def __init__(self, core: Core, header: Header, writer: Writer, tell: Progress) -> None:
        self._core = core
        self._header = header
        self._writer = writer
        self._tell = tell
        self._events = 0
        self._contents = 0
        self._written: dict[tuple[str, bool], None] = {}

    async def run(self) -> Exported:
        header = self._header
        await self._write([header_line(header)])
        after = 0
        while page := await self._page(after):
            await self._write_page(page)
            after = page[-1].seq
            self._events += len(page)
            self._tell(_STAGE, self._events / max(1, header.events))
        if self._events != header.events:
            raise _changed_meanwhile(header.domain)
        sha256 = await anyio.to_thread.run_sync(self._writer.end, self._events, self._contents)
        return Exported(
            domain=header.domain, seq=header.seq, events=self._events, contents=self._contents, sha256=sha256
        )

    async def _page(self, after: int) -> list[_Row]:
        domain, until = self._header.domain, self._header.seq
        rows = await self._core.store.read(EVENTS, domain=domain, after=after, until=until, limit=PAGE)
        return [_Row.of(row) for row in rows]

    async def _write_page(self, page: Sequence[_Row]) -> None:
        for rows in by_size(page, lambda row: row.content.size if row.content and is_text_line(row.content) else 0):
            due = [row.content if row.content is not None and self._is_due(row.content) else None for row in rows]
            texts = await self._texts(due)
            lines: list[bytes] = []
            for row, ref in zip(rows, due, strict=True):
                if ref is not None:
                    lines += await self._content_lines(ref, texts.get(ref.sha256), lines)
                lines.append(row.line)
            await self._write(lines)

    async def _texts(self, refs: Iterable[ContentRef | None]) -> Mapping[str, str]:
        """Return the texts that Neo4j stores, by hash. Binary content may be stored as text, too."""
        hashes = {ref.sha256 for ref in refs if ref is not None}
        if not hashes:
            return {}
        rows = await self._core.store.read(CONTENTS, domain=self._header.domain, hashes=list(hashes))
        return {row.sha256: row.text for row in rows}

    def _is_due(self, ref: ContentRef) -> bool:
        """Mark content as written, and return whether it was not written before."""
        if (ref.sha256, ref.is_text) in self._written:
            return False
        if len(self._written) == REMEMBERED:
            del self._written[next(iter(self._written))]
        self._written[ref.sha256, ref.is_text] = None
        return True

    async def _content_lines(self, ref: ContentRef, inline: str | None, before: list[bytes]) -> list[bytes]:
        """Return the line for text content.

        Other content is written at once, after the lines in `before`. Then no line is returned.
        """
        self._contents += 1
        if is_text_line(ref):
            return [text_line(await self._core.contents.fetch(self._header.domain, ref, inline))]
        await self._write(before)
        before.clear()
        parts, part = pieces_of(ref.size), 0
        async for data in self._core.contents.stream(self._header.domain, ref, inline):
            part += 1
            await self._write([piece_line(Piece(ref.sha256, part, parts, data))])
        return []

    async def _write(self, lines: Sequence[bytes]) -> None:
        await anyio.to_thread.run_sync(self._writer.write, tuple(lines))


@dataclass(frozen=True, slots=True)
class _Row:
    """An event as a line, and its content. Without content if an earlier event of the subject has the same."""

    seq: int
    line: bytes
    content: ContentRef | None

    @classmethod
    def of(cls, row: EventRow) -> _Row:
        ref, before = content_ref(row.event), row.before or {}
        is_known = ref is None or (before.get("_content_sha256"), before.get("_content_encoding")) == (
            ref.sha256,
            ref.encoding,
        )
        return cls(cast("int", row.event["_seq"]), event_line(row.event), None if is_known else ref)


def _changed_meanwhile(domain: str) -> GraphError:
    hint = "It was compacted or deleted during the export: export it again."
    return GraphError(Code.DOMAIN_BUSY, f"The log of domain {domain} changed while it was exported", {"hint": hint})
