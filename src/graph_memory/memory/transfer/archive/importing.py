"""Imports a domain's log: writes its events unchanged, and builds the graph from them.

The file is read twice: first to check all of it, then to import it. If the import is interrupted between steps, the
same call resumes it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from time import time_ns
from typing import cast

import anyio.to_thread

from graph_memory.memory.changes.context import read_stored
from graph_memory.memory.changes.stored_data_check import IncompatibleSubject
from graph_memory.memory.core import Core
from graph_memory.memory.domains.deletion import delete_domain
from graph_memory.memory.domains.tree import DOMAIN, append_job_event, domain_draft
from graph_memory.memory.graph.ontology import read_logged_types
from graph_memory.memory.transfer.archive.export import ARCHIVE_HEAD
from graph_memory.memory.transfer.archive.format import Header, Text
from graph_memory.memory.transfer.archive.reader import Page, Reader
from graph_memory.memory.transfer.archive.writer import split_by_size
from graph_memory.memory.transfer.results import ImportResult
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.ontology_diff import TypeChange, without_rules
from graph_memory.model.projection import Projection, project
from graph_memory.model.rights import can_read
from graph_memory.model.subjects.kinds import ATTACHED, Kind, Step
from graph_memory.model.subjects.protection import PROTECTION
from graph_memory.model.subjects.subjects import DomainState, content_ref
from graph_memory.model.values.arguments import check_domain, invalid_argument
from graph_memory.model.values.content import Content
from graph_memory.progress import Progress
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import READY, Job
from graph_memory.storage.log.parents import suitable_parent
from graph_memory.storage.log.project import APPEND, run_projection, seqs_with_earlier_time, with_times_as_text
from graph_memory.storage.log.protection import DomainScope
from graph_memory.storage.log.reads import MEND_CONTENTS, last_event
from graph_memory.storage.log.tree import read_ancestors
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Transaction

IMPORTING = "importing"
SUBJECTS = 2_000
"""Maximum number of subjects read per page."""
COMPARED = 1_000
"""Maximum number of events that are compared to recognise the source of a branch."""
_STAGES = {"nodes": frozenset({Kind.NODE}), "ties": frozenset(ATTACHED)}
_NEXT_STAGE = {"nodes": "ties", "ties": "end"}


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """A subject of a log: its last event, and the size of its content."""

    subject: str
    seq: int
    op: str
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class StateRow:
    """An event's properties, and its text if Neo4j stores the text."""

    event: Mapping[str, object]
    text: str | None


SUBJECTS_OF = query("transfer/subjects", SubjectRow)
STATES = query("transfer/states", StateRow)
SAME_SOURCE = query("transfer/same_source", bool)
FINISH = query("transfer/finish", NoRow)


async def import_file(
    core: Core, path: Path | str, name: str | None, progress: Progress, *, is_folder: bool = False
) -> ImportResult:
    """Create a domain from the log in a file. See `Transfer.import_file`.

    For a folder, the file is temporary and the import cannot be resumed, so the domain is deleted after any failure.
    """
    if name:
        check_domain(name)
    reader = Reader(Path(path))
    header = await anyio.to_thread.run_sync(reader.header)
    domain = name or header.domain
    await _check_name_is_free(core, domain)
    await _check_ancestors(core, domain, header.state.parent)
    async for page in _pages(reader, header.seq):
        progress("Checking", page.fraction)
    core.contents.check_size(reader.longest_text)
    core.log.forget(domain)
    params = {"sha256": reader.sha256, **(jobs.FOLDER_IMPORT if is_folder else {})}
    origin, at = core.origin, header.state.created
    job = await jobs.begin(core.store, domain, IMPORTING, params, {}, origin=origin, reach=DomainScope.ONTOLOGY, at=at)
    try:
        imported = await _ImportStages(core, job, header, reader, progress).run()
    except GraphError as error:
        if is_folder or error.code is Code.INVALID_ARCHIVE:
            await job.step(job.progress)  # raises an error if another run continues the import
            await delete_domain(core, job.domain)
        raise
    core.log.forget(domain)
    return ImportResult(
        domain=domain,
        seq=imported.seq,
        events=header.events + imported.seq - header.seq,
        subjects=job.progress.done - header.events,
        resumed=job.is_resumed,
        forked_from=imported.forked_from,
        warnings=imported.warnings or None,
    )


async def _check_name_is_free(core: Core, domain: str) -> None:
    """Raise DOMAIN_ALREADY_EXISTS if a domain has this name. Called before the file is read, which can take long."""
    row = await core.store.first_row(ARCHIVE_HEAD, domain=domain)
    if row is not None and row.state == READY:
        raise jobs.domain_exists_error(domain)


