"""From the command line to an open memory: the settings, and one piece of work done with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio
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

_OPENING = "Opening the memory"


def read_settings(**given: str | None) -> Settings:
    """Return the settings of the environment, save those that the command line gave.

    Raises INVALID_ARGUMENT, naming the environment variable, for a setting that cannot be.
    """
    options = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**cast("dict[str, Any]", options))
    except ValidationError as error:
        raise _faulty_setting(error) from error


def with_memory(use: Callable[[Memory], Awaitable[T]], doing: str = "Working") -> T:
    """Return what `use` makes of the memory, which is open as long as that takes."""

    async def work() -> T:
        async with opened_memory() as memory:
            with spinner(doing):
                return await use(memory)

    return anyio.run(work)


@asynccontextmanager
async def opened_memory() -> AsyncGenerator[Memory]:
    """Give an open memory; a person sees what is done until it is open."""
    async with AsyncExitStack() as opened:
        with progress_bar(_OPENING) as progress:
            from graph_memory.app import open_memory

            settings = read_settings()
            opening = open_memory(settings, progress=progress, origin=_origin(settings))
            memory = await opened.enter_async_context(opening)
        yield memory


@contextmanager
def open_for_a_person() -> Generator[SyncMemory]:
    """Give a memory that stays open while a person is shown things and asked."""
    with ExitStack() as opened:
        with progress_bar(_OPENING) as progress:
            from graph_memory.sync import open_memory_sync

            settings = read_settings()
            memory = opened.enter_context(open_memory_sync(settings, progress=progress, origin=_origin(settings)))
        yield memory


def _origin(settings: Settings) -> Origin:
    """Return who asks: whoever is at the command line may lift what names nobody who may."""
    return Origin(session=settings.session, actor=settings.actor, at_command_line=True)


def with_progress(use: Callable[[Memory, Progress], Awaitable[T]]) -> T:
    """Return what `use` makes of the memory, given a listener that draws a bar of how far it is."""

    async def work() -> T:
        async with opened_memory() as memory:
            with progress_bar() as progress:
                return await use(memory, progress)

    return anyio.run(work)


async def reading(memory: Memory, as_of: str | None) -> Reader:
    """Return what to read from, the memory or its past."""
    return memory if as_of is None else await memory.history.as_of(as_of)


def _faulty_setting(error: ValidationError) -> GraphError:
    fault = error.errors()[0]
    name = str(fault["loc"][0])
    variable = name if name.isupper() else f"GRAPH_MEMORY_{name.upper()}"
    hint = f"Set {variable} to another value, or unset it."
    return GraphError(Code.INVALID_ARGUMENT, f"{variable}: {fault['msg']}", {"argument": variable, "hint": hint})
