"""Operations longer than a transaction: steps, each committed together with how far the whole has come.

While one goes on, its domain is not `ready`: writers are told DOMAIN_BUSY. What was cut off goes on where it was when
the same is asked for again; nobody has to clean up. Who asks while it still runs takes it over: each run has a name,
and one that finds another's name where it left its own ends with DOMAIN_BUSY.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin, new_id
from graph_memory.model.subjects.protection import Guard
from graph_memory.model.text.wording import shown
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.protection import Reach, check_job
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Store, Transaction

READY = "ready"
GROWING = "growing"
"""Types change step by step. One that was cut off is ended by whatever ontology is applied next."""


@dataclass(frozen=True, slots=True)
class JobState:
    """What goes on in a domain."""

    seq: int
    state: str
    job: str | None


@dataclass(frozen=True, slots=True)
class JobRow(JobState):
    """The same, read under its lock, with what of it is protected."""

    protection: str | None
    has_protected: bool


JOB = query("log/job", JobRow)
PUT_JOB = query("log/put_job", Nothing)
BEGIN_DOMAIN = query("log/begin_domain", Nothing)
DELETE_DOMAIN = query("log/delete_domain", Nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an operation has come: its stage, what of it was done last, and how much in all."""

    stage: str = ""
    after: str = ""
    seq: int = 0
    done: int = 0


Params = Mapping[str, str | int]
"""What makes an operation the same as an earlier one: it goes on with that."""
OF_FOLDER: Params = {"of": "folder"}
"""What tells of an import that nobody can go on with."""


async def _nothing(_: Transaction) -> None:
    """There is nothing to do but to note the progress."""


@dataclass(slots=True)
class Job:
    """An operation in progress in a domain."""

    store: Store
    domain: str
    state: str
    params: Params
    given: Params
    progress: Progress
    run: str
    is_resumed: bool = False
    is_new: bool = False
    """Whether the domain is made by it."""
    before: JobRow | None = None
    """What went on in the domain before this run began it."""

    async def step(
        self,
        then: Progress,
        work: Callable[[Transaction], Awaitable[None]] = _nothing,
        *,
        limit: float | None = None,
    ) -> None:
        """Commit work together with the progress that it makes; done already in doubt, it is not done again.

        The server stops it after `limit` seconds, unless told after those of any write. Raises DOMAIN_BUSY when another
        run goes on with the same operation.
        """
        before, after = self.noted(self.progress), self.noted(then)

        async def attempt(transaction: Transaction) -> None:
            row = await _row(transaction, self.domain)
            if (row.state, row.job) == (self.state, after) and after != before:
                return
            if (row.state, row.job) != (self.state, before):
                raise busy(self.domain, row.state, row.job)
            await work(transaction)
            await transaction.run(PUT_JOB, domain=self.domain, state=self.state, job=after)

        await self.store.write(self.state, attempt, limit=limit)
        self.progress = then

    async def end(self, work: Callable[[Transaction], Awaitable[None]] = _nothing) -> None:
        """Commit the last work, after which the domain is ready; or gone, when that is what the work was."""
        noted = self.noted(self.progress)

        async def attempt(transaction: Transaction) -> None:
            row = await transaction.one(JOB, domain=self.domain)
            if row is None or row.state == READY:
                return
            if (row.state, row.job) != (self.state, noted):
                raise busy(self.domain, row.state, row.job)
            await work(transaction)
            await transaction.run(PUT_JOB, domain=self.domain, state=READY, job=None)

        await self.store.write(self.state, attempt)

    async def withdraw(self) -> None:
        """Take back what this run has begun and not gone on with: a new domain is gone, another is what it was."""
        noted = self.noted(self.progress)

        async def attempt(transaction: Transaction) -> None:
            row = await transaction.one(JOB, domain=self.domain)
            if row is None or (row.state, row.job) != (self.state, noted):
                return
            if self.is_new:
                await transaction.run(DELETE_DOMAIN, domain=self.domain)
            elif self.before is not None:
                await transaction.run(PUT_JOB, domain=self.domain, state=self.before.state, job=self.before.job)

        await self.store.write(self.state, attempt)

    def then(self, **progress: str | int) -> Progress:
        """Return the progress with these parts changed."""
        return replace(self.progress, **progress)  # pyright: ignore[reportArgumentType] - the names of its fields

    def noted(self, progress: Progress) -> str:
        """Return the operation and how far it has come as text."""
        told = {"params": self.params, "given": self.given, "progress": asdict(progress), "run": self.run}
        return json.dumps(told, sort_keys=True)


