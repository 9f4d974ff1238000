"""The memory without async, for scripts and notebooks: every method of `Memory`, waited for.

with open_memory_sync() as memory:
    memory.create_node("Note", "# Hello")
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from graph_memory.app import Progress, open_memory, silent
from graph_memory.memory.api.history import History
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.api.transfer import Moving
from graph_memory.memory.history.past import Past
from graph_memory.model.events import Origin
from graph_memory.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")


def _waited(method: Callable[Concatenate[Memory, P], Awaitable[R]]) -> Callable[Concatenate[SyncMemory, P], R]:
    """Return the same method of `SyncMemory`: it takes the same arguments and returns when the result is there."""

    @wraps(method)
    def call(self: SyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.run(lambda memory: method(memory, *args, **kwargs))

    return call


class SyncMemory:
    """A memory whose methods wait for their results. Open one with `graph_memory.open_memory_sync`.

    The methods, their arguments, results and errors are those of `Memory`. They may be called from several threads, and
    where an event loop runs already, as in a notebook.
    """

    def __init__(self, memory: Memory, portal: BlockingPortal) -> None:
        self._memory = memory
        self._portal = portal

    def in_domain(self, domain: str) -> SyncMemory:
        """Return the same memory with another default domain. Raises INVALID_ARGUMENT."""
        return SyncMemory(self._memory.in_domain(domain), self._portal)

    def acting_as(self, actor: str | None, session: str | None = None) -> SyncMemory:
        """Return the same memory for somebody whom the log names for changes, and in a session of theirs.

        Where the settings name an actor or a session, those are named.
        """
        return SyncMemory(self._memory.acting_as(actor, session), self._portal)

    def run(self, use: Callable[[Memory], Awaitable[R]]) -> R:
        """Return what an async function makes of the memory, such as `lambda memory: Gtd(memory).stuck_projects()`."""
        future: Future[R] | None = None
        try:
            future = self._portal.start_task_soon(use, self._memory)
            return future.result()
        except BaseException:  # Ctrl-C while waiting is one
            if future is not None:
                future.cancel()  # whoever waits was interrupted: so is the work
            raise

    @property
    def history(self) -> SyncHistory:
        """What was changed, when and by whom."""
        return SyncHistory(self)

    @property
    def moving(self) -> SyncMoving:
        """Taking a domain from one place to another."""
        return SyncMoving(self)

    create_node = _waited(Memory.create_node)
    get_node = _waited(Memory.get_node)
    get_node_content = _waited(Memory.get_node_content)
    update_node = _waited(Memory.update_node)
    delete_node = _waited(Memory.delete_node)
    create_connection = _waited(Memory.create_connection)
    get_connection = _waited(Memory.get_connection)
    update_connection = _waited(Memory.update_connection)
    delete_connection = _waited(Memory.delete_connection)
    set_validity = _waited(Memory.set_validity)
    invalidate = _waited(Memory.invalidate)
    query_nodes = _waited(Memory.query_nodes)
    query_connections = _waited(Memory.query_connections)
    get_connected_nodes = _waited(Memory.get_connected_nodes)
    search_content = _waited(Memory.search_content)
    describe_nodes = _waited(Memory.describe_nodes)
    describe_connections = _waited(Memory.describe_connections)
    get_neighbours = _waited(Memory.get_neighbours)
    validate_connection = _waited(Memory.validate_connection)
    create_ontology = _waited(Memory.create_ontology)
    add_node_type = _waited(Memory.add_node_type)
    add_connection_type = _waited(Memory.add_connection_type)
    apply_ontology = _waited(Memory.apply_ontology)
    get_ontology = _waited(Memory.get_ontology)
    list_domains = _waited(Memory.list_domains)
    domain_info = _waited(Memory.domain_info)
    delete_domain = _waited(Memory.delete_domain)
    verify = _waited(Memory.verify)
    rebuild = _waited(Memory.rebuild)
    reconcile = _waited(Memory.reconcile)
    collect_blobs = _waited(Memory.collect_blobs)


def _told(
    method: Callable[Concatenate[History, P], Awaitable[R]],
) -> Callable[Concatenate[SyncHistory, P], R]:
    """Return the same method of `SyncHistory`."""

    @wraps(method)
    def call(self: SyncHistory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.memory.run(lambda memory: method(memory.history, *args, **kwargs))

    return call


def _each(
    method: Callable[Concatenate[History, P], AsyncGenerator[R]],
) -> Callable[Concatenate[SyncHistory, P], Generator[R]]:
    """Return the same method of `SyncHistory`, whose results a plain loop waits for; `break` ends it."""

    @wraps(method)
    def call(self: SyncHistory, /, *args: P.args, **kwargs: P.kwargs) -> Generator[R]:
        async def begin(memory: Memory) -> AsyncGenerator[R]:
            return method(memory.history, *args, **kwargs)

        results = self.memory.run(begin)
        try:
            with suppress(StopAsyncIteration):
                while True:
                    yield self.memory.run(lambda _: anext(results))
        finally:
            self.memory.run(lambda _: results.aclose())

    return call


class SyncHistory:
    """A memory's past without async: the methods of `History`. It is `SyncMemory.history`."""

    def __init__(self, memory: SyncMemory) -> None:
        self.memory = memory

    def as_of(self, at: int | str, *, domain: str | None = None) -> SyncPast:
        """Return the domain as it was after the last change at or before a point, to be read without a copy of it."""
        return SyncPast(self.memory, self.memory.run(lambda memory: memory.history.as_of(at, domain=domain)))

    follow = _each(History.follow)
    log = _told(History.log)
    sessions = _told(History.sessions)
    diff = _told(History.diff)
    branch = _told(History.branch)
    merge = _told(History.merge)
    revert = _told(History.revert)
    revert_session = _told(History.revert_session)
    erase = _told(History.erase)
    scan = _told(History.scan)
    compact = _told(History.compact)


