"""The memory without async, for scripts and notebooks: every method of `Memory`, waited for.

with open_memory_sync() as memory:
    memory.create_node("Note", "# Hello")

The classes are made from the facades when this module is imported. Type checkers read `sync.pyi`, which the build makes
from the same facades.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import partial, wraps
from types import new_class
from typing import TypeVar, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graph_memory.agent.contextual import Contextual
from graph_memory.agent.environmental import Environmental
from graph_memory.agent.episodic import Episodic
from graph_memory.agent.layer import Agent
from graph_memory.agent.meta import MetaMemory
from graph_memory.agent.procedural import Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.agent.relational import Relational
from graph_memory.agent.user import UserMemory
from graph_memory.agent.working import Working
from graph_memory.app import open_memory
from graph_memory.memory.api.entities import Entities
from graph_memory.memory.api.history import History
from graph_memory.memory.api.links import CrossDomainLinks
from graph_memory.memory.api.memory import Memory, Transaction
from graph_memory.memory.api.recall import Recall
from graph_memory.memory.api.transfer import Transfer
from graph_memory.memory.api.upkeep import Upkeep
from graph_memory.memory.entities.past import PastMemory
from graph_memory.model.events import Origin
from graph_memory.progress import Progress, silent
from graph_memory.settings import Settings

R = TypeVar("R")


class SyncFacade:
    """A facade whose methods wait for their results.

    They may be called from several threads, and where an event loop runs already, as in a notebook.
    """

    def __init_subclass__(cls, facade: type) -> None:
        members = {name: member for base in reversed(facade.__mro__) for name, member in vars(base).items()}
        for name, member in members.items():
            if not name.startswith("_"):
                setattr(cls, name, cls._without_async(name, member))
        cls.__doc__ = f"`{facade.__name__}` without async: each method waits for its result.\n\n{facade.__doc__}"
        cls.__module__ = __name__

    @staticmethod
    def _without_async(name: str, member: object) -> object:
        """Return a public member of a facade without async, with its signature and docstring."""
        if not callable(member):
            return property(lambda self: self._given(getattr(self._facade, name)), doc=member.__doc__)

        @wraps(member)
        def method(self: SyncFacade, *args: object, **kwargs: object) -> object:
            call = partial(getattr(self._facade, name), *args, **kwargs)
            return self._given(self._wait(call) if inspect.iscoroutinefunction(member) else call())

        return method

    def __init__(self, facade: object, portal: BlockingPortal) -> None:
        self._facade = facade
        self._portal = portal

    def run(self, use: Callable[..., Awaitable[R]]) -> R:
        """Return what an async function makes of the memory, such as `lambda memory: Gtd(memory).stuck_projects()`."""
        return self._wait(partial(use, self._facade))

    def _wait(self, method: Callable[[], Awaitable[R]]) -> R:
        """Return the result of an async function."""
        future: Future[R] | None = None
        try:
            future = self._portal.start_task_soon(method)
            return future.result()
        except BaseException:  # Ctrl-C while waiting is one
            if future is not None:
                future.cancel()  # whoever waits was interrupted: so is the work
            raise

    def _given(self, value: object) -> object:
        """Return a result without async: another facade, a plain iterator, a plain context manager, or as it is."""
        if isinstance(value, AsyncGenerator):
            return self._each(cast("AsyncGenerator[object]", value))
        if isinstance(value, AbstractAsyncContextManager):
            return self._block(cast("AbstractAsyncContextManager[object]", value))
        made = next((SYNC[base] for base in type(value).__mro__ if base in SYNC), None)
        return value if made is None else made(value, self._portal)

    def _each(self, every: AsyncGenerator[object]) -> Generator[object]:
        """Yield results, waiting for each; `break` ends it."""
        try:
            with suppress(StopAsyncIteration):
                while True:
                    yield self._wait(every.__anext__)
        finally:
            self._wait(every.aclose)

    @contextmanager
    def _block(self, context: AbstractAsyncContextManager[object]) -> Generator[object]:
        with self._portal.wrap_async_context_manager(context) as value:
            yield self._given(value)


FACADES = (
    *(Memory, Entities, History, PastMemory, Recall, Transfer, CrossDomainLinks, Upkeep, Agent, Episodic, Procedural),
    *(Prospective, Relational, Contextual, Working, Environmental, UserMemory, MetaMemory),
)
SYNC: dict[type, type[SyncFacade]] = {
    facade: new_class(f"Sync{facade.__name__}", (SyncFacade,), {"facade": facade}) for facade in FACADES
}
"""The classes without async, by those of the facades."""
SYNC[Transaction] = new_class("SyncTransaction", (SYNC[Memory],), {"facade": Transaction})
globals().update({made.__name__: made for made in SYNC.values()})


@contextmanager
def open_memory_sync(
    settings: Settings | None = None, *, progress: Progress = silent, origin: Origin | None = None
) -> Generator[SyncFacade]:
    """Give what `open_memory` gives, without async. Raises STORE_UNAVAILABLE and STORE_INCOMPATIBLE."""
    opening = open_memory(settings, progress=progress, origin=origin)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as memory:
        yield SYNC[Memory](memory, portal)
