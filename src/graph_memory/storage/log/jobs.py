"""Jobs: operations that are too long for one transaction. They run in steps, each committed with the job's progress.

During a job, the domain is not `ready`, and other writes raise DOMAIN_BUSY. Repeating the request resumes an
interrupted job, or takes over a running job. Each run has an id. After a take-over, the earlier run raises DOMAIN_BUSY.
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
from graph_memory.model.subjects.protection import Protections
from graph_memory.model.text.wording import printable
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.protection import Reach, check_job
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Store, Transaction

READY = "ready"
GROWING = "growing"
"""The state of a domain during a type change. If the change is interrupted, applying an ontology completes it."""


@dataclass(frozen=True, slots=True)
class JobState:
    """A domain's last log number, its state, and its job as JSON text, or None if no job is running."""

    seq: int
    state: str
    job: str | None


@dataclass(frozen=True, slots=True)
class JobRow(JobState):
    """A domain's job state and protection, read while the domain is locked."""

    protection: str | None
    has_protected: bool


JOB = query("log/job", JobRow)
PUT_JOB = query("log/put_job", NoRow)
BEGIN_DOMAIN = query("log/begin_domain", NoRow)
DELETE_DOMAIN = query("log/delete_domain", NoRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A job's progress: its stage, its last completed item or log number, and the number of completed items."""

    stage: str = ""
    after: str = ""
    seq: int = 0
    done: int = 0


Params = Mapping[str, str | int]
"""The parameters that identify a job. A request with equal parameters resumes the job."""
FOLDER_IMPORT: Params = {"of": "folder"}
"""The parameters that identify an import from a folder. It cannot be resumed."""


async def _no_work(_: Transaction) -> None:
    """Do nothing. The step then only stores the progress."""


@dataclass(slots=True)
class Job:
    """One run of a job in a domain."""

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
    """The domain's state before this run started the job, or None if this run resumed the job."""

    async def step(
        self,
        next_progress: Progress,
        work: Callable[[Transaction], Awaitable[None]] = _no_work,
        *,
        limit: float | None = None,
    ) -> None:
        """Run `work`, and commit its changes with the progress. Does nothing if the step is already committed.

        The server stops the step after `limit` seconds (default: the limit for writes). Raises DOMAIN_BUSY if another
        run has taken over the job.
        """
        before, after = self.to_text(self.progress), self.to_text(next_progress)

        async def attempt(transaction: Transaction) -> None:
            row = await _read_row(transaction, self.domain)
            if (row.state, row.job) == (self.state, after) and after != before:
                return
            if (row.state, row.job) != (self.state, before):
                raise busy_error(self.domain, row.state, row.job)
            await work(transaction)
            await transaction.run(PUT_JOB, domain=self.domain, state=self.state, job=after)

        await self.store.write(self.state, attempt, limit=limit)
        self.progress = next_progress

    async def end(self, work: Callable[[Transaction], Awaitable[None]] = _no_work) -> None:
        """Run the last work, commit its changes, and make the domain ready for other writes."""
        stored = self.to_text(self.progress)

        async def attempt(transaction: Transaction) -> None:
            row = await transaction.first_row(JOB, domain=self.domain)
            if row is None or row.state == READY:
                return
            if (row.state, row.job) != (self.state, stored):
                raise busy_error(self.domain, row.state, row.job)
            await work(transaction)
            await transaction.run(PUT_JOB, domain=self.domain, state=READY, job=None)

        await self.store.write(self.state, attempt)

    async def withdraw(self) -> None:
        """Undo the start of this run: delete the domain that it created, or restore the domain's previous state."""
        stored = self.to_text(self.progress)

        async def attempt(transaction: Transaction) -> None:
            row = await transaction.first_row(JOB, domain=self.domain)
            if row is None or (row.state, row.job) != (self.state, stored):
                return
            if self.is_new:
                await transaction.run(DELETE_DOMAIN, domain=self.domain)
            elif self.before is not None:
                await transaction.run(PUT_JOB, domain=self.domain, state=self.before.state, job=self.before.job)

        await self.store.write(self.state, attempt)

    def with_progress(self, **progress: str | int) -> Progress:
        """Return a copy of the current progress with the given fields changed."""
        return replace(self.progress, **progress)  # pyright: ignore[reportArgumentType] - the names of its fields

    def to_text(self, progress: Progress) -> str:
        """Return the job with this progress as JSON text for storage."""
        job_data = {"params": self.params, "given": self.arguments, "progress": asdict(progress), "run": self.run}
        return json.dumps(job_data, sort_keys=True)


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
    """Start a job, or resume or take over the same job with its first run's arguments.

    With `at`, the job creates the domain. `takes_over` ends any other job in the domain. `reach` is the part of the
    domain that the job changes, which must not be protected. Raises DOMAIN_ALREADY_EXISTS if a new domain's name is in
    use, ONTOLOGY_NOT_FOUND if the domain does not exist, PROTECTED or INSUFFICIENT_RIGHTS if the caller may not change
    the domain, and DOMAIN_BUSY during another job.
    """
    require(domain, Right.WRITE)
    job = Job(store, domain, state, params, arguments, Progress(), run=new_id("run"), is_new=at is not None)
    is_taken_over = False

    async def attempt(transaction: Transaction) -> Job:
        nonlocal is_taken_over
        if at is not None:
            await transaction.run(BEGIN_DOMAIN, domain=domain, at=at)
        row = await _read_row(transaction, domain)
        if row.state == state and (resumed := _resume(job, row)):
            is_taken_over = is_taken_over or row.job != resumed.to_text(resumed.progress)
            await transaction.run(PUT_JOB, domain=domain, state=state, job=resumed.to_text(resumed.progress))
            return replace(resumed, is_resumed=is_taken_over)
        if row.state != READY and not takes_over:
            raise busy_error(domain, row.state, row.job)
        if at is not None and row.seq > 0:
            raise domain_exists_error(domain)
        await check_job(transaction, domain, Protections.of(row.protection, row.has_protected), origin, reach)
        await transaction.run(PUT_JOB, domain=domain, state=state, job=job.to_text(job.progress))
        job.before = row
        return job

    return await store.write(state, attempt)


def _resume(job: Job, row: JobRow) -> Job | None:
    """Return a run that continues the stored job, or None if its parameters differ."""
    stored = json.loads(row.job or "{}")
    if stored.get("params") != dict(job.params):
        return None
    return replace(job, arguments=stored["given"], progress=Progress(**stored["progress"]))


async def _read_row(transaction: Transaction, domain: str) -> JobRow:
    row = await transaction.first_row(JOB, domain=domain)
    if row is None:
        raise no_ontology_error(domain)
    return row


def busy_error(domain: str, state: str, job: str | None) -> GraphError:
    """Return the DOMAIN_BUSY error for a domain with a running job. `job` is the stored job."""
    job_data = cast("Mapping[str, Mapping[str, Any]]", json.loads(job) if job else {})
    done, params = int(job_data.get("progress", {}).get("done", 0)), job_data.get("params", {})
    remedy = "repeat the same call: it resumes where it stopped"
    if FOLDER_IMPORT.items() <= params.items():
        remedy = "delete the domain and import the folder again"
    if state == GROWING:
        remedy = "apply the ontology again, or another one"
    hint = f"Try again when it is done. Only if it was interrupted, {remedy}."
    details: dict[str, object] = {"domain": domain, "state": state, "done": done, "hint": hint}
    if params:
        words = {name: str(value).split(" ") for name, value in params.items()}  # a value may contain several ids
        details["asked"] = {name: " ".join(map(printable, value)) for name, value in words.items()}
    message = f"Domain {domain} is busy: {state.replace('_', ' ')}, {done:,} items done so far"
    return GraphError(Code.DOMAIN_BUSY, message, details)


def domain_exists_error(domain: str) -> GraphError:
    """Return the DOMAIN_ALREADY_EXISTS error for a new domain whose name is in use."""
    hint = "Choose another name, or delete that domain first."
    return GraphError(Code.DOMAIN_ALREADY_EXISTS, f"Domain {domain} already exists", {"domain": domain, "hint": hint})


def idempotency_conflict_error(domain: str, seq: int | None, *, is_gone: bool) -> GraphError:
    """Return the IDEMPOTENCY_CONFLICT error for a reused idempotency key.

    `is_gone` means that events of the earlier batch were erased or compacted. Otherwise, its operations were different.
    """
    usage = "for other operations"
    hint = "To repeat a batch, pass the same operations. For other operations, pass another key."
    if is_gone:
        usage = "before, and events of that batch have been erased or compacted since"
        hint = "Nothing was changed. Read the current state, and pass another key for operations to write again."
    message = f"The idempotency key was used {usage}, at number {seq} in the log of domain {domain}"
    return GraphError(Code.IDEMPOTENCY_CONFLICT, message, {"domain": domain, "seq": seq, "hint": hint})
