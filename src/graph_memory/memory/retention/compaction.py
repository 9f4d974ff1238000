"""Compaction: the events before a point move to an archive, and each subject that existed then keeps one snapshot.

Later points stay readable. First the archive is written and synced. When it gets its final name, an event in the log
records the compaction. From then on no earlier point can be read, so readers never see incomplete data. Then the
contents that only these events use are deleted, and finally the events, oldest first. Each stage can be resumed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from anyio import to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import NEXT_EVENTS, LogSegment, segments_of, seq_at
from graph_memory.memory.domains.listing import domain_state
from graph_memory.memory.domains.relatives import COMPACTING, STATE, unfinished_branches
from graph_memory.memory.domains.tree import append_job_event, domain_draft
from graph_memory.memory.history.log import sessions_between
from graph_memory.memory.retention.archive_file import Archive, archive_not_writable_error
from graph_memory.memory.retention.results import CompactionResult
from graph_memory.memory.search.index.copying import delete_ended_rows, ensure_covers
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Right, require
from graph_memory.model.sessions import limit_sessions, merge_sessions, sessions_from_json, sessions_to_json
from graph_memory.model.text.wording import join_names
from graph_memory.model.values.arguments import file_name_part, invalid_argument
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import Job, Params
from graph_memory.storage.log.protection import DomainScope
from graph_memory.storage.log.reads import DROP_CONTENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import LONG_READ_SECONDS, Reader, Transaction

PAGE = 5_000
"""Maximum number of log positions, or of contents, that one transaction processes."""
EXAMPLES = 5
"""Maximum number of example titles in a result, for nodes that lose their first state."""


@dataclass(frozen=True, slots=True)
class CountsRow:
    """The number of events up to a point, and the number of removed events with the hashes of their contents."""

    events: int
    removed: int
    hashes: list[str]


@dataclass(frozen=True, slots=True)
class FirstStatesRow:
    """The number of nodes whose first state is removed, and the titles of some of them."""

    nodes: int
    titles: list[str]


@dataclass(frozen=True, slots=True)
class SizeRow:
    """The length in characters of a text that Neo4j stores, with its hash."""

    sha256: str
    size: int


COUNTS = query("retention/counts", CountsRow)
FIRST_STATES = query("retention/first_states", FirstStatesRow)
KEPT_HASHES = query("retention/kept_hashes", str)
SIZES = query("retention/sizes", SizeRow)
BATCH_BEGIN = query("retention/batch_begin", int)
PRUNE = query("retention/prune", int)


async def compact(
    core: Core, domain: str, before: int | str, archive: Path | None, *, dry_run: bool
) -> CompactionResult:
    """Compact a domain's log up to a point. See `History.compact`."""
    with core.audit.act("compact", str(before), domain=domain, origin=core.origin, dry_run=dry_run):
        require(domain, Right.ADMIN)
        await core.log.require_ontology(domain)
        segment = (await segments_of(core.store, domain))[0]
        interrupted = await _find_interrupted(core.store, domain)
        target_seq = interrupted.target_seq if interrupted else await _resolve_target(core, domain, before)
        if interrupted is None and target_seq <= segment.stored_events_after:
            return _nothing_to_compact(domain, segment.stored_events_after, dry_run=dry_run)
        if dry_run:
            compacted = interrupted.estimate if interrupted else await _estimate(core, domain, target_seq)
            return compacted.model_copy(update={"dry_run": True})
        path = (archive or core.archives / f"{file_name_part(domain)}-{target_seq}.jsonl.gz").expanduser().absolute()
        params = interrupted.job_values if interrupted else await _job_values(core, domain, segment, target_seq, path)
        await ensure_covers(core, domain, target_seq)  # the search index must have read the events that are removed
        origin = core.origin
        job = await jobs.begin(
            core.store, domain, COMPACTING, {"to": target_seq}, params, origin=origin, reach=DomainScope.ONTOLOGY
        )
        await _check_no_unfinished_branch(core, job)
        return await _CompactionStages(core, job, segment, target_seq).run()


