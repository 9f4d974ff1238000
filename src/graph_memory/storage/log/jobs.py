"""Jobs: operations that are too long for a transaction. They run in steps, each committed together with the progress.

During a job, the domain is not `ready`, and other writes raise DOMAIN_BUSY. Repeating the request resumes an
interrupted job, or takes over a running one. Each run has an id. A run raises DOMAIN_BUSY when another run has taken
over.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin, new_id
from graph_memory.model.rights import Right, require
from graph_memory.model.subjects.protection import DomainProtections
from graph_memory.model.text.wording import printable
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.protection import Reach, check_job
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Store, Transaction

READY = "ready"
GROWING = "growing"
"""The state during a change of types. The next application of an ontology ends an interrupted one."""


@dataclass(frozen=True, slots=True)
class JobState:
    """The log position, the state and the job of a domain."""

    seq: int
    state: str
    job: str | None


@dataclass(frozen=True, slots=True)
class JobRow(JobState):
    """The state and the protection of a domain, read while the domain is locked."""

    protection: str | None
    has_protected: bool


JOB = query("log/job", JobRow)
PUT_JOB = query("log/put_job", Nothing)
BEGIN_DOMAIN = query("log/begin_domain", Nothing)
DELETE_DOMAIN = query("log/delete_domain", Nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a job: the stage, the last completed item, and the number of completed items."""

    stage: str = ""
    after: str = ""
    seq: int = 0
    done: int = 0


Params = Mapping[str, str | int]
"""The parameters that identify a job. A job with equal parameters is resumed."""
OF_FOLDER: Params = {"of": "folder"}
"""The parameter of an import that cannot be resumed."""


async def _no_work(_: Transaction) -> None:
    """Do nothing, so that a step only stores the progress."""


@dataclass(slots=True)
class Job:
    """A job in progress in a domain."""

    store: Store
    domain: str
    state: str
    params: Params
    arguments: Params
    progress: Progress
    run: str
    is_resumed: bool = False
    is_new: bool = False
    """Whether the job creates the domain."""
    before: JobRow | None = None
    """The state of the domain before this run."""

    async def step(
        self,
        then: Progress,
        work: Callable[[Transaction], Awaitable[None]] = _no_work,
        *,
        limit: float | None = None,
    ) -> None:
        """Run `work`, and commit it together with the progress. A step that was already committed is not repeated.

        The server stops the step after `limit` seconds (default: the limit for writes). Raises DOMAIN_BUSY if another
        run has taken over the job.
        """
        before, after = self.as_text(self.progress), self.as_text(then)

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

    async def end(self, work: Callable[[Transaction], Awaitable[None]] = _no_work) -> None:
        """Run and commit the last work. After that, the domain is ready, unless the work deleted it."""
        stored = self.as_text(self.progress)

        async def attempt(transaction: Transaction) -> None:
            row = await transaction.first_row(JOB, domain=self.domain)
            if row is None or row.state == READY:
                return
            if (row.state, row.job) != (self.state, stored):
                raise busy(self.domain, row.state, row.job)
            await work(transaction)
            await transaction.run(PUT_JOB, domain=self.domain, state=READY, job=None)

        await self.store.write(self.state, attempt)

    async def withdraw(self) -> None:
        """Undo the start of this run: delete a new domain, or restore the previous state of an existing one."""
        stored = self.as_text(self.progress)

        async def attempt(transaction: Transaction) -> None:
            row = await transaction.first_row(JOB, domain=self.domain)
            if row is None or (row.state, row.job) != (self.state, stored):
                return
            if self.is_new:
                await transaction.run(DELETE_DOMAIN, domain=self.domain)
            elif self.before is not None:
                await transaction.run(PUT_JOB, domain=self.domain, state=self.before.state, job=self.before.job)

        await self.store.write(self.state, attempt)

    def then(self, **progress: str | int) -> Progress:
        """Return the progress with the given fields changed."""
        return replace(self.progress, **progress)  # pyright: ignore[reportArgumentType] - the names of its fields

    def as_text(self, progress: Progress) -> str:
        """Return the job with this progress as text, as it is stored."""
        rendered = {"params": self.params, "given": self.arguments, "progress": asdict(progress), "run": self.run}
        return json.dumps(rendered, sort_keys=True)


