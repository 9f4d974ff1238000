"""Batches that are too large for one transaction, written in pages.

Each page appends and projects its events in one transaction, which also stores the progress. The domain is not `ready`
until the end, so there are no other writes: the events of a batch are consecutive, and the graph is valid after each
page. The same request resumes an interrupted batch.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Origin, new_id
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import Job, Params
from graph_memory.storage.log.protection import Reach
from graph_memory.storage.store import Reader, Transaction

AT_ONCE = 5_000
"""Maximum number of events per transaction. Neo4j's default heap can hold several times as many."""
PAGE = 2_000
"""Maximum number of events per page."""
PAGE_BYTES = 8_000_000
"""Maximum size of the content of a page with several events, in bytes."""

CheckPage = Callable[[Reader, Sequence[Event]], Awaitable[None]]
"""Checks a page before it is committed. An error rolls the page back."""


class TooManyEvents(GraphError):  # noqa: N818 - not an error: the write continues in pages
    """Raised to end a write that is too large for one transaction. The write is then repeated in pages."""

    def __init__(self, count: int) -> None:
        message = f"There are at least {count:,} changes, and one transaction takes at most {AT_ONCE:,}"
        super().__init__(Code.INVALID_ARGUMENT, message, {"hint": "Make fewer changes at once."})
        self.least = count


def check_amount(count: int, maximum: int) -> None:
    """Raise TooManyEvents if `count` events are more than `maximum`."""
    if count > maximum:
        raise TooManyEvents(count)


def is_busy_with_job(error: GraphError, state: str) -> bool:
    """Return whether the error says that a job of this kind is running or was interrupted in the domain."""
    return error.code is Code.DOMAIN_BUSY and error.details.get("state") == state


@dataclass(slots=True)
class Batch:
    """A batch that is written in pages. Create it with `begin`."""

    core: Core
    job: Job
    id: str
    origin: Origin
    request: str | None = None
    """The request hash that the first event of the batch stores."""

    @classmethod
    async def begin(
        cls,
        core: Core,
        domain: str,
        state: str,
        params: Params,
        arguments: Mapping[str, str | int],
        *,
        request: str | None = None,
        reach: Reach,
    ) -> Batch:
        """Start a batch, or resume the same batch with the origin of its first run.

        Raises ONTOLOGY_NOT_FOUND if the domain does not exist, PROTECTED if it is protected, and DOMAIN_BUSY while
        another operation runs.
        """
        origin_fields = {"session": core.origin.session, "source": core.origin.source, "actor": core.origin.actor}
        set_fields = {name: value for name, value in origin_fields.items() if value is not None}
        set_fields |= {"at_command_line": 1} if core.origin.at_command_line else {}
        arguments = {**arguments, **set_fields, "batch": new_id("evt")}
        job = await jobs.begin(core.store, domain, state, params, arguments, origin=core.origin, reach=reach)
        origin_values = {name: str(job.arguments[name]) if name in job.arguments else None for name in origin_fields}
        origin = Origin(
            session=origin_values["session"],
            source=str(origin_values["source"]),
            actor=origin_values["actor"],
            at_command_line="at_command_line" in job.arguments,
        )
        return cls(core, job, str(job.arguments["batch"]), origin, request)

    async def check(self, drafts: Sequence[Draft]) -> None:
        """Raise PROTECTED if a change affects a protected subject. Called with the changes of all pages."""
        await self.core.log.check(self.job.domain, self.origin, drafts)

    async def page(self, drafts: Sequence[Draft], check_page: CheckPage | None = None, **progress: str | int) -> None:
        """Append and project a page of events, and store the progress."""

        async def append(transaction: Transaction) -> None:
            batch = (self.job.domain, self.origin, self.id)
            events = await self.core.log.append(transaction, *batch, drafts, request=self.request)
            if check_page is not None:
                await check_page(transaction, events)

        await self.job.step(self.job.with_progress(done=self.job.progress.done + len(drafts), **progress), append)

    async def abandon(self) -> None:
        """After a failure, end the batch if no page is written, so that other writes to the domain can continue.

        If a page is written, or ending the batch fails, the batch remains and can be resumed.
        """
        if self.job.progress.done == 0:
            with suppress(GraphError):
                await self.end()

    async def end(self) -> None:
        """End the batch, so that other writes to the domain can continue."""
        await self.job.end()
        self.core.log.forget(self.job.domain)
