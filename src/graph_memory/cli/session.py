"""Reads a command's settings, and opens the memory for the command."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import anyio
from pydantic import ValidationError
from pydantic_settings import SettingsError

from graph_memory.cli.output.progress import progress_bar, spinner
from graph_memory.model.databases import DatabaseSetting
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.model.text.wording import quote
from graph_memory.progress import Progress
from graph_memory.settings import Settings

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.past import Past
    from graph_memory.sync import SyncMemory

    Reader = Memory | Past

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ServedMemory:
    """The open memory of a server that runs a command for another process."""

    memory: Memory
    portal: BlockingPortal
    """Runs the command's coroutines in the server's event loop. They are cancelled if the other process ends."""


SERVED: ContextVar[ServedMemory | None] = ContextVar("served_memory", default=None)
"""The memory of the server that runs this command for another process, or None if the command runs in its own one."""

_OPENING = "Opening the memory"


def read_settings(**values: str | None) -> Settings:
    """Return the settings from the environment. `values` that are not None take precedence.

    If a setting is invalid, raises INVALID_ARGUMENT with the name of its environment variable.
    """
    options = {name: value for name, value in values.items() if value is not None}
    try:
        return Settings(**cast("dict[str, Any]", options))
    except SettingsError as error:  # the message has the name of the setting, but not its value
        name = next((name for name in Settings.model_fields if f'"{name}"' in str(error)), "")
        message = f"GRAPH_MEMORY_{name.upper()} is not valid JSON" if name else str(error)
        raise GraphError(Code.INVALID_ARGUMENT, message, {"hint": "Correct it, or unset it."}) from error
    except ValidationError as error:
        raise _setting_error(error) from error


def with_memory(use: Callable[[Memory], Awaitable[T]], activity: str = "Working") -> T:
    """Open the memory, call `use` with it, and return the result. `activity` is shown while `use` runs."""
    if (served := SERVED.get()) is not None:
        from graph_memory.project import domain_for

        settings = read_settings()
        memory = served.memory.with_origin(_origin(settings)).in_domain(domain_for(settings.domain))
        return served.portal.call(use, memory)

    async def work() -> T:
        async with open_with_progress() as memory:
            with spinner(activity):
                return await use(memory)

    return anyio.run(work)


@asynccontextmanager
async def open_with_progress() -> AsyncGenerator[Memory]:
    """Yield the open memory. Shows a progress bar until the memory is open."""
    async with AsyncExitStack() as stack:
        with progress_bar(_OPENING) as progress:
            from graph_memory.app import open_memory

            settings = read_settings()
            opening = open_memory(settings, progress=progress, origin=_origin(settings))
            memory = await stack.enter_async_context(opening)
        yield memory


@contextmanager
def open_interactive() -> Generator[SyncMemory]:
    """Yield a synchronous memory that stays open while the command asks questions."""
    with ExitStack() as stack:
        with progress_bar(_OPENING) as progress:
            from graph_memory.sync import open_memory_sync

            settings = read_settings()
            memory = stack.enter_context(open_memory_sync(settings, progress=progress, origin=_origin(settings)))
        yield memory


def _origin(settings: Settings) -> Origin:
    """Return the origin of a command's changes.

    It marks the command line as the source, because only the command line can remove a protection that lists no actors.
    """
    return Origin(session=settings.session, actor=settings.actor, at_command_line=True)


def with_progress(use: Callable[[Memory, Progress], Awaitable[T]]) -> T:
    """Open the memory, call `use` with it and a listener that draws a progress bar, and return the result."""

    async def work() -> T:
        async with open_with_progress() as memory:
            with progress_bar() as progress:
                return await use(memory, progress)

    return anyio.run(work)


@contextmanager
def exit_on_sigterm() -> Generator[None]:
    """Make SIGTERM end the `with` block with the same clean-up as Ctrl-C. Has no effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> NoReturn:
        sys.exit(128 + number)

    previous = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


async def reader_at(memory: Memory, as_of: str | None) -> Reader:
    """Return the memory or, with `as_of`, its state at that log position."""
    return memory if as_of is None else await memory.history.as_of(as_of)


def _setting_error(error: ValidationError) -> GraphError:
    fault = error.errors()[0]
    name, *entry = map(str, fault["loc"])
    variable = name if name.isupper() else f"GRAPH_MEMORY_{name.upper()}"
    hint = f"Set {variable} to another value, or unset it."
    subject = f"Database {quote(entry[0])} in {variable}" if name == "databases" and entry else variable
    field = ".".join(entry[1:] if name == "databases" else entry)
    match fault["type"]:
        case "extra_forbidden":
            problem = f"has the unknown key {quote(field)}"
            hint = f"Valid keys are {', '.join(DatabaseSetting.model_fields)}."
        case "missing":
            problem, hint = f"lacks the key {quote(field)}", f"Add {field}."
        case "value_error":
            problem = str(fault.get("ctx", {}).get("error", fault["msg"]))
        case "string_pattern_mismatch" if name == "databases":
            problem, hint = 'has an invalid domain pattern in "domains"', "Pass patterns such as team-*."
        case kind:
            expected = _EXPECTED.get(kind, "").format(**fault.get("ctx", {})) or f"valid ({fault['msg']})"
            problem = f"must be {expected}" if not field else f"has an invalid {quote(field)}, which must be {expected}"
    return GraphError(Code.INVALID_ARGUMENT, f"{subject} {problem}", {"argument": variable, "hint": hint})


_EXPECTED = {
    "bool_parsing": "true or false",
    "dict_type": "a JSON object",
    "float_parsing": "a number",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "int_parsing": "a whole number",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "literal_error": "one of {expected}",
    "enum": "one of {expected}",
    "string_pattern_mismatch": "text of the form {pattern}",
    "string_type": "text",
    "too_short": "a list with an entry",
    "tuple_type": "a list",
}
"""Descriptions of valid settings, keyed by the name of pydantic's rule."""
