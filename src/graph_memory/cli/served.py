"""Runs commands sent by `graph_memory.remote` in a server, with the settings, folder and terminal of the sender."""

from __future__ import annotations

import io
import json
import logging
import os
import socket
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import anyio
import anyio.to_thread
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_settings import SettingsError

from graph_memory.cli.output.printing import TERMINAL
from graph_memory.cli.session import SERVED
from graph_memory.project import WORKING_FOLDER
from graph_memory.remote import ACCEPTED, LONGEST, PACKAGE, is_of_this_user, is_private, reads_only, sockets_folder
from graph_memory.settings import ENVIRONMENT, Settings

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

AT_ONCE = 2
"""Maximum number of commands that run at the same time. Further commands run in their own processes."""
LONGEST_PATH = 100
"""Maximum number of bytes of a socket's path, which the kernel limits."""
REQUEST_SECONDS = 2.0
"""Maximum number of seconds until a caller has sent its request."""
_FREE = frozenset({"domain", "session", "actor", "log_level", "toolsets", "background_index"})
"""Settings that may differ between a server and a command that it runs."""
_QUIET = frozenset({"WARNING", "ERROR"})
"""Log levels at which a reading command logs nothing."""
_log = logging.getLogger(__name__)


class CommandRequest(BaseModel):
    """A command, and the environment in which it was called, as described by `remote.request`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    package: str
    arguments: list[str]
    folder: str
    environment: dict[str, str]
    encoding: str | None
    time_zone: str | None
    terminal: dict[str, str]
    terminals: tuple[bool, bool]


class _Output(io.StringIO):
    def __init__(self, encoding: str | None, *, is_terminal: bool) -> None:
        super().__init__()
        self._encoding = encoding
        self._is_terminal = is_terminal

    @property
    def encoding(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._encoding

    def isatty(self) -> bool:
        return self._is_terminal


_OUTPUTS: ContextVar[tuple[_Output, _Output] | None] = ContextVar("outputs", default=None)
"""Standard output and error of the command that this thread runs for another process."""


class _Stream(io.TextIOBase):
    """Standard output or error. In a command's thread, it is that command's, elsewhere the process's."""

    def __init__(self, own: TextIO, place: int) -> None:
        super().__init__()
        self._own = own
        self._place = place

    def __getattr__(self, name: str) -> object:
        return getattr(self._current, name)

    @property
    def _current(self) -> TextIO:
        outputs = _OUTPUTS.get()
        return self._own if outputs is None else outputs[self._place]

    @property
    def encoding(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._current.encoding

    @property
    def errors(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How to handle characters that cannot be encoded.

        Without this property, click would write to the stream of the process.
        """
        return "backslashreplace"

    def write(self, text: str, /) -> int:
        return self._current.write(text)

    def flush(self) -> None:
        self._current.flush()

    def isatty(self) -> bool:
        return self._current.isatty()

    def fileno(self) -> int:
        return self._current.fileno()


async def serve_beside(settings: Settings, memory: Memory) -> None:
    """Run commands sent by other processes, and store events captured by hooks, until cancelled."""
    from graph_memory.agent.capture.drain import follow_spool
    from graph_memory.hooks.spool import database_key

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve_commands, settings, memory)
        database = database_key(settings.neo4j_uri, settings.neo4j_database)
        tasks.start_soon(follow_spool, memory, settings.home.expanduser().resolve(), database)


async def serve_commands(settings: Settings, memory: Memory) -> None:
    """Run commands that this user's processes send to a socket in the home, until cancelled.

    If no socket can be created, runs no commands.
    """
    folder = sockets_folder(settings.home.expanduser().resolve())
    path = folder / f"{os.getpid()}.sock"
    if sys.platform == "win32" or len(os.fsencode(path)) > LONGEST_PATH:
        return
    try:
        async with _listener(path) as listener:
            await _serve(listener, settings, memory)
    except OSError as error:
        _log.info("Commands run in their own processes, because there can be no socket in %s: %s", folder, error)


async def _serve(listener: anyio.abc.Listener[SocketStream], settings: Settings, memory: Memory) -> None:
    limit = anyio.CapacityLimiter(AT_ONCE)

    async def answer(connection: SocketStream) -> None:
        async with connection:
            try:
                await _answer(connection, settings, memory, limit)
            except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.ClosedResourceError, TimeoutError):
                pass  # the caller has gone
            except Exception:  # noqa: BLE001 - whatever one caller's command raises, the server goes on for the others
                _log.exception("A command of another process failed")

    own = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Stream(own[0], 0), _Stream(own[1], 1)
    try:
        await listener.serve(answer)
    finally:
        sys.stdout, sys.stderr = own


@asynccontextmanager
async def _listener(path: Path) -> AsyncGenerator[anyio.abc.Listener[SocketStream]]:
    """Listen on a socket that only this user can reach. Removes stale sockets first, and its own at the end."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(path.parent):
        raise OSError("others can reach this folder, or it is a link")
    for other in path.parent.glob("*.sock"):
        if not _is_alive(other):
            other.unlink(missing_ok=True)
    try:
        async with await anyio.create_unix_listener(path, mode=0o600) as listener:
            yield listener
    finally:
        path.unlink(missing_ok=True)  # noqa: ASYNC240 - it takes no time


def _is_alive(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(0.1)
            connection.connect(str(path))
    except TimeoutError:
        return True
    except OSError:
        return False
    return True


async def _answer(connection: SocketStream, settings: Settings, memory: Memory, limit: anyio.CapacityLimiter) -> None:
    if not is_of_this_user(connection.extra(anyio.abc.SocketAttribute.raw_socket)):  # noqa: S610 - nothing of Django
        return
    with anyio.fail_after(REQUEST_SECONDS):
        try:
            line = await BufferedByteReceiveStream(connection).receive_until(b"\n", LONGEST)
            request = CommandRequest.model_validate_json(line)
        except (ValidationError, anyio.IncompleteRead, anyio.DelimiterNotFound):
            return
    if limit.available_tokens < 1 or _is_declined(request, settings):
        return
    await connection.send(ACCEPTED)
    answer: Mapping[str, object] = {}
    async with anyio.create_task_group() as tasks:

        async def cancel_with_the_caller() -> None:
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                await connection.receive(1)
            tasks.cancel_scope.cancel()

        tasks.start_soon(cancel_with_the_caller)
        answer = await anyio.to_thread.run_sync(_run, request, memory, limiter=limit, abandon_on_cancel=True)
        tasks.cancel_scope.cancel()
    if answer:
        await connection.send(json.dumps(answer).encode())


def _is_declined(request: CommandRequest, settings: Settings) -> bool:
    """Return whether the command must run elsewhere: it writes, or has other settings or another installation."""
    if request.package != PACKAGE or not reads_only(request.arguments) or request.time_zone != os.environ.get("TZ"):
        return True
    own = ENVIRONMENT.set(request.environment)
    try:
        theirs = Settings()
    except (ValidationError, SettingsError):
        return True  # its own process reports it
    finally:
        ENVIRONMENT.reset(own)
    is_same = theirs.model_dump(exclude=set(_FREE)) == settings.model_dump(exclude=set(_FREE))
    return not is_same or theirs.log_level not in _QUIET


def _run(request: CommandRequest, memory: Memory) -> Mapping[str, object]:
    """Run the command in this thread and in its own context. Returns its output and exit status."""
    from graph_memory.cli.main import run_arguments

    output, errors = (_Output(request.encoding, is_terminal=is_terminal) for is_terminal in request.terminals)
    _OUTPUTS.set((output, errors))
    TERMINAL.set(request.terminal)
    SERVED.set(memory)
    ENVIRONMENT.set(request.environment)
    WORKING_FOLDER.set(Path(request.folder))
    status = run_arguments(request.arguments)
    return {"stdout": output.getvalue(), "stderr": errors.getvalue(), "status": status}