async def begin(
    store: Store,
    domain: str,
    state: str,
    params: Params,
    given: Params,
    *,
    origin: Origin,
    reach: Reach,
    at: datetime | None = None,
    takes_over: bool = False,
) -> Job:
    """Begin an operation, or take over the same one where it is, with what was `given` to it then.

    With a time the domain is a new one; `takes_over` ends whatever else goes on in it. `reach` says what of a protected
    domain it touches: it is asked once, as nothing can be protected while it goes on. Raises DOMAIN_ALREADY_EXISTS,
    ONTOLOGY_NOT_FOUND, PROTECTED, and DOMAIN_BUSY while something else goes on.
    """
    job = Job(store, domain, state, params, given, Progress(), run=new_id("run"), is_new=at is not None)
    taken = False

    async def attempt(transaction: Transaction) -> Job:
        nonlocal taken
        if at is not None:
            await transaction.run(BEGIN_DOMAIN, domain=domain, at=at)
        row = await _row(transaction, domain)
        if row.state == state and (found := _same(job, row)):
            taken = taken or row.job != found.noted(found.progress)
            await transaction.run(PUT_JOB, domain=domain, state=state, job=found.noted(found.progress))
            return replace(found, is_resumed=taken)
        if row.state != READY and not takes_over:
            raise busy(domain, row.state, row.job)
        if at is not None and row.seq > 0:
            raise exists(domain)
        await check_job(transaction, domain, Guard.of(row.protection, row.has_protected), origin, reach)
        await transaction.run(PUT_JOB, domain=domain, state=state, job=job.noted(job.progress))
        job.before = row
        return job

    return await store.write(state, attempt)


def _same(job: Job, row: JobRow) -> Job | None:
    """Return the operation that goes on as this run goes on with it, if it is the one that is asked for."""
    noted = json.loads(row.job or "{}")
    if noted.get("params") != dict(job.params):
        return None
    return replace(job, given=noted["given"], progress=Progress(**noted["progress"]))


async def _row(transaction: Transaction, domain: str) -> JobRow:
    row = await transaction.one(JOB, domain=domain)
    if row is None:
        raise no_ontology(domain)
    return row


def busy(domain: str, state: str, job: str | None) -> GraphError:
    """Return the error for a domain in which something long goes on."""
    told = cast("Mapping[str, Mapping[str, Any]]", json.loads(job) if job else {})
    done, asked = int(told.get("progress", {}).get("done", 0)), told.get("params", {})
    then = "repeat the same call: it resumes where it stopped"
    if OF_FOLDER.items() <= asked.items():
        then = "delete the domain and import the folder again"
    if state == GROWING:
        then = "apply the ontology again, or another one"
    hint = f"Try again when it is done. Only if it was interrupted, {then}."
    details: dict[str, object] = {"domain": domain, "state": state, "done": done, "hint": hint}
    if asked:
        details["asked"] = {name: _words(value) for name, value in asked.items()}
    return GraphError(Code.DOMAIN_BUSY, f"Domain {domain} is busy: {state.replace('_', ' ')}, {done:,} done", details)


def _words(value: object) -> str:
    """Return what was asked in full: several ids are one text."""
    return " ".join(shown(word) for word in str(value).split(" "))


def exists(domain: str) -> GraphError:
    """Return the error for a new domain whose name is taken."""
    hint = "Choose another name, or delete that domain first."
    return GraphError(Code.DOMAIN_ALREADY_EXISTS, f"Domain {domain} already exists", {"domain": domain, "hint": hint})
