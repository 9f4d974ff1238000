"""The synchronous API, for scripts and notebooks: each method of `Memory` waits for its result.

with open_memory_sync() as memory:
    memory.create_node("Note", "# Hello")

The classes are created from the facades when this module is imported. Type checkers read `sync.pyi`, which the build
creates from the same facades.
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
from graph_memory.memory.api.keys import Keys
from graph_memory.memory.api.links import CrossDomainLinks
from graph_memory.memory.api.memory import Memory, Transaction
from graph_memory.memory.api.recall import Recall
from graph_memory.memory.api.transfer import Transfer
from graph_memory.memory.api.upkeep import Upkeep
from graph_memory.memory.sessions.past import PastMemory
from graph_memory.model.events import Origin
from graph_memory.progress import Progress, log_progress
from graph_memory.settings import Settings

R = TypeVar("R")


class SyncFacade:
    """A facade whose methods wait for their results.

    They can be called from several threads, even while an event loop is running, as in a notebook.
    """

    def __init_subclass__(cls, facade: type) -> None:
        members = {name: member for base in reversed(facade.__mro__) for name, member in vars(base).items()}
        for name, member in members.items():
            if not name.startswith("_"):
                setattr(cls, name, cls._make_synchronous(name, member))
        cls.__doc__ = (
            f"The synchronous form of `{facade.__name__}`: each method waits for its result.\n\n{facade.__doc__}"
        )
        cls.__module__ = __name__

    @staticmethod
    def _make_synchronous(name: str, member: object) -> object:
        """Return the synchronous form of a facade's public member, with its signature and docstring."""
        if not callable(member):
            return property(lambda self: self._wrap(getattr(self._facade, name)), doc=member.__doc__)

        @wraps(member)
        def method(self: SyncFacade, *args: object, **kwargs: object) -> object:
            call = partial(getattr(self._facade, name), *args, **kwargs)
            return self._wrap(self._wait(call) if inspect.iscoroutinefunction(member) else call())

        return method

    def __init__(self, facade: object, portal: BlockingPortal) -> None:
        self._facade = facade
        self._portal = portal

    def run(self, use: Callable[..., Awaitable[R]]) -> R:
        """Return the result of an async function of this facade, such as `lambda m: Gtd(m).weekly_review()`."""
        return self._wait(partial(use, self._facade))

    def _wait(self, method: Callable[[], Awaitable[R]]) -> R:
        future: Future[R] = self._portal.start_task_soon(method)
        try:
            return future.result()
        finally:
            future.cancel()  # only Ctrl-C leaves a task to cancel here

    def _wrap(self, value: object) -> object:
        """Return the synchronous form of a facade, generator or context manager.

        Other values are returned unchanged.
        """
        if isinstance(value, AsyncGenerator):
            return self._iterate(cast("AsyncGenerator[object]", value))
        if isinstance(value, AbstractAsyncContextManager):
            return self._as_context_manager(cast("AbstractAsyncContextManager[object]", value))
        wrapper = next((SYNC_CLASSES[base] for base in type(value).__mro__ if base in SYNC_CLASSES), None)
        return value if wrapper is None else wrapper(value, self._portal)

    def _iterate(self, results: AsyncGenerator[object]) -> Generator[object]:
        """Yield the results of an async generator, and close it at the end, even after a `break`."""
        try:
            with suppress(StopAsyncIteration):
                while True:
                    yield self._wait(results.__anext__)
        finally:
            self._wait(results.aclose)

    @contextmanager
    def _as_context_manager(self, context: AbstractAsyncContextManager[object]) -> Generator[object]:
        with self._portal.wrap_async_context_manager(context) as value:
            yield self._wrap(value)


FACADES = (
    *(Memory, Entities, History, PastMemory, Recall, Transfer, CrossDomainLinks, Upkeep, Keys, Agent, Episodic),
    *(Procedural, Prospective, Relational, Contextual, Working, Environmental, UserMemory, MetaMemory),
)
SYNC_CLASSES: dict[type, type[SyncFacade]] = {
    facade: new_class(f"Sync{facade.__name__}", (SyncFacade,), {"facade": facade}) for facade in FACADES
}
"""The synchronous class of each facade."""
SYNC_CLASSES[Transaction] = new_class("SyncTransaction", (SYNC_CLASSES[Memory],), {"facade": Transaction})
globals().update({wrapper.__name__: wrapper for wrapper in SYNC_CLASSES.values()})


@contextmanager
def open_memory_sync(
    settings: Settings | None = None, *, progress: Progress = log_progress, origin: Origin | None = None
) -> Generator[SyncFacade]:
    """Yield the open memory for synchronous code. See `open_memory` for the arguments.

    Raises STORE_UNAVAILABLE and STORE_INCOMPATIBLE like `open_memory`.
    """
    opening = open_memory(settings, progress=progress, origin=origin)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as memory:
        yield SYNC_CLASSES[Memory](memory, portal)
