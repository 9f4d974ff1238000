"""Opens the memory for a command, and reads its settings."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio
import anyio.from_thread
from pydantic import ValidationError

from graph_memory.cli.output.progress import progress_bar, spinner
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.progress import Progress
from graph_memory.settings import Settings

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.past import Past
    from graph_memory.sync import SyncMemory

    Reader = Memory | Past

T = TypeVar("T")
SERVED: ContextVar[Memory | None] = ContextVar("served_memory", default=None)
"""The memory of the server in which a command of another process runs."""

_OPENING = "Opening the memory"


def read_settings(**values: str | None) -> Settings:
    """Return the settings: from the given command line values, otherwise from the environment.

    Raises INVALID_ARGUMENT, which names the environment variable, for an invalid setting.
    """
    options = {name: value for name, value in values.items() if value is not None}
    try:
        return Settings(**cast("dict[str, Any]", options))
    except ValidationError as error:
        raise _setting_error(error) from error


def with_memory(use: Callable[[Memory], Awaitable[T]], activity: str = "Working") -> T:
    """Open the memory, call `use` with it, and return the result."""
    if (served := SERVED.get()) is not None:
        from graph_memory.project import domain_for

        settings = read_settings()
        memory = served.with_origin(_origin(settings)).in_domain(domain_for(settings.domain))

        async def run() -> T:
            return await use(memory)

        return anyio.from_thread.run(run)

    async def work() -> T:
        async with open_with_progress() as memory:
            with spinner(activity):
                return await use(memory)

    return anyio.run(work)


@asynccontextmanager
async def open_with_progress() -> AsyncGenerator[Memory]:
    """Open the memory, with a progress bar until it is open."""
    async with AsyncExitStack() as stack:
        with progress_bar(_OPENING) as progress:
            from graph_memory.app import open_memory

            settings = read_settings()
            opening = open_memory(settings, progress=progress, origin=_origin(settings))
            memory = await stack.enter_async_context(opening)
        yield memory


@contextmanager
def open_interactive() -> Generator[SyncMemory]:
    """Open a synchronous memory that stays open during prompts."""
    with ExitStack() as stack:
        with progress_bar(_OPENING) as progress:
            from graph_memory.sync import open_memory_sync

            settings = read_settings()
            memory = stack.enter_context(open_memory_sync(settings, progress=progress, origin=_origin(settings)))
        yield memory


def _origin(settings: Settings) -> Origin:
    """Return the origin of changes. Only the command line can remove a protection that names no actors."""
    return Origin(session=settings.session, actor=settings.actor, at_command_line=True)


def with_progress(use: Callable[[Memory, Progress], Awaitable[T]]) -> T:
    """Open the memory, call `use` with it and a listener that draws a progress bar, and return the result."""

    async def work() -> T:
        async with open_with_progress() as memory:
            with progress_bar() as progress:
                return await use(memory, progress)

    return anyio.run(work)


async def reader_at(memory: Memory, as_of: str | None) -> Reader:
    """Return the memory or, if `as_of` is given, its state at that point."""
    return memory if as_of is None else await memory.history.as_of(as_of)


def _setting_error(error: ValidationError) -> GraphError:
    fault = error.errors()[0]
    name = str(fault["loc"][0])
    variable = name if name.isupper() else f"GRAPH_MEMORY_{name.upper()}"
    hint = f"Set {variable} to another value, or unset it."
    return GraphError(Code.INVALID_ARGUMENT, f"{variable}: {fault['msg']}", {"argument": variable, "hint": hint})
