"""Erasure of a subject: all its states and contents are removed from the graph, the log and related domains.

Its events stay, without content, so that the log has no gap and no id is used again. First the subject is deleted as
usual, then its contents are deleted, then its events are scrubbed. Each stage can be resumed.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from graph_memory.memory.changes.context import ATTACHED, detachment_draft
from graph_memory.memory.core import Core
from graph_memory.memory.domains.relatives import ERASING, related_domains, unfinished_branches
from graph_memory.memory.graph.describe import titles_of
from graph_memory.memory.retention.results import DomainErasureResult, ErasureResult
from graph_memory.memory.search.index.copying import delete_rows_of
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Op, new_id, number_events
from graph_memory.model.projection import project
from graph_memory.model.rights import Right, require
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.time.clock import next_time
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import Job
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.project import APPEND, append_params, run_projection
from graph_memory.storage.log.protection import SubjectScope
from graph_memory.storage.log.reads import DROP_CONTENTS, last_event
from graph_memory.storage.log.writing import LOCK, utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import LONG_READ_SECONDS, Reader, Transaction

PAGE = 1_000
"""Maximum number of subjects deleted, or events scrubbed, in one transaction."""


@dataclass(frozen=True, slots=True)
class AffectedRow:
    """The number of events and subjects that an erasure scrubs in a domain, and the hashes of their contents."""

    events: int
    subjects: int
    hashes: list[str]


@dataclass(frozen=True, slots=True)
class ScrubRow:
    """The number of events that a page scrubbed, and the log number of the last scrubbed event."""

    scrubbed: int
    last: int


AFFECTED = query("retention/affected", AffectedRow)
SHARED = query("retention/shared", str)
SCRUB = query("retention/scrub", ScrubRow)


async def erase(core: Core, domain: str, subject: str, *, dry_run: bool) -> ErasureResult:
    """Erase a subject from a domain and all related domains. See `History.erase`."""
    with core.audit.act("erase", subject, domain=domain, origin=core.origin, dry_run=dry_run):
        require(domain, Right.ADMIN)
        await core.log.require_ontology(domain)
        logged_domain, event = await _find_logged(core.store, domain, subject)
        results: dict[str, DomainErasureResult] = {}
        while jobs_begun := await _begin_jobs(
            core, await _remaining_domains(core.store, domain, results), subject, dry_run=dry_run
        ):
            for name, job in jobs_begun.items():
                results[name] = await _erase_in_domain(core, name, subject, job)
        title = None
        if dry_run:
            title = (await titles_of(core, logged_domain, [event.draft], event.seq)).get(event.draft.subject)
        return ErasureResult(subject=subject, title=title, dry_run=dry_run, domains=tuple(results.values()))


async def _remaining_domains(reader: Reader, domain: str, processed: Container[str]) -> list[str]:
    """Return the related domains that are not processed yet.

    Reads the related domains again, because a merge may have copied the subject into another domain.
    """
    return [name for name in await related_domains(reader, domain) if name not in processed]


async def _find_logged(reader: Reader, domain: str, subject: str) -> tuple[str, Event]:
    """Return a related domain whose log contains the subject, and the subject's last event there.

    Raises NODE_NOT_FOUND if no log contains the subject, and INVALID_ARGUMENT if it is a type or the domain itself.
    """
    events = {name: await last_event(reader, name, subject) for name in await related_domains(reader, domain)}
    logged_events = {name: event for name, event in events.items() if event is not None}
    if not logged_events:
        raise _subject_not_found_error(domain, subject)
    if not {event.draft.kind for event in logged_events.values()} <= set(DATA):
        hint = "Pass the id of a node, connection, observation or link."
        raise invalid_argument(
            "subject", f"{printable(subject)} is not data: it belongs to the ontology or the domain", hint
        )
    name = domain if domain in logged_events else next(iter(logged_events))
    return name, logged_events[name]


async def _begin_jobs(core: Core, domains: Sequence[str], subject: str, *, dry_run: bool) -> dict[str, Job | None]:
    """Begin a job in each domain whose log contains the subject. If one job cannot begin, withdraws all jobs."""
    unfinished = await unfinished_branches(core.store, {*domains})
    affected_domains = [
        domain
        for domain in domains
        if domain in unfinished or await last_event(core.store, domain, subject) is not None
    ]
    for name in affected_domains:
        require(name, Right.ADMIN)
    jobs_begun: dict[str, Job] = {}
    job_values = {"at": datetime.now(UTC).isoformat()}
    if dry_run:
        return dict.fromkeys(affected_domains)
    try:
        for name in affected_domains:
            jobs_begun[name] = await jobs.begin(
                core.store,
                name,
                ERASING,
                {"subject": subject},
                job_values,
                origin=core.origin,
                reach=SubjectScope(subject),
            )
    except GraphError:
        for job in jobs_begun.values():
            if not job.is_resumed:
                await job.withdraw()
        raise
    return dict(jobs_begun)


async def _erase_in_domain(core: Core, domain: str, subject: str, job: Job | None) -> DomainErasureResult:
    """Erase the subject in one domain. If `job` is None, only count the subjects, events and contents."""
    [affected] = await core.store.read_within(LONG_READ_SECONDS, AFFECTED, domain=domain, subject=subject)
    hashes = await _unshared_hashes(core, domain, subject, affected.hashes)
    blobs_left = await _ErasureStages(core, job, subject, hashes).run() if job else 0
    return DomainErasureResult(
        domain=domain,
        subjects=affected.subjects,
        events=affected.events,
        contents=len(hashes),
        blobs_left=blobs_left or None,
        resumed=(job is not None and job.is_resumed) or None,
    )


async def _unshared_hashes(core: Core, domain: str, subject: str, hashes: Sequence[str]) -> list[str]:
    """Return the hashes of the contents that no other subject uses."""
    if not hashes:
        return []
    rows = await core.store.read_within(LONG_READ_SECONDS, SHARED, domain=domain, subject=subject, hashes=hashes)
    return sorted(set(hashes).difference(rows))


class _ErasureStages:
    """The stages of an erasure in one domain. A new run continues an interrupted one."""

    def __init__(self, core: Core, job: Job, subject: str, hashes: Sequence[str]) -> None:
        self._core = core
        self._job = job
        self._subject = subject
        self._hashes = hashes
        self._scrubbed_to = 0

    async def run(self) -> int:
        """Run the remaining stages. Returns the number of blobs that were kept."""
        blobs_left = 0
        if self._job.progress.stage == "":
            await self._delete()
        if self._job.progress.stage == "contents":
            blobs_left = await self._drop_contents()
        while await self._scrub():
            pass
        await self._job.end()
        self._core.log.forget(self._job.domain)
        return blobs_left

    async def _delete(self) -> None:
        """Delete the subject and its attachments. The last event marks the subject as erased."""
        last = await last_event(self._core.store, self._job.domain, self._subject)
        while self._job.progress.stage == "":
            deletions = await self._attachment_deletions(last)
            is_last = len(deletions) < PAGE
            page = [*deletions, *(self._own_deletion(last) if is_last else [])]
            next_progress = self._job.with_progress(
                stage="contents" if is_last else "", done=self._job.progress.done + len(page)
            )

            async def delete(transaction: Transaction, page: Sequence[Draft] = page) -> None:
                if page:
                    await self._append(transaction, page)

            await self._job.step(next_progress, delete)

    async def _attachment_deletions(self, last: Event | None) -> list[Draft]:
        """Return drafts that delete a page of the subject's attachments."""
        if last is None or last.draft.op is Op.DELETE or last.draft.kind is not Kind.NODE:
            return []
        rows = await self._core.store.read(ATTACHED, domain=self._job.domain, nodes=[self._subject], limit=PAGE)
        return [detachment_draft(row) for row in rows]

    def _own_deletion(self, last: Event | None) -> list[Draft]:
        """Return the draft that deletes the subject, or an empty list if it is already erased.

        A subject that was deleted but not erased is deleted once more.
        """
        if last is None or (last.draft.erased and last.draft.erased_op is None):
            return []
        return [replace(last.draft, op=Op.DELETE, previous=last.seq, state=None, content=None)]

    async def _append(self, transaction: Transaction, drafts: Sequence[Draft]) -> None:
        domain = self._job.domain
        lock = await transaction.first_row(LOCK, domain=domain, batch="")
        if lock is None:
            raise no_ontology_error(domain)
        at, batch = next_time(lock.last_at, utc_now()), new_id("evt")
        events = number_events(drafts, domain=domain, after=lock.seq, at=at, batch=batch, origin=self._core.origin)
        ontology = await self._core.log.require_ontology(domain)
        await run_projection(transaction, project(domain, events, ontology))
        await transaction.run(
            APPEND, **append_params([_tombstone(event) for event in events], lock.ontology_version, 0)
        )

    async def _drop_contents(self) -> int:
        domain = self._job.domain
        before = datetime.fromisoformat(str(self._job.arguments["at"]))
        blobs_left = await self._core.contents.drop(domain, self._hashes, before)
        self._core.contents.forget(domain, self._hashes)

        async def drop(transaction: Transaction) -> None:
            await transaction.run(DROP_CONTENTS, domain=domain, hashes=self._hashes)
            await delete_rows_of(transaction, domain, self._subject)

        await self._job.step(self._job.with_progress(stage="scrub"), drop, limit=LONG_READ_SECONDS)
        return blobs_left

    async def _scrub(self) -> bool:
        """Scrub a page of events. Return whether the page contained any events."""
        page = {"domain": self._job.domain, "subject": self._subject, "after": self._scrubbed_to, "limit": PAGE}
        scrubbed = ScrubRow(0, 0)

        async def scrub(transaction: Transaction) -> None:
            nonlocal scrubbed
            [scrubbed] = await transaction.run(SCRUB, **page)

        await self._job.step(
            self._job.with_progress(done=self._job.progress.done + PAGE), scrub, limit=LONG_READ_SECONDS
        )
        self._scrubbed_to = scrubbed.last
        return scrubbed.scrubbed > 0


def _tombstone(event: Event) -> Event:
    """Return the event without its state, marked as erased."""
    draft = Draft(op=Op.DELETE, kind=event.draft.kind, subject=event.draft.subject, erased=True)
    return replace(event, draft=replace(draft, previous=event.draft.previous))


def _subject_not_found_error(domain: str, subject: str) -> GraphError:
    hint = Hint("Pass the id of a node, connection, observation or link. Find deleted ones with {memory_log:full}.")
    details = {"subject": printable(subject), "domain": domain, "hint": hint}
    return GraphError(Code.NODE_NOT_FOUND, f"The log of domain {domain} has no record of {quote(subject)}", details)
