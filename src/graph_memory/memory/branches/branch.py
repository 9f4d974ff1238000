"""Creates branches: copies of a domain at a point in its log. Neo4j copies the domain page by page.

The log of a branch begins with one snapshot event for each subject that existed at that point, numbered from the fork.
Earlier events are in the log of its source. A branch can therefore be verified, rebuilt and compacted like any other
domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import Revision, compacted_error, revision_of, seq_at
from graph_memory.memory.domains.relatives import check_is_ready
from graph_memory.memory.domains.tree import domain_draft
from graph_memory.memory.graph.ontology import ontology_from_events, types_at
from graph_memory.memory.search.index.copying import (
    begin_copied_index,
    copy_rows,
    ensure_covers,
    finish_copied_index,
    owners_at,
)
from graph_memory.memory.transfer.archive.export import state_of
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Op, new_id, number_events
from graph_memory.model.projection import Projection, indexes_in, inverse_type, project, project_inverse
from graph_memory.model.results import BranchResult
from graph_memory.model.rights import Right, require
from graph_memory.model.subjects.kinds import DATA, DECLARED, TYPE_OF, Kind, Step, type_subject
from graph_memory.model.subjects.subjects import DomainState, content_ref
from graph_memory.model.values.arguments import check_domain
from graph_memory.storage.driver_errors import exceeds_resources
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import Job
from graph_memory.storage.log.ontologies import HEAD
from graph_memory.storage.log.parents import suitable_parent
from graph_memory.storage.log.project import append_events, run_projection
from graph_memory.storage.log.protection import DomainScope
from graph_memory.storage.log.reads import STATES, SUBJECT_PAGE, SubjectAtFork
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import NoRow, Query, query
from graph_memory.storage.store import Transaction

PAGE = 2_000
"""Maximum number of subjects copied in one transaction."""
BRANCHING = "branching"
_DERIVED = (Step.PUT_KEYS, Step.PUT_WINDOWS)


@dataclass(frozen=True, slots=True)
class AttachmentCounts:
    """The number of attachments to connect to their nodes, and the number that were connected."""

    expected: int
    tied: int


CHANGED_AFTER_FORK = query("branches/changed", str)
COPY_EVENTS = query("branches/copy_events", int)
PUT_NODES = query("branches/put_nodes", int)
COPY_WINDOWS = query("branches/copy_windows", int)
COPY_KEYS = query("branches/copy_keys", int)
PUT_CONNECTIONS = query("branches/put_connections", AttachmentCounts)
PUT_OBSERVATIONS = query("branches/put_observations", AttachmentCounts)
PUT_LINKS = query("branches/put_links", AttachmentCounts)
ADVANCE = query("branches/advance", NoRow)


async def branch(core: Core, source: str, at: int | str | None, name: str) -> BranchResult:
    """Create a branch of a domain at a point in its log. See `History.branch`."""
    require(check_domain(name), Right.WRITE)
    core.store.require_one_database(source, name)
    fork_seq = await seq_at(core.store, source, "at", at)
    fork = await _resolve_fork(core, source, fork_seq)
    type_events = await types_at(core.store, fork)
    params = {"source": fork.domain, "at": fork.seq}
    job_values = {"batch": new_id("evt"), "began": utc_now().isoformat()}
    began, origin = datetime.fromisoformat(job_values["began"]), core.origin
    job = await jobs.begin(
        core.store, name, BRANCHING, params, job_values, origin=origin, reach=DomainScope.ONTOLOGY, at=began
    )
    try:
        if await _resolve_fork(core, source, fork_seq) != fork:
            raise compacted_error(fork.domain, fork.seq)
    except GraphError:
        if not job.is_resumed:
            await job.withdraw()
        raise
    seq, warning = await _BranchStages(core, job, fork, type_events).run()
    core.log.forget(name)
    return BranchResult(
        domain=name,
        forked_from=fork.domain,
        forked_at=fork.seq,
        seq=seq,
        subjects=job.progress.done,
        warnings=(warning,) if warning else None,
    )


async def _resolve_fork(core: Core, source: str, at: int) -> Revision:
    """Return the revision to copy. Raises DOMAIN_BUSY if a job may change or delete its log.

    Call it both before and after the branch's own job begins. Jobs that change or delete a log look for branches after
    they begin, so at most one of the two jobs continues.
    """
    fork = await revision_of(core.store, source, at)
    for domain in {source, fork.domain}:
        await check_is_ready(core.store, domain)
    return fork


class _BranchStages:
    """The stages in which a branch is created. A new run continues an interrupted one."""

    def __init__(self, core: Core, job: Job, fork: Revision, type_events: Sequence[Event]) -> None:
        self._core = core
        self._job = job
        self._source = fork.domain
        self._at = fork.seq
        self._type_events = type_events
        self._ontology = ontology_from_events(type_events)
        self._batch = str(job.arguments["batch"])
        self._began = datetime.fromisoformat(str(job.arguments["began"]))

    async def run(self) -> tuple[int, str | None]:
        """Run the remaining stages. Return the number of the branch's last event, and a warning or None.

        The warning says that the branch could not be placed under its parent domain.
        """
        if self._job.progress.stage == "":
            await self._copy_types()
        if self._job.progress.stage == "subjects":
            await self._copy_subjects()
        while self._job.progress.stage == "ties":
            await self._copy_attachments()
        while self._job.progress.stage == "passages":
            await self._copy_passages()
        return await self._end()

    async def _copy_types(self) -> None:
        drafts = [_snapshot_of_type(event.draft) for event in self._type_events]
        events = self._number_events(drafts, after=self._at)

        async def copy(transaction: Transaction) -> None:
            await append_events(transaction, events, self._ontology, 0, 0)

        next_progress = self._job.with_progress(stage="subjects", seq=self._at + len(events), done=len(events))
        await self._job.step(next_progress, copy)

    async def _copy_subjects(self) -> None:
        """Copy the subjects in pages. Reads the next page while it writes a page."""
        async with task_group() as tasks:
            send, pages = anyio.create_memory_object_stream[Sequence[SubjectAtFork]](0)
            tasks.start_soon(self._read_pages, send, self._job.progress.after)
            async with pages:
                async for page in pages:
                    await self._copy_page(page)
        await self._job.step(self._job.with_progress(stage="ties", after=str(self._at)))

    async def _read_pages(self, send: MemoryObjectSendStream[Sequence[SubjectAtFork]], after: str) -> None:
        async with send:
            while page := await self._core.store.read(
                SUBJECT_PAGE, source=self._source, at=self._at, after=after, limit=PAGE
            ):
                await send.send(page)
                after = page[-1].subject

    async def _copy_page(self, page: Sequence[SubjectAtFork]) -> None:
        """Copy a page of subjects: their events as snapshots, the live nodes, and the derived rows."""
        progress = self._job.progress
        live_rows = [row for row in page if row.op != Op.DELETE and row.kind in DATA]
        await self._copy_blobs(live_rows)
        numbered_rows = list(zip(live_rows, range(progress.seq + 1, progress.seq + len(live_rows) + 1), strict=True))
        next_progress = self._job.with_progress(
            after=page[-1].subject, seq=progress.seq + len(live_rows), done=progress.done + len(live_rows)
        )

        async def copy(transaction: Transaction) -> None:
            await self._copy_events(transaction, numbered_rows)
            if node_seqs := [seq for row, seq in numbered_rows if row.kind == Kind.NODE]:
                await transaction.run(PUT_NODES, domain=self._job.domain, seqs=node_seqs)
            await self._put_derived_rows(transaction, live_rows)
            await transaction.run(ADVANCE, domain=self._job.domain, source=self._source, seq=next_progress.seq)

        await self._job.step(next_progress, copy)

    async def _copy_blobs(self, rows: Sequence[SubjectAtFork]) -> None:
        """Copy content that is stored outside Neo4j, because domains do not share blobs."""
        for sha256 in {row.blob for row in rows if row.blob is not None}:
            await self._core.contents.copy(self._source, self._job.domain, sha256)

    async def _copy_events(self, transaction: Transaction, numbered_rows: Sequence[tuple[SubjectAtFork, int]]) -> None:
        origin = self._core.origin
        await transaction.run(
            COPY_EVENTS,
            source=self._source,
            domain=self._job.domain,
            rows=[{"origin": row.origin, "seq": seq, "id": new_id("evt")} for row, seq in numbered_rows],
            at=self._began,
            batch=self._batch,
            session=origin.session,
            source_of=origin.source,
            actor=origin.actor,
        )

    async def _put_derived_rows(self, transaction: Transaction, live_rows: Sequence[SubjectAtFork]) -> None:
        """Copy the search windows and keys of unchanged subjects, and compute the rows of all other subjects.

        Other subjects are subjects that the source has changed or deleted since the fork. The source is not locked, so
        subjects that change during the copy are detected afterwards.
        """
        rows = [row for row in live_rows if row.kind == Kind.NODE or self._has_keys(row)]
        present_rows = [row for row in rows if row.is_present]
        await self._copy_derived(transaction, COPY_WINDOWS, [row for row in present_rows if row.kind == Kind.NODE])
        await self._copy_derived(transaction, COPY_KEYS, [row for row in present_rows if self._has_keys(row)])
        ids = [row.subject for row in present_rows]
        types = {row.subject: type_subject(TYPE_OF[Kind(row.kind)], row.type or "") for row in present_rows}
        subjects = [*ids, *sorted({*types.values()})]
        changed_subjects = set(
            await transaction.run(CHANGED_AFTER_FORK, source=self._source, at=self._at, ids=subjects)
        )
        changed_ids = {subject for subject in ids if subject in changed_subjects or types[subject] in changed_subjects}
        await self._drop_derived(transaction, changed_ids)
        missing = [row.origin for row in rows if not row.is_present or row.subject in changed_ids]
        if missing:
            await self._make_derived(transaction, missing)

    def _has_keys(self, row: SubjectAtFork) -> bool:
        return bool(indexes_in(Kind(row.kind), row.type or "", self._ontology))

    async def _copy_derived(
        self, transaction: Transaction, statement: Query[int], rows: Sequence[SubjectAtFork]
    ) -> None:
        if rows:
            owners = [row.subject for row in rows]
            await transaction.run(statement, source=self._source, domain=self._job.domain, owners=owners)

    async def _drop_derived(self, transaction: Transaction, owners: Iterable[str]) -> None:
        projection = Projection(self._job.domain)
        for step in (Step.DROP_KEYS, Step.DROP_WINDOWS):
            projection.add(step, ({"owner": owner} for owner in owners))
        await run_projection(transaction, projection)

    async def _make_derived(self, transaction: Transaction, origins: Sequence[int]) -> None:
        events: list[Event] = []
        for row in await transaction.run(STATES, source=self._source, seqs=origins):
            event = Event.from_row(row.event)
            ref = content_ref(event.draft.state or {}) if event.draft.kind is Kind.NODE else None
            content = await self._core.contents.fetch(self._source, ref, row.text) if ref else None
            events.append(replace(event, draft=replace(event.draft, op=Op.CREATE, content=content)))
        projection = project(self._job.domain, events, self._ontology)
        derived = {step: rows for step, rows in projection.rows.items() if step in _DERIVED}
        await run_projection(transaction, Projection(self._job.domain, derived))

    async def _copy_attachments(self) -> None:
        """Attach the copied connections, observations and links in the next range of event numbers to their nodes."""
        progress = self._job.progress
        after, until = int(progress.after), min(int(progress.after) + PAGE, progress.seq)
        next_progress = self._job.with_progress(after=str(until), stage="ties")
        if until >= progress.seq:
            has_passages = await ensure_covers(self._core, self._source, self._at)
            next_progress = self._job.with_progress(after="", stage="passages" if has_passages else "end")

        async def connect(transaction: Transaction) -> None:
            for statement in (PUT_CONNECTIONS, PUT_OBSERVATIONS, PUT_LINKS):
                event_range = {"domain": self._job.domain, "after": after, "until": until}
                [counts] = await transaction.run(statement, **event_range)
                if counts.tied != counts.expected:
                    raise _missing_ends_error(self._source, counts.expected - counts.tied)
            await self._put_inverses(transaction, range(after + 1, until + 1))
            if next_progress.stage == "passages":
                await begin_copied_index(transaction, self._source, self._job.domain, self._at)

        await self._job.step(next_progress, connect)

    async def _copy_passages(self) -> None:
        """Copy the search rows of a page of owners, with their vectors."""
        domain = self._job.domain
        owners = await owners_at(self._core, self._source, self._at, self._job.progress.after)

        async def copy(transaction: Transaction) -> None:
            if owners:
                await copy_rows(transaction, self._source, domain, owners, self._at)
            else:
                await finish_copied_index(transaction, self._source, domain, self._job.progress.seq + 1)

        async def skip_passages(_: Transaction) -> None:
            """Skip the remaining passages. The log follower indexes them from the branch's own log."""

        try:
            await self._job.step(
                self._job.with_progress(after=owners[-1]) if owners else self._job.with_progress(stage="end"), copy
            )
        except GraphError as error:
            if not exceeds_resources(error):
                raise
            await self._job.step(self._job.with_progress(stage="end"), skip_passages)

    async def _put_inverses(self, transaction: Transaction, numbers: Sequence[int]) -> None:
        if not self._ontology.inverses:
            return
        rows = await transaction.run(STATES, source=self._job.domain, seqs=list(numbers))
        projection = Projection(self._job.domain)
        for event in (Event.from_row(row.event) for row in rows):
            if name := inverse_type(event.draft, self._ontology):
                project_inverse(projection, event, name, is_new=True)
        await run_projection(transaction, projection)

    async def _end(self) -> tuple[int, str | None]:
        """Write the event that records the source of the branch, and end the job."""
        domain, seq = self._job.domain, self._job.progress.seq + 1
        source = await state_of(self._core, self._source, self._at, self._began, None)
        state = DomainState(
            created=self._began,
            forked_from=self._source,
            forked_at=self._at,
            begins_at=seq,
            description=source.description,
            metadata=source.metadata,
        )
        warning: str | None = None

        async def end(transaction: Transaction) -> None:
            nonlocal warning
            parent, warning = await suitable_parent(transaction, domain, source.parent)
            events = self._number_events([domain_draft(replace(state, parent=parent))], after=seq - 1)
            head = await transaction.first_row(HEAD, domain=domain)
            await append_events(transaction, events, self._ontology, head.ontology_version if head else 0, 0)

        await self._job.end(end)
        return seq, warning

    def _number_events(self, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        first, origin = new_id("evt"), self._core.origin
        events = number_events(drafts, domain=self._job.domain, after=after, at=self._began, batch=first, origin=origin)
        return [replace(event, batch=self._batch) for event in events]


def _snapshot_of_type(draft: Draft) -> Draft:
    """Return the snapshot of a type, without its number: the snapshots are already in the order of declaration."""
    state = {name: value for name, value in (draft.state or {}).items() if name != DECLARED}
    return replace(draft, op=Op.SNAPSHOT, previous=None, state=state)


def _missing_ends_error(source: str, missing_count: int) -> GraphError:
    hint = Hint(
        "Run {graph-memory verify} on domain {source}: its log lacks the end nodes of these connections.", source=source
    )
    return GraphError(
        Code.DANGLING_REFERENCE, f"{missing_count} connections of domain {source} have no end node", {"hint": hint}
    )