def _nothing_to_compact(domain: str, target_seq: int, *, dry_run: bool) -> CompactionResult:
    return CompactionResult(
        domain=domain, dry_run=dry_run, compacted_to=target_seq, archived=0, events=0, contents=0, bytes=0, nodes=0
    )


async def _job_values(core: Core, domain: str, segment: LogSegment, target_seq: int, path: Path) -> Params:
    """Return the values that the job needs to resume a compaction.

    Raises FILE_CREATION_FAILED if the archive file exists.
    """
    if await to_thread.run_sync(path.exists):
        raise archive_not_writable_error(path, "it already exists")
    return {
        "archive": str(path),
        "at": datetime.now(UTC).isoformat(),
        "found": (await _estimate(core, domain, target_seq)).model_dump_json(),
        "sessions": await _sessions_json(core, domain, segment, target_seq),
    }


@dataclass(frozen=True, slots=True)
class _InterruptedCompaction:
    """An interrupted compaction, with its target and the values that its job stored."""

    target_seq: int
    job_values: Params

    @property
    def estimate(self) -> CompactionResult:
        return CompactionResult.model_validate_json(str(self.job_values["found"]))


async def _find_interrupted(reader: Reader, domain: str) -> _InterruptedCompaction | None:
    """Return the interrupted compaction of a domain, or None. A new run uses its target, not the caller's."""
    row = await reader.first_row(STATE, domain=domain)
    if row is None or row.state != COMPACTING:
        return None
    job = json.loads(row.job or "{}")
    return _InterruptedCompaction(job["params"]["to"], job["given"])


async def _resolve_target(core: Core, domain: str, before: int | str) -> int:
    """Return the number of the last event to compact. It is never inside a batch, or before a branch begins."""
    seq = await seq_at(core.store, domain, "before", before)
    segment, *older_segments = await segments_of(core.store, domain)
    if older_segments and seq <= segment.begins_at:
        message = f"That point is in the log of {older_segments[0].domain}, which {domain} was branched from"
        raise invalid_argument("before", message, "Compact that domain, or use a later point.")
    before_batch = await core.store.first_row(BATCH_BEGIN, domain=domain, seq=seq)
    return seq if before_batch is None else before_batch


async def _estimate(core: Core, domain: str, target_seq: int) -> CompactionResult:
    [row] = await core.store.read_within(LONG_READ_SECONDS, COUNTS, domain=domain, to=target_seq)
    hashes = await _unshared_hashes(core, domain, target_seq, row.hashes)
    sizes = {blob.name: blob.size for blob in await core.contents.blobs.list_blobs(domain)}
    sizes |= {row.sha256: row.size for row in await core.store.read(SIZES, domain=domain, hashes=hashes)}
    [first_states] = await core.store.read_within(
        LONG_READ_SECONDS, FIRST_STATES, domain=domain, to=target_seq, limit=EXAMPLES
    )
    [point] = await core.store.read(NEXT_EVENTS, domain=domain, numbers=[target_seq])
    return CompactionResult(
        domain=domain,
        dry_run=False,
        compacted_to=target_seq,
        answers_from=point.at,
        archived=row.events,
        events=row.removed,
        contents=len(hashes),
        bytes=sum(sizes.get(sha256, 0) for sha256 in hashes),
        nodes=first_states.nodes,
        titles=tuple(first_states.titles),
    )


async def _unshared_hashes(core: Core, domain: str, target_seq: int, hashes: Sequence[str]) -> list[str]:
    """Return the hashes of the contents that no event uses after the compaction."""
    if not hashes:
        return []
    rows = await core.store.read_within(LONG_READ_SECONDS, KEPT_HASHES, domain=domain, to=target_seq, hashes=hashes)
    return sorted(set(hashes).difference(rows))


async def _sessions_json(core: Core, domain: str, segment: LogSegment, target_seq: int) -> str:
    """Return summaries of the sessions of removed changes, including changes that were compacted earlier, as JSON."""
    state = (await domain_state(core.store, domain))[0]
    removed_sessions = await sessions_between(
        core.store, domain, segment.stored_events_after, target_seq + 1, 1_000_000
    )
    return sessions_to_json(limit_sessions(merge_sessions(removed_sessions, sessions_from_json(state.compacted))))


