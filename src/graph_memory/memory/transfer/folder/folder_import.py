"""Imports a folder as a new domain: writes its contents as a log into a file, and imports that file like an export.

A folder is therefore checked as strictly as an export before anything is written, and no reader sees an incomplete
domain.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.tree import domain_draft
from graph_memory.memory.graph.ontology import decide_ontology
from graph_memory.memory.transfer.archive.export import ARCHIVE_HEAD
from graph_memory.memory.transfer.archive.format import (
    PIECE,
    ContentPiece,
    Header,
    count_pieces,
    event_line,
    header_line,
    is_text_line,
    piece_line,
    text_line,
)
from graph_memory.memory.transfer.archive.importing import import_file
from graph_memory.memory.transfer.archive.writer import Writer, open_writer
from graph_memory.memory.transfer.folder.folder_entries import DomainEntry, LinkEntry
from graph_memory.memory.transfer.folder.folder_format import (
    ONTOLOGY,
    REGISTRY,
    ConnectionEntry,
    Entries,
    Entry,
    ObservationEntry,
    content_from_file,
    entries_of,
    folder_error,
)
from graph_memory.memory.transfer.results import FolderImportResult
from graph_memory.memory.transfer.values import InvalidEvent
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head, Origin, new_id, number_events
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.yaml_io import parse
from graph_memory.model.subjects.subjects import DomainState
from graph_memory.model.text.wording import quote
from graph_memory.model.values.content import Content
from graph_memory.progress import Progress
from graph_memory.storage.log import jobs
from graph_memory.storage.log.writing import utc_now


async def import_folder(core: Core, domain: str, folder: Path | str, progress: Progress) -> FolderImportResult:
    """Import a folder as a domain. See `Transfer.import_folder`."""
    if await core.store.first_row(ARCHIVE_HEAD, domain=domain) is not None:
        raise jobs.domain_exists_error(domain)
    with tempfile.TemporaryDirectory() as temporary_folder:
        path = Path(temporary_folder) / "folder.jsonl"
        source = await anyio.to_thread.run_sync(_Source.read, Path(folder), utc_now())
        await anyio.to_thread.run_sync(source.write, path, domain, core.origin)
        try:
            imported = await import_file(core, path, domain, progress, is_folder=True)
        except GraphError as error:
            subject, fault = error.details.get("subject"), error.details.get("fault")
            if error.code is not Code.INVALID_ARCHIVE or not fault:
                raise
            raise folder_error(str(subject), str(fault)) from error
    entries = source.entries
    return FolderImportResult(
        domain=domain,
        nodes=len(entries.nodes),
        connections=len(entries.connections),
        observations=len(entries.observations),
        links=len(entries.links) or None,
        warnings=imported.warnings,
    )


@dataclass(frozen=True, slots=True)
class _Source:
    """The parsed files of a folder, and the time of the import."""

    folder: Path
    at: datetime
    ontology: Ontology
    entries: Entries

    @classmethod
    def read(cls, folder: Path, at: datetime) -> _Source:
        """Read the ontology and the registry. Raises INVALID_ARCHIVE or INVALID_ONTOLOGY if one of them is invalid."""
        ontology = parse(_read_text(folder, ONTOLOGY), ONTOLOGY)
        return cls(folder, at, ontology, entries_of(_read_text(folder, REGISTRY), ontology))

    def write(self, path: Path, domain: str, origin: Origin) -> None:
        """Write the log of the domain.

        Raises INVALID_ARCHIVE if an entry is invalid, INVALID_ENCODING if content does not fit its encoding, and
        FILE_CREATION_FAILED if the file cannot be written.
        """
        entries, state = self.entries, _initial_state(self.entries.domain, self.at)
        first_drafts = [domain_draft(state), *decide_ontology(Head(domain, 0, self.at, Ontology()), self.ontology)[1:]]
        events = len(first_drafts) + len(entries)
        header = Header(
            domain=domain,
            exported=self.at,
            written_by=version("graph-memory"),
            seq=events,
            events=events,
            ontology_version=len(first_drafts),
            state=state,
        )
        with open_writer(path) as writer:
            log = _Log(writer, domain, origin, self.at)
            writer.write([header_line(header)])
            log.write(first_drafts)
            for subject, entry in (*entries.nodes.items(), *entries.connections.items()):
                content = _read_content(self.folder, subject, entry)
                log.write_content(content)
                log.write([_creation_draft(subject, entry, content, self.at)])
            for subject, attached_entry in (*entries.observations.items(), *entries.links.items()):
                log.write([_creation_draft(subject, attached_entry, None, self.at)])
            writer.end(log.seq, log.contents)


class _Log:
    """Writes the imported domain's log. Each list of events becomes a batch."""

    def __init__(self, writer: Writer, domain: str, origin: Origin, at: datetime) -> None:
        self._writer = writer
        self._domain = domain
        self._origin = origin
        self._at = at
        self.seq = 0
        self.contents = 0

    def write(self, drafts: Sequence[Draft]) -> None:
        batch = new_id("evt")
        events = number_events(
            drafts, domain=self._domain, after=self.seq, at=self._at, batch=batch, origin=self._origin
        )
        self._writer.write(event_line(event.row()) for event in events)
        self.seq += len(events)

    def write_content(self, content: Content | None) -> None:
        if content is None:
            return
        self.contents += 1
        self._writer.write([text_line(content)] if is_text_line(content.ref) else _piece_lines(content))


def _piece_lines(content: Content) -> Iterator[bytes]:
    count = count_pieces(content.size)
    for part in range(count):
        data = content.data[part * PIECE : (part + 1) * PIECE]
        yield piece_line(ContentPiece(content.sha256, part + 1, count, data))


def _initial_state(entry: DomainEntry, at: datetime) -> DomainState:
    try:
        return entry.state(at)
    except GraphError as error:
        raise folder_error("domain", f"is invalid: {error.message}") from error


def _creation_draft(
    subject: str, entry: Entry | ObservationEntry | LinkEntry, content: Content | None, at: datetime
) -> Draft:
    try:
        if isinstance(entry, ObservationEntry | LinkEntry):
            return entry.draft(subject, at)
        return entry.draft(subject, content, at)
    except GraphError as error:
        raise folder_error(subject, f"is invalid: {error.message}") from error


def _read_content(folder: Path, subject: str, entry: Entry) -> Content | None:
    """Return the content in an entry's file. The error for invalid content states the id of the entry."""
    content = entry.content
    if content is None:
        return None
    try:
        data = _read_bytes(folder, content.path)
        return content_from_file(data, content, is_text=isinstance(entry, ConnectionEntry))
    except OSError as error:
        raise folder_error(
            subject, f"has its content in {quote(content.path)}, which cannot be read: {error.strerror}"
        ) from error
    except InvalidEvent as fault:
        raise folder_error(subject, str(fault)) from fault
    except GraphError as error:
        details = {**error.details, "subject": subject}
        raise GraphError(error.code, f"Entry {quote(subject)} is invalid: {error.message}", details) from error


def _read_text(folder: Path, name: str) -> str:
    try:
        return _read_bytes(folder, name).decode()
    except OSError as error:
        raise folder_error(name, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise folder_error(name, f"cannot be read: byte {error.start + 1:,} is not UTF-8") from error


def _read_bytes(folder: Path, name: str) -> bytes:
    """Return the bytes of a file. Raises OSError if it cannot be read, or if a link leads out of the folder."""
    file = folder / name
    if not file.is_file():
        raise OSError(0, "it is missing")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise OSError(0, "it is outside the folder")
    return file.read_bytes()
