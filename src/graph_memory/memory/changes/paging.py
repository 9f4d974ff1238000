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
"""Maximum number of events per transaction. The default heap of Neo4j has room for several times as many."""
PAGE = 2_000
"""Maximum number of events per page."""
PAGE_BYTES = 8_000_000
"""Maximum size of the content of a page with several events, in bytes."""

CheckPage = Callable[[Reader, Sequence[Event]], Awaitable[None]]
"""Checks a page before it is committed. An error rolls the page back."""


class TooMany(GraphError):  # noqa: N818 - not an error: the write continues in pages
    """Raised to end a write that is too large for one transaction. The write is then repeated in pages."""

    def __init__(self, count: int) -> None:
        message = f"There are at least {count:,} changes, and one transaction takes at most {AT_ONCE:,}"
        super().__init__(Code.INVALID_ARGUMENT, message, {"hint": "Make fewer changes at once."})
        self.least = count


def check_amount(count: int, maximum: int) -> None:
    """Raise TooMany for more events than the maximum."""
    if count > maximum:
        raise TooMany(count)


def reports_operation(error: GraphError, state: str) -> bool:
    """Return whether the error reports a running or interrupted operation of this kind in the domain."""
    return error.code is Code.DOMAIN_BUSY and error.details.get("state") == state


@dataclass(slots=True)
class Batch:
    """A batch that is written in pages. Create it with `begin`."""

    core: Core
    job: Job
    id: str
    origin: Origin
    request: str | None = None
    """The request hash of the first event."""

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

        Raises ONTOLOGY_NOT_FOUND, PROTECTED, and DOMAIN_BUSY during another operation.
        """
        origin_fields = {"session": core.origin.session, "source": core.origin.source, "actor": core.origin.actor}
        known_fields = {name: value for name, value in origin_fields.items() if value is not None}
        known_fields |= {"at_command_line": 1} if core.origin.at_command_line else {}
        arguments = {**arguments, **known_fields, "batch": new_id("evt")}
        job = await jobs.begin(core.store, domain, state, params, arguments, origin=core.origin, reach=reach)
        rendered = {name: str(job.arguments[name]) if name in job.arguments else None for name in origin_fields}
        origin = Origin(
            session=rendered["session"],
            source=str(rendered["source"]),
            actor=rendered["actor"],
            at_command_line="at_command_line" in job.arguments,
        )
        return cls(core, job, str(job.arguments["batch"]), origin, request)

    async def check(self, drafts: Sequence[Draft]) -> None:
        """Raise PROTECTED if the changes of all pages affect protected subjects."""
        await self.core.log.check(self.job.domain, self.origin, drafts)

    async def page(self, drafts: Sequence[Draft], look: CheckPage | None = None, **progress: str | int) -> None:
        """Append and project a page of events, and store the progress."""

        async def append(transaction: Transaction) -> None:
            batch = (self.job.domain, self.origin, self.id)
            events = await self.core.log.append(transaction, *batch, drafts, request=self.request)
            if look is not None:
                await look(transaction, events)

        await self.job.step(self.job.then(done=self.job.progress.done + len(drafts), **progress), append)

    async def abandon(self) -> None:
        """End the batch after a failure if no page is written, so that other writes to the domain can continue.

        Otherwise the batch stays resumable, even if another run has taken it over or the store cannot be reached.
        """
        if self.job.progress.done == 0:
            with suppress(GraphError):
                await self.end()

    async def end(self) -> None:
        """End the batch, so that other writes to the domain can continue."""
        await self.job.end()
        self.core.log.forget(self.job.domain)
