"""Erasing a subject: every state and content of it goes, from the graph, the log and all that shares the past.

Its events stay in their places, without content, so that the log has no gap and no id is given out again. First it
is deleted like anything else, then its contents go, then its events are scrubbed; each stage can be taken up again.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from graph_memory.memory.changes.context import ATTACHED, detaching
from graph_memory.memory.core import Core
from graph_memory.memory.domains.relatives import ERASING, related_domains, unfinished_branches
from graph_memory.memory.graph.describe import titles_of
from graph_memory.memory.retention.results import Erased, ErasedIn
from graph_memory.memory.search.index.copying import take_out
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Op, new_id, number
from graph_memory.model.projection import project
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.text.wording import shown
from graph_memory.model.time.clock import next_time
from graph_memory.model.values.arguments import fault
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import Job
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.project import APPEND, appended, run_projection
from graph_memory.storage.log.protection import One
from graph_memory.storage.log.reads import DROP_CONTENTS, last_event
from graph_memory.storage.log.writing import LOCK, utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import PATIENCE, Reader, Transaction

PAGE = 1_000
"""Subjects that are deleted, or events that are scrubbed, in one transaction."""


@dataclass(frozen=True, slots=True)
class AffectedRow:
    """What an erasure takes the content of."""

    events: int
    subjects: int
    hashes: list[str]


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """How many events lost their content, and the number of the last."""

    scrubbed: int
    last: int


AFFECTED = query("retention/affected", AffectedRow)
SHARED = query("retention/shared", str)
SCRUB = query("retention/scrub", Scrubbed)


async def erase(core: Core, domain: str, subject: str, *, dry_run: bool) -> Erased:
    """Erase a subject from a domain and all that share its past. `History.erase` tells the rest."""
    await core.log.require_ontology(domain)
    known = await _known(core.store, domain, subject)
    done: dict[str, ErasedIn] = {}
    while begun := await _begun(core, await _left(core.store, domain, done), subject, dry_run=dry_run):
        for name, job in begun.items():
            done[name] = await _in_domain(core, name, subject, job)
    title = await _title(core, *known) if dry_run else None
    return Erased(subject=subject, title=title, dry_run=dry_run, domains=tuple(done.values()))


async def _title(core: Core, domain: str, event: Event) -> str | None:
    return (await titles_of(core, domain, [event.draft], event.seq)).get(event.draft.subject)


async def _left(reader: Reader, domain: str, done: Container[str]) -> list[str]:
    """Return the domains of a family that are not done: also such as a merge may have brought the subject into."""
    return [name for name in await related_domains(reader, domain) if name not in done]


async def _known(reader: Reader, domain: str, subject: str) -> tuple[str, Event]:
    """Return a domain of the family that knows a subject, and the last event of it there.

    Raises NODE_NOT_FOUND for what no log of the family knows, and INVALID_ARGUMENT for what is not erased.
    """
    events = {name: await last_event(reader, name, subject) for name in await related_domains(reader, domain)}
    found = {name: event for name, event in events.items() if event is not None}
    if not found:
        raise _unknown(domain, subject)
    if not {event.draft.kind for event in found.values()} <= set(DATA):
        hint = "Give the id of a node, connection, observation or link."
        raise fault("subject", f"{shown(subject)} is not data: it belongs to the ontology or the domain", hint)
    name = domain if domain in found else next(iter(found))
    return name, found[name]


async def _begun(core: Core, domains: Sequence[str], subject: str, *, dry_run: bool) -> dict[str, Job | None]:
    """Begin in all domains that know the subject before anything is erased in one; when that fails, in none."""
    unfinished = await unfinished_branches(core.store, {*domains})
    known = [
        domain
        for domain in domains
        if domain in unfinished or await last_event(core.store, domain, subject) is not None
    ]
    begun: dict[str, Job] = {}
    given = {"at": datetime.now(UTC).isoformat()}
    if dry_run:
        return dict.fromkeys(known)
    try:
        for name in known:
            begun[name] = await jobs.begin(
                core.store, name, ERASING, {"subject": subject}, given, origin=core.origin, reach=One(subject)
            )
    except GraphError:
        for job in begun.values():
            if not job.is_resumed:
                await job.withdraw()
        raise
    return dict(begun)


async def _in_domain(core: Core, domain: str, subject: str, job: Job | None) -> ErasedIn:
    """Erase in one domain what there is to erase; without a job only count it."""
    [affected] = await core.store.read_within(PATIENCE, AFFECTED, domain=domain, subject=subject)
    hashes = await _own_hashes(core, domain, subject, affected.hashes)
    left = await _Erasing(core, job, subject, hashes).run() if job else 0
    return ErasedIn(
        domain=domain,
        subjects=affected.subjects,
        events=affected.events,
        contents=len(hashes),
        blobs_left=left or None,
        resumed=(job is not None and job.is_resumed) or None,
    )


async def _own_hashes(core: Core, domain: str, subject: str, hashes: Sequence[str]) -> list[str]:
    """Return those of the contents that belong to nothing else."""
    if not hashes:
        return []
    rows = await core.store.read_within(PATIENCE, SHARED, domain=domain, subject=subject, hashes=hashes)
    return sorted(set(hashes).difference(rows))


class _Erasing:
    """The stages of an erasure in one domain, from wherever an earlier run of it was cut off."""

    def __init__(self, core: Core, job: Job, subject: str, hashes: Sequence[str]) -> None:
        self._core = core
        self._job = job
        self._subject = subject
        self._hashes = hashes
        self._scrubbed_to = 0

    async def run(self) -> int:
        """Go through what is left, and return how many blobs had to stay."""
        left = 0
        if self._job.progress.stage == "":
            await self._delete()
        if self._job.progress.stage == "contents":
            left = await self._drop_contents()
        while await self._scrub():
            pass
        await self._job.end()
        self._core.log.forget(self._job.domain)
        return left

    async def _delete(self) -> None:
        """Delete the subject and what is tied to it, as any deletion does; its last event says that it was erased."""
        last = await last_event(self._core.store, self._job.domain, self._subject)
        while self._job.progress.stage == "":
            attached = await self._attached(last)
            is_last = len(attached) < PAGE
            page = [*attached, *(self._own_deletion(last) if is_last else [])]
            then = self._job.then(stage="contents" if is_last else "", done=self._job.progress.done + len(page))

            async def delete(transaction: Transaction, page: Sequence[Draft] = page) -> None:
                if page:
                    await self._append(transaction, page)

            await self._job.step(then, delete)

    async def _attached(self, last: Event | None) -> list[Draft]:
        """Return the deletions of a page of what is attached to the subject, if that is a living node."""
        if last is None or last.draft.op is Op.DELETE or last.draft.kind is not Kind.NODE:
            return []
        rows = await self._core.store.read(ATTACHED, domain=self._job.domain, nodes=[self._subject], limit=PAGE)
        return [detaching(row) for row in rows]

    def _own_deletion(self, last: Event | None) -> list[Draft]:
        """Return the deletion of the subject itself, also if it was deleted, but not if it was erased before."""
        if last is None or (last.draft.erased and last.draft.was is None):
            return []
        return [replace(last.draft, op=Op.DELETE, previous=last.seq, state=None, content=None)]

    async def _append(self, transaction: Transaction, drafts: Sequence[Draft]) -> None:
        domain = self._job.domain
        lock = await transaction.one(LOCK, domain=domain, batch="")
        if lock is None:
            raise no_ontology(domain)
        at, batch = next_time(lock.last_at, utc_now()), new_id("evt")
        events = number(drafts, domain=domain, after=lock.seq, at=at, batch=batch, origin=self._core.origin)
        ontology = await self._core.log.require_ontology(domain)
        await run_projection(transaction, project(domain, events, ontology))
        await transaction.run(APPEND, **appended([_tombstone(event) for event in events], lock.ontology_version, 0))

    async def _drop_contents(self) -> int:
        domain = self._job.domain
        before = datetime.fromisoformat(str(self._job.given["at"]))
        left = await self._core.contents.drop(domain, self._hashes, before)
        self._core.contents.forget(domain, self._hashes)

        async def drop(transaction: Transaction) -> None:
            await transaction.run(DROP_CONTENTS, domain=domain, hashes=self._hashes)
            await take_out(transaction, domain, self._subject)

        await self._job.step(self._job.then(stage="scrub"), drop, limit=PATIENCE)
        return left

    async def _scrub(self) -> bool:
        """Scrub a page of events, and say whether there was one."""
        page = {"domain": self._job.domain, "subject": self._subject, "after": self._scrubbed_to, "limit": PAGE}
        scrubbed = Scrubbed(0, 0)

        async def scrub(transaction: Transaction) -> None:
            nonlocal scrubbed
            [scrubbed] = await transaction.run(SCRUB, **page)

        await self._job.step(self._job.then(done=self._job.progress.done + PAGE), scrub, limit=PATIENCE)
        self._scrubbed_to = scrubbed.last
        return scrubbed.scrubbed > 0


def _tombstone(event: Event) -> Event:
    """Return the event that says of its subject that it was erased, and nothing else."""
    draft = Draft(op=Op.DELETE, kind=event.draft.kind, subject=event.draft.subject, erased=True)
    return replace(event, draft=replace(draft, previous=event.draft.previous))


def _unknown(domain: str, subject: str) -> GraphError:
    hint = "Give the id of a node, connection, observation or link, even of a deleted one."
    details = {"subject": shown(subject), "domain": domain, "hint": hint}
    return GraphError(Code.NODE_NOT_FOUND, f"The log of domain {domain} has no record of {shown(subject)}", details)
