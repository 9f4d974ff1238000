"""Branches: copies of a domain at a point of its log, made inside Neo4j, a page at a time.

The log of a branch begins with one snapshot event for each subject that existed then, numbered from the fork on.
Earlier events are in the log of its source. So a branch is verified, rebuilt and compacted like any other domain.
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
from graph_memory.memory.graph.ontology import logged_ontology, types_at
from graph_memory.memory.search.index.copying import begin_copied, copy_rows, end_copied, ensure_covers, owners_at
from graph_memory.memory.transfer.archive.export import state_of
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Op, new_id, number_events
from graph_memory.model.projection import Projection, indexes_in, inverse_type, project, project_inverse
from graph_memory.model.results import Branched
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
from graph_memory.storage.log.reads import PAGE_OF, STATES, SubjectAt
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import Nothing, Query, query
from graph_memory.storage.store import Transaction

PAGE = 2_000
"""Number of subjects copied in one transaction."""
BRANCHING = "branching"
_DERIVED = (Step.PUT_KEYS, Step.PUT_WINDOWS)


@dataclass(frozen=True, slots=True)
class TieCounts:
    """The number of subjects that need to be connected to nodes, and the number that were connected."""

    expected: int
    tied: int


CHANGED = query("branches/changed", str)
COPY_EVENTS = query("branches/copy_events", int)
PUT_NODES = query("branches/put_nodes", int)
COPY_WINDOWS = query("branches/copy_windows", int)
COPY_KEYS = query("branches/copy_keys", int)
PUT_CONNECTIONS = query("branches/put_connections", TieCounts)
PUT_OBSERVATIONS = query("branches/put_observations", TieCounts)
PUT_LINKS = query("branches/put_links", TieCounts)
ADVANCE = query("branches/advance", Nothing)


async def branch(core: Core, source: str, at: int | str | None, name: str) -> Branched:
    """Create a branch of a domain at a point of its log. See `History.branch`."""
    require(check_domain(name), Right.WRITE)
    fork_seq = await seq_at(core.store, source, "at", at)
    fork = await _resolve_fork(core, source, fork_seq)
    types = await types_at(core.store, fork)
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
    seq, warning = await _Branching(core, job, fork, types).run()
    core.log.forget(name)
    return Branched(
        domain=name,
        forked_from=fork.domain,
        forked_at=fork.seq,
        seq=seq,
        subjects=job.progress.done,
        warnings=(warning,) if warning else None,
    )


async def _resolve_fork(core: Core, source: str, at: int) -> Revision:
    """Return the revision to copy. Raises DOMAIN_BUSY if a job may change or delete its log.

    Call it before and after the branch's own job begins. The other job looks for branches after it begins. So at most
    one of the two jobs continues.
    """
    fork = await revision_of(core.store, source, at)
    for domain in {source, fork.domain}:
        await check_is_ready(core.store, domain)
    return fork


class _Branching:
    """The stages of a new branch. A run continues an interrupted one."""

    def __init__(self, core: Core, job: Job, fork: Revision, types: Sequence[Event]) -> None:
        self._core = core
        self._job = job
        self._source = fork.domain
        self._at = fork.seq
        self._types = types
        self._ontology = logged_ontology(types)
        self._batch = str(job.arguments["batch"])
        self._began = datetime.fromisoformat(str(job.arguments["began"]))

    async def run(self) -> tuple[int, str | None]:
        """Run the remaining stages. Return the number of the branch's last event, and a warning if any.

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
        drafts = [_snapshot(event.draft) for event in self._types]
        events = self._number_events(drafts, after=self._at)

        async def copy(transaction: Transaction) -> None:
            await append_events(transaction, events, self._ontology, 0, 0)

        then = self._job.then(stage="subjects", seq=self._at + len(events), done=len(events))
        await self._job.step(then, copy)

    async def _copy_subjects(self) -> None:
        """Copy the subjects in pages. Reads the next page while it writes a page."""
        async with task_group() as tasks:
            send, pages = anyio.create_memory_object_stream[Sequence[SubjectAt]](0)
            tasks.start_soon(self._read_pages, send, self._job.progress.after)
            async with pages:
                async for page in pages:
                    await self._copy_page(page)
        await self._job.step(self._job.then(stage="ties", after=str(self._at)))

    async def _read_pages(self, send: MemoryObjectSendStream[Sequence[SubjectAt]], after: str) -> None:
        async with send:
            while page := await self._core.store.read(
                PAGE_OF, source=self._source, at=self._at, after=after, limit=PAGE
            ):
                await send.send(page)
                after = page[-1].subject

    async def _copy_page(self, page: Sequence[SubjectAt]) -> None:
        """Copy the events of a page of subjects, their nodes, and the derived rows."""
        before = self._job.progress
        living = [row for row in page if row.op != Op.DELETE and row.kind in DATA]
        await self._copy_blobs(living)
        numbered = list(zip(living, range(before.seq + 1, before.seq + len(living) + 1), strict=True))
        then = self._job.then(after=page[-1].subject, seq=before.seq + len(living), done=before.done + len(living))

        async def copy(transaction: Transaction) -> None:
            await self._copy_events(transaction, numbered)
            await self._put_nodes(transaction, numbered)
            await self._put_derived_rows(transaction, living)
            await transaction.run(ADVANCE, domain=self._job.domain, source=self._source, seq=then.seq)

        await self._job.step(then, copy)

    async def _copy_blobs(self, rows: Sequence[SubjectAt]) -> None:
        """Copy content that is stored outside Neo4j, because domains share no blobs."""
        for sha256 in {row.blob for row in rows if row.blob is not None}:
            await self._core.contents.copy(self._source, self._job.domain, sha256)

    async def _copy_events(self, transaction: Transaction, numbered: Sequence[tuple[SubjectAt, int]]) -> None:
        origin = self._core.origin
        await transaction.run(
            COPY_EVENTS,
            source=self._source,
            domain=self._job.domain,
            rows=[{"origin": row.origin, "seq": seq, "id": new_id("evt")} for row, seq in numbered],
            at=self._began,
            batch=self._batch,
            session=origin.session,
            source_of=origin.source,
            actor=origin.actor,
        )

    async def _put_nodes(self, transaction: Transaction, numbered: Sequence[tuple[SubjectAt, int]]) -> None:
        if seqs := [seq for row, seq in numbered if row.kind == Kind.NODE]:
            await transaction.run(PUT_NODES, domain=self._job.domain, seqs=seqs)

    async def _put_derived_rows(self, transaction: Transaction, living: Sequence[SubjectAt]) -> None:
        """Copy the derived rows of unchanged subjects. Compute the rows of subjects that changed after the fork.

        The source is not locked, so subjects that change during the copy are detected afterwards.
        """
        rows = [row for row in living if row.kind == Kind.NODE or self._has_keys(row)]
        present = [row for row in rows if row.is_present]
        await self._copy_derived(transaction, COPY_WINDOWS, [row for row in present if row.kind == Kind.NODE])
        await self._copy_derived(transaction, COPY_KEYS, [row for row in present if self._has_keys(row)])
        ids = [row.subject for row in present]
        types = {row.subject: type_subject(TYPE_OF[Kind(row.kind)], row.type or "") for row in present}
        subjects = [*ids, *sorted({*types.values()})]
        changed_subjects = set(await transaction.run(CHANGED, source=self._source, at=self._at, ids=subjects))
        changed = {subject for subject in ids if subject in changed_subjects or types[subject] in changed_subjects}
        await self._drop_derived(transaction, changed)
        missing = [row.origin for row in rows if not row.is_present or row.subject in changed]
        if missing:
            await self._make_derived(transaction, missing)

    def _has_keys(self, row: SubjectAt) -> bool:
        return bool(indexes_in(Kind(row.kind), row.type or "", self._ontology))

    async def _copy_derived(self, transaction: Transaction, statement: Query[int], rows: Sequence[SubjectAt]) -> None:
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
        """Copy a range of connections, observations and links. At this stage, all of their nodes exist."""
        progress = self._job.progress
        after, until = int(progress.after), min(int(progress.after) + PAGE, progress.seq)
        is_last = until >= progress.seq
        next_progress = self._job.then(
            after="" if is_last else str(until), stage=await self._stage_after_attachments() if is_last else "ties"
        )

        async def tie(transaction: Transaction) -> None:
            for statement in (PUT_CONNECTIONS, PUT_OBSERVATIONS, PUT_LINKS):
                event_range = {"domain": self._job.domain, "after": after, "until": until}
                [counts] = await transaction.run(statement, **event_range)
                if counts.tied != counts.expected:
                    raise _dangling(self._source, counts.expected - counts.tied)
            await self._put_inverses(transaction, range(after + 1, until + 1))
            if next_progress.stage == "passages":
                await begin_copied(transaction, self._source, self._job.domain, self._at)

        await self._job.step(next_progress, tie)

    async def _stage_after_attachments(self) -> str:
        """Return the next stage: copying the search rows, or the end if the source has none."""
        return "passages" if await ensure_covers(self._core, self._source, self._at) else "end"

    async def _copy_passages(self) -> None:
        """Copy the search rows of a page of owners, with their vectors."""
        domain = self._job.domain
        owners = await owners_at(self._core, self._source, self._at, self._job.progress.after)

        async def copy(transaction: Transaction) -> None:
            if owners:
                await copy_rows(transaction, self._source, domain, owners, self._at)
            else:
                await end_copied(transaction, self._source, domain, self._job.progress.seq + 1)

        async def skip_passages(_: Transaction) -> None:
            """Do nothing. The follower indexes the remaining passages from the branch's own log."""

        try:
            await self._job.step(self._job.then(after=owners[-1]) if owners else self._job.then(stage="end"), copy)
        except GraphError as error:
            if not exceeds_resources(error):
                raise
            await self._job.step(self._job.then(stage="end"), skip_passages)

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


def _snapshot(draft: Draft) -> Draft:
    """Return the branch's first event of a type. Types are numbered in the order of their declaration."""
    state = {name: value for name, value in (draft.state or {}).items() if name != DECLARED}
    return replace(draft, op=Op.SNAPSHOT, previous=None, state=state)


def _dangling(source: str, missing: int) -> GraphError:
    hint = Hint("Run {graph-memory verify} on domain {source}: its log lacks the ends of connections.", source=source)
    return GraphError(Code.DANGLING_REFERENCE, f"{missing} connections of domain {source} lack an end", {"hint": hint})
