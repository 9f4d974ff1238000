"""Writes that are too large for one transaction: one batch of the log, written a page at a time.

Each page appends its events and projects them in one transaction, which also notes how far the batch has come. The
domain is not `ready` meanwhile, so nobody writes in between: the events of a batch stand next to each other, and after
each of them the graph is one that may be. One that was cut off goes on where it was when the same is asked for again.
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
"""Events that one transaction takes: the default heap of Neo4j holds several times as many."""
PAGE = 2_000
"""Events of a page."""
PAGE_BYTES = 8_000_000
"""Content of a page, unless it is that of one event."""

Look = Callable[[Reader, Sequence[Event]], Awaitable[None]]
"""Looks at a page before it is committed; whatever it raises undoes the page."""


class TooMany(GraphError):  # noqa: N818 - it is no error: the write is made in pages
    """Ends a write that one transaction cannot hold, so that it is made in pages."""

    def __init__(self, least: int) -> None:
        message = f"There are at least {least:,} changes, and one transaction takes at most {AT_ONCE:,}"
        super().__init__(Code.INVALID_ARGUMENT, message, {"hint": "Make fewer changes at once."})
        self.least = least


def check_amount(count: int, most: int) -> None:
    """Raise TooMany for more events than are to be at once."""
    if count > most:
        raise TooMany(count)


def goes_on(error: GraphError, state: str) -> bool:
    """Say whether a write was refused because an operation of this kind goes on, or was cut off, in its domain."""
    return error.code is Code.DOMAIN_BUSY and error.details.get("state") == state


@dataclass(slots=True)
class Batch:
    """A batch that is written in pages. `begin` gives one."""

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
        """Begin a batch, or go on with the same one where it is, as whoever began it.

        Raises ONTOLOGY_NOT_FOUND, PROTECTED, and DOMAIN_BUSY while something else goes on.
        """
        who = {"session": core.origin.session, "source": core.origin.source, "actor": core.origin.actor}
        named = {name: value for name, value in who.items() if value is not None}
        named |= {"at_command_line": 1} if core.origin.at_command_line else {}
        arguments = {**arguments, **named, "batch": new_id("evt")}
        job = await jobs.begin(core.store, domain, state, params, arguments, origin=core.origin, reach=reach)
        rendered = {name: str(job.given[name]) if name in job.given else None for name in who}
        origin = Origin(
            session=rendered["session"],
            source=str(rendered["source"]),
            actor=rendered["actor"],
            at_command_line="at_command_line" in job.given,
        )
        return cls(core, job, str(job.given["batch"]), origin, request)

    async def check(self, drafts: Sequence[Draft]) -> None:
        """Raise PROTECTED for changes that are to be made in pages: together they tell what goes with what."""
        await self.core.log.check(self.job.domain, self.origin, drafts)

    async def page(self, drafts: Sequence[Draft], look: Look | None = None, **progress: str | int) -> None:
        """Append a page of events, and project them; the progress is noted with them."""

        async def append(transaction: Transaction) -> None:
            batch = (self.job.domain, self.origin, self.id)
            events = await self.core.log.append(transaction, *batch, drafts, request=self.request)
            if look is not None:
                await look(transaction, events)

        await self.job.step(self.job.then(done=self.job.progress.done + len(drafts), **progress), append)

    async def give_up(self) -> None:
        """End the batch after a failure if nothing of it is written: the domain is as it was, and can be written.

        Otherwise it stays to be gone on with, as it does where another run has it by now or the store is out of reach.
        """
        if self.job.progress.done == 0:
            with suppress(GraphError):
                await self.end()

    async def end(self) -> None:
        """End the batch: the domain can be written again."""
        await self.job.end()
        self.core.log.forget(self.job.domain)