async def begin(
    store: Store,
    domain: str,
    state: str,
    params: Params,
    arguments: Params,
    *,
    origin: Origin,
    reach: Reach,
    at: datetime | None = None,
    takes_over: bool = False,
) -> Job:
    """Start a job, or resume or take over the same job with the arguments of its first run.

    If `at` is given, the job creates the domain. `takes_over` ends any other job in the domain. `reach` is the part of
    the domain that the job changes, which must not be protected. Raises DOMAIN_ALREADY_EXISTS, ONTOLOGY_NOT_FOUND,
    PROTECTED, INSUFFICIENT_RIGHTS, and DOMAIN_BUSY during another job.
    """
    require(domain, Right.WRITE)
    job = Job(store, domain, state, params, arguments, Progress(), run=new_id("run"), is_new=at is not None)
    is_taken_over = False

    async def attempt(transaction: Transaction) -> Job:
        nonlocal is_taken_over
        if at is not None:
            await transaction.run(BEGIN_DOMAIN, domain=domain, at=at)
        row = await _row(transaction, domain)
        if row.state == state and (resumed := _resume(job, row)):
            is_taken_over = is_taken_over or row.job != resumed.as_text(resumed.progress)
            await transaction.run(PUT_JOB, domain=domain, state=state, job=resumed.as_text(resumed.progress))
            return replace(resumed, is_resumed=is_taken_over)
        if row.state != READY and not takes_over:
            raise busy(domain, row.state, row.job)
        if at is not None and row.seq > 0:
            raise domain_exists(domain)
        await check_job(transaction, domain, DomainProtections.of(row.protection, row.has_protected), origin, reach)
        await transaction.run(PUT_JOB, domain=domain, state=state, job=job.as_text(job.progress))
        job.before = row
        return job

    return await store.write(state, attempt)


def _resume(job: Job, row: JobRow) -> Job | None:
    """Return the stored job to resume it, or None if its parameters differ."""
    stored = json.loads(row.job or "{}")
    if stored.get("params") != dict(job.params):
        return None
    return replace(job, arguments=stored["given"], progress=Progress(**stored["progress"]))


async def _row(transaction: Transaction, domain: str) -> JobRow:
    row = await transaction.first_row(JOB, domain=domain)
    if row is None:
        raise no_ontology(domain)
    return row


def busy(domain: str, state: str, job: str | None) -> GraphError:
    """Return the error for a domain that has a job in progress."""
    rendered = cast("Mapping[str, Mapping[str, Any]]", json.loads(job) if job else {})
    done, params = int(rendered.get("progress", {}).get("done", 0)), rendered.get("params", {})
    remedy = "repeat the same call: it resumes where it stopped"
    if OF_FOLDER.items() <= params.items():
        remedy = "delete the domain and import the folder again"
    if state == GROWING:
        remedy = "apply the ontology again, or another one"
    hint = f"Try again when it is done. Only if it was interrupted, {remedy}."
    details: dict[str, object] = {"domain": domain, "state": state, "done": done, "hint": hint}
    if params:
        details["asked"] = {name: _param_text(value) for name, value in params.items()}
    return GraphError(Code.DOMAIN_BUSY, f"Domain {domain} is busy: {state.replace('_', ' ')}, {done:,} done", details)


def _param_text(value: object) -> str:
    """Return the parameter, which may contain several ids, as text for a message."""
    return " ".join(printable(word) for word in str(value).split(" "))


def domain_exists(domain: str) -> GraphError:
    """Return the error for a new domain whose name is taken."""
    hint = "Choose another name, or delete that domain first."
    return GraphError(Code.DOMAIN_ALREADY_EXISTS, f"Domain {domain} already exists", {"domain": domain, "hint": hint})


def idempotency_conflict(domain: str, seq: int | None, *, is_gone: bool) -> GraphError:
    """Return the error for a used idempotency key. `is_gone`: events of its batch were erased or compacted."""
    used, hint = "for other operations", "To repeat a batch, pass the same operations. For others, pass another key."
    if is_gone:
        used = "before, and events of that batch have been erased or compacted since"
        hint = "Nothing was changed. Read the present state, and pass another key for operations to write again."
    message = f"The idempotency key was used {used}, at number {seq} of the log of domain {domain}"
    return GraphError(Code.IDEMPOTENCY_CONFLICT, message, {"domain": domain, "seq": seq, "hint": hint})