async def _check_no_unfinished_branch(core: Core, job: Job) -> None:
    """Withdraw the job and raise DOMAIN_BUSY if an unfinished branch still copies the events."""
    if not job.is_resumed and (names := await unfinished_branches(core.store, {job.domain})):
        await job.withdraw()
        hint = "Wait until it is complete. If it was interrupted, create the same branch again, or delete it."
        message = f"A branch of domain {job.domain} is being created: {join_names(names)}"
        raise GraphError(Code.DOMAIN_BUSY, message, {"domain": job.domain, "branches": names, "hint": hint})


class _CompactionStages:
    """The stages of a compaction. A new run continues an interrupted one."""

    def __init__(self, core: Core, job: Job, segment: LogSegment, target_seq: int) -> None:
        self._core = core
        self._job = job
        self._begin = segment.forked_at or 0
        self._to = target_seq
        self._path = Path(str(job.arguments["archive"]))

    async def run(self) -> CompactionResult:
        if self._job.progress.stage == "":
            await self._write_archive()
        if self._job.progress.stage == "contents":
            await self._drop_contents()
        while self._job.progress.stage == "events" and self._job.progress.seq < self._to:
            await self._prune()
        await self._job.end()
        self._core.log.forget(self._job.domain)
        compacted = CompactionResult.model_validate_json(str(self._job.arguments["found"]))
        resumed = self._job.is_resumed or None
        return compacted.model_copy(update={"archive": str(self._path), "resumed": resumed})

    async def _write_archive(self) -> None:
        """Write the archive, and append the event of the compaction to the log when the archive gets its final name.

        End the job if this fails.
        """
        archive = Archive(self._core, self._job.domain, self._to, self._path)
        try:
            await archive.write()
            state, previous = await domain_state(self._core.store, self._job.domain)
            new_state = replace(state, compacted_to=self._to, compacted=str(self._job.arguments["sessions"]))
            draft = domain_draft(new_state, previous)

            async def publish_archive(transaction: Transaction) -> None:
                await append_job_event(self._core, transaction, self._job.domain, draft)
                await archive.rename_to_final()

            await self._job.step(self._job.with_progress(stage="contents"), publish_archive)
        except GraphError:
            await self._job.end()
            raise
        finally:
            archive.discard()

    async def _drop_contents(self) -> None:
        domain = self._job.domain
        [row] = await self._core.store.read_within(LONG_READ_SECONDS, COUNTS, domain=domain, to=self._to)
        hashes = await _unshared_hashes(self._core, domain, self._to, row.hashes)
        before = datetime.fromisoformat(str(self._job.arguments["at"]))
        await self._core.contents.drop(domain, hashes, before)
        self._core.contents.forget(domain, hashes)
        for start in range(0, len(hashes), PAGE):
            page = hashes[start : start + PAGE]

            async def drop(transaction: Transaction, page: Sequence[str] = page) -> None:
                await transaction.run(DROP_CONTENTS, domain=domain, hashes=page)

            await self._job.step(self._job.with_progress(done=self._job.progress.done + len(page)), drop)
        while await self._delete_search_rows():
            pass
        await self._job.step(self._job.with_progress(stage="events", seq=self._begin))

    async def _delete_search_rows(self) -> int:
        """Delete a page of the search rows that ended before the target event. Returns the number of deleted rows."""
        deleted = 0

        async def delete(transaction: Transaction) -> None:
            nonlocal deleted
            deleted = await delete_ended_rows(transaction, self._job.domain, self._to)

        await self._job.step(self._job.with_progress(done=self._job.progress.done + 1), delete)
        return deleted

    async def _prune(self) -> None:
        after = self._job.progress.seq
        until = min(after + PAGE, self._to)

        async def prune(transaction: Transaction) -> None:
            await transaction.run(PRUNE, domain=self._job.domain, after=after, until=until, to=self._to)

        await self._job.step(self._job.with_progress(seq=until, done=self._job.progress.done + until - after), prune)