async def _check_ancestors(core: Core, domain: str, parent: str | None) -> None:
    """Raise INVALID_ARGUMENT if the imported domain would become its own ancestor under this name."""
    rows = await read_ancestors(core.store, "", parent)
    if parent == domain or domain in {name for row in rows for name in (row.name, row.parent)}:
        alternative = ", or first set another parent of {parent} with {update_domain}"
        hint = Hint("Import it under another name", alternative, ".", parent=parent)
        raise invalid_argument("name", f"Its parent {parent} would be a descendant of domain {domain}", hint)


async def _pages(reader: Reader, after: int, *, follows: bool = True) -> AsyncIterator[Page]:
    """Yield the pages of a file, each read in a worker thread."""
    pages = reader.pages(after, follows=follows)
    try:
        while (page := await anyio.to_thread.run_sync(next, pages, None)) is not None:
            yield page
    finally:
        with suppress(ValueError):  # after Ctrl-C, a thread may still be reading a page, and closes the file afterwards
            pages.close()


@dataclass(frozen=True, slots=True)
class _ImportedDomain:
    """The outcome of an import: the last event's number, a branch's source, and warnings about missing domains."""

    seq: int
    forked_from: str | None
    warnings: tuple[str, ...]


class _ImportStages:
    """The stages of an import. A new run continues an interrupted one."""

    def __init__(self, core: Core, job: Job, header: Header, reader: Reader, progress: Progress) -> None:
        self._core = core
        self._job = job
        self._header = header
        self._reader = reader
        self._progress = progress

    async def run(self) -> _ImportedDomain:
        if self._job.progress.stage == "":
            await self._append_all()
            await self._put_types()
        while self._job.progress.stage in _STAGES:
            await self._put_page(self._job.progress.stage)
        await self._check_late_types()
        return await self._end()

    async def _check_late_types(self) -> None:
        """Raise INVALID_ARCHIVE if data does not fit a later declaration of its type."""
        changes = [
            TypeChange(without_rules(type_definition), type_definition) for type_definition in self._reader.late_types
        ]
        for stored in (await read_stored(self._core.store, self._job.domain, changes)).values():
            if misfits := stored.find_incompatible():
                raise _unfit_data_error(stored.change.after.title, misfits[0])

    async def _append_all(self) -> None:
        async for page in _pages(self._reader, self._job.progress.seq, follows=False):
            await self._append(page)
            self._progress("Importing the log", self._job.progress.seq / self._header.seq)
        if self._reader.sha256 != self._job.params["sha256"]:
            raise _changed_file_error()

    async def _append(self, page: Page) -> None:
        """Write the contents of a page of events, then the events."""
        for blob in page.blobs:
            with blob.file:
                await self._core.contents.put_blob(self._job.domain, blob.chunks())
        texts = [text for text in page.texts if not await self._store_large(text)]
        if not texts and not page.events:
            return
        rows = [with_times_as_text({**row, "_domain": self._job.domain}) for row in page.events]
        progress = self._job.progress
        seq = cast("int", page.events[-1]["_seq"]) if page.events else progress.seq
        next_progress = self._job.with_progress(seq=seq, done=progress.done + len(rows))

        async def append(transaction: Transaction) -> None:
            if texts:
                stored_texts = [{"sha256": text.sha256, "text": text.text} for text in texts]
                await transaction.run(MEND_CONTENTS, domain=self._job.domain, rows=stored_texts)
            if rows:
                times = ((cast("int", row["_seq"]), cast("datetime", row["_at"])) for row in page.events)
                await transaction.run(
                    APPEND,
                    domain=self._job.domain,
                    first={"seq": page.events[0]["_seq"], "at": page.events[0]["_at"]},
                    events=rows,
                    contents=[],
                    turns=seqs_with_earlier_time(times),
                    protects=any(PROTECTION in row and row["_kind"] != Kind.DOMAIN for row in page.events),
                    seq=seq,
                    at=page.events[-1]["_at"],
                    ontology_version=self._header.ontology_version,
                )

        await self._job.step(next_progress, append)

    async def _store_large(self, text: Text) -> bool:
        """Store a text as a blob if it is too large for Neo4j. Return whether it was stored."""
        content = Content(text.text.encode(), "utf-8", "")
        if self._core.contents.is_inline(content.ref):
            return False
        await self._core.contents.put_blob(self._job.domain, [content.data])
        return True

    async def _put_types(self) -> None:
        events = await read_logged_types(self._core.store, self._job.domain)

        async def put(transaction: Transaction) -> None:
            await run_projection(transaction, project(self._job.domain, events, Ontology()))

        await self._job.step(self._job.with_progress(stage="nodes", after=""), put)

    async def _put_page(self, stage: str) -> None:
        """Write the next page of the stage's subjects: nodes, or subjects attached to nodes.

        Advances to the next stage if none are left.
        """
        after = self._job.progress.after
        rows = await self._core.store.read(SUBJECTS_OF, domain=self._job.domain, after=after, limit=SUBJECTS)
        live_rows = [row for row in rows if row.op != Op.DELETE and row.kind in _STAGES[stage]]
        for page in split_by_size(live_rows, lambda row: row.size):
            await self._put_subjects(page)
        progress = {"after": rows[-1].subject} if rows else {"stage": _NEXT_STAGE[stage], "after": ""}
        await self._job.step(self._job.with_progress(**progress))

    async def _put_subjects(self, rows: Sequence[SubjectRow]) -> None:
        ontology = await self._core.log.require_ontology(self._job.domain)
        events = await self._read_events([row.seq for row in rows])

        async def put(transaction: Transaction) -> None:
            await run_projection(transaction, project(self._job.domain, events, ontology))

        done = self._job.progress.done + len(rows)
        try:
            await self._job.step(self._job.with_progress(after=rows[-1].subject, done=done), put)
        except GraphError as error:
            if error.code is not Code.DANGLING_REFERENCE:
                raise
            raise _missing_ends_error() from error
        live_count = max(1, self._reader.live_count)
        self._progress("Building the graph", min(1.0, (done - self._header.events) / live_count))

    async def _read_events(self, seqs: Sequence[int]) -> list[Event]:
        """Return the events as creations of their subjects. The events of nodes include their texts."""
        events: list[Event] = []
        for row in await self._core.store.read(STATES, domain=self._job.domain, seqs=seqs):
            event = Event.from_row(row.event)
            ref = content_ref(event.draft.state or {}) if event.draft.kind is Kind.NODE else None
            content = None
            if ref is not None and ref.is_text:
                content = await self._core.contents.fetch(self._job.domain, ref, row.text)
            events.append(replace(event, draft=replace(event.draft, op=Op.CREATE, content=content)))
        return events

    async def _end(self) -> _ImportedDomain:
        """Set the domain's state from its log, and open the domain. Removes a parent that the domain cannot have."""
        (state, source_warning), domain = await self._final_state(), self._job.domain
        seq, parent_warning = self._header.seq, None

        async def end(transaction: Transaction) -> None:
            nonlocal seq, parent_warning
            parent, parent_warning = await suitable_parent(transaction, domain, state.parent)
            state_row = replace(state, parent=parent).state()
            await run_projection(transaction, Projection(domain, {Step.PUT_DOMAIN: [{"state": state_row}]}))
            if parent_warning is not None:
                domain_event = await last_event(transaction, domain, DOMAIN)
                draft = domain_draft(replace(self._header.state, parent=None), domain_event and domain_event.seq)
                seq = await append_job_event(self._core, transaction, domain, draft)
            await transaction.run(FINISH, domain=domain, epoch=time_ns() // 1_000)

        await self._job.end(end)
        return _ImportedDomain(seq, state.forked_from, tuple(filter(None, (parent_warning, source_warning))))

    async def _final_state(self) -> tuple[DomainState, str | None]:
        """Return the domain's state, and a warning if the domain is a branch whose source is in another database.

        In this case, or if the source was not imported, the branch starts at the fork.
        """
        state = self._header.state
        if state.forked_from is None:
            return state, None
        arguments = {"source": state.forked_from, "forked_at": state.forked_at, "begins_at": state.begins_at}
        if self._core.store.of(state.forked_from) is not self._core.store.of(self._job.domain):
            return replace(state, forked_from=None), _source_warning(self._core, self._job.domain, state.forked_from)
        is_same = await self._core.store.first_row(SAME_SOURCE, domain=self._job.domain, limit=COMPARED, **arguments)
        return state if is_same else replace(state, forked_from=None), None


def _source_warning(core: Core, domain: str, source: str) -> str | None:
    """Return the warning that a branch and its source are in different databases, if the caller may know this."""
    if not can_read(source, counts=False):
        return None
    try:
        core.store.require_one_database(domain, source)
    except GraphError as error:
        message = "The domain is not a branch of {source} here, and its history starts at the fork: {reason}."
        return Hint(message, source=source, reason=error.message)
    return None


def _changed_file_error() -> GraphError:
    hint = "Import the file again when no program writes to it."
    return GraphError(Code.INVALID_ARCHIVE, "The file changed while it was imported", {"hint": hint})


def _unfit_data_error(title: str, misfit: IncompatibleSubject) -> GraphError:
    hint = Hint("Run {graph-memory verify} on the memory that exported the archive.")
    message = f"The archive's log changes {title} so that {misfit.id} no longer fits it: {misfit.reason}"
    return GraphError(Code.INVALID_ARCHIVE, message, {"subject": misfit.id, "hint": hint})


def _missing_ends_error() -> GraphError:
    hint = Hint("Run {graph-memory verify} on the memory that exported the archive.")
    return GraphError(Code.INVALID_ARCHIVE, "The archive's log lacks the end nodes of some connections", {"hint": hint})