def _moved(
    method: Callable[Concatenate[Moving, P], Awaitable[R]],
) -> Callable[Concatenate[SyncMoving, P], R]:
    """Return the same method of `SyncMoving`."""

    @wraps(method)
    def call(self: SyncMoving, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.memory.run(lambda memory: method(memory.moving, *args, **kwargs))

    return call


class SyncMoving:
    """Exports and imports without async: the methods of `Moving`. It is `SyncMemory.moving`."""

    def __init__(self, memory: SyncMemory) -> None:
        self.memory = memory

    export_file = _moved(Moving.export_file)
    import_file = _moved(Moving.import_file)
    export_folder = _moved(Moving.export_folder)
    import_folder = _moved(Moving.import_folder)


def _then(method: Callable[Concatenate[Past, P], Awaitable[R]]) -> Callable[Concatenate[SyncPast, P], R]:
    """Return the same method of `SyncPast`."""

    @wraps(method)
    def call(self: SyncPast, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.memory.run(lambda _: method(self.past, *args, **kwargs))

    return call


class SyncPast:
    """A domain as it was, without async: the methods of `Past`."""

    def __init__(self, memory: SyncMemory, past: Past) -> None:
        self.memory = memory
        self.past = past
        self.seq = past.seq

    get_node = _then(Past.get_node)
    get_node_content = _then(Past.get_node_content)
    get_connection = _then(Past.get_connection)
    query_nodes = _then(Past.query_nodes)
    query_connections = _then(Past.query_connections)
    get_connected_nodes = _then(Past.get_connected_nodes)
    search_content = _then(Past.search_content)
    describe_nodes = _then(Past.describe_nodes)


@contextmanager
def open_memory_sync(
    settings: Settings | None = None, *, progress: Progress = silent, origin: Origin | None = None
) -> Generator[SyncMemory]:
    """Give what `open_memory` gives, without async. Raises STORE_UNAVAILABLE and STORE_INCOMPATIBLE."""
    opening = open_memory(settings, progress=progress, origin=origin)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as memory:
        yield SyncMemory(memory, portal)
