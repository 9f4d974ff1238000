"""Runs, in a server process, the commands that other processes send with `graph_memory.remote`.

A command runs with the settings, working folder and terminal of its sender.
"""

from __future__ import annotations

import io
import json
import logging
import os
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import anyio
import anyio.to_thread
from anyio.abc import SocketStream
from anyio.from_thread import BlockingPortal
from anyio.streams.buffered import BufferedByteReceiveStream
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_settings import SettingsError

from graph_memory.cli.output.printing import TERMINAL
from graph_memory.cli.session import SERVED, ServedMemory
from graph_memory.project import WORKING_FOLDER
from graph_memory.remote import (
    ACCEPTED,
    LONGEST,
    PACKAGE,
    VIEW,
    is_of_this_user,
    is_private,
    reads_only,
    sockets_folder,
)
from graph_memory.settings import ENVIRONMENT, Settings

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_MAX_COMMANDS = 2
"""Maximum number of commands that run concurrently. Further commands run in their own processes."""
_MAX_PATH_BYTES = 100
"""Maximum length of a socket's path in bytes. The operating system limits it."""
REQUEST_SECONDS = 2.0
"""Maximum time in seconds for a caller to send its request."""
_INDEPENDENT_SETTINGS = frozenset({"domain", "session", "actor", "log_level", "toolsets", "background_index"})
"""Settings that may differ between a server and a command that the server runs."""
_QUIET_LEVELS = frozenset({"WARNING", "ERROR"})
"""Log levels at which a read-only command logs nothing."""
ViewerAddress = Callable[[], str | None]
_log = logging.getLogger(__name__)


class CommandRequest(BaseModel):
    """A command from another process, with the sender's environment. See `remote.request`."""

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
"""The output and error streams of the command that the current thread runs for another process."""


class _Stream(io.TextIOBase):
    """A replacement for standard output or error. In a command's thread, it writes to the command's stream."""

    def __init__(self, process_stream: TextIO, place: int) -> None:
        super().__init__()
        self._process_stream = process_stream
        self._place = place

    def __getattr__(self, name: str) -> object:
        return getattr(self._current, name)

    @property
    def _current(self) -> TextIO:
        outputs = _OUTPUTS.get()
        return self._process_stream if outputs is None else outputs[self._place]

    @property
    def encoding(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._current.encoding

    @property
    def errors(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The error handler for characters that cannot be encoded.

        Without this property, click would write to the process's own stream.
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


async def serve_commands_and_events(
    settings: Settings, memory: Memory, *, viewer_address: ViewerAddress = lambda: None
) -> None:
    """Run commands from other processes, and store events that hooks captured, until cancelled.

    `viewer_address` returns an address that opens the viewer, or None if the server has no viewer.
    """
    from graph_memory.agent.capture.drain import follow_spool
    from graph_memory.hooks.spool import database_key

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve_commands, settings, memory, viewer_address)
        database = database_key(settings.neo4j_uri, settings.neo4j_database)
        tasks.start_soon(follow_spool, memory, settings.home.expanduser().resolve(), database)


async def serve_commands(settings: Settings, memory: Memory, viewer_address: ViewerAddress = lambda: None) -> None:
    """Run commands that this user's processes send to a socket in the home folder, until cancelled.

    If the socket cannot be created, return without running commands.
    """
    folder = sockets_folder(settings.home.expanduser().resolve())
    path = folder / f"{os.getpid()}.sock"
    if sys.platform == "win32" or len(os.fsencode(path)) > _MAX_PATH_BYTES:
        return
    try:
        async with _listener(path) as listener:
            await _serve(listener, settings, memory, viewer_address)
    except OSError as error:
        _log.info("Commands run in their own processes, because no socket can be created in %s: %s", folder, error)


async def _serve(
    listener: anyio.abc.Listener[SocketStream], settings: Settings, memory: Memory, viewer_address: ViewerAddress
) -> None:
    limit = anyio.CapacityLimiter(_MAX_COMMANDS)

    async def answer(connection: SocketStream) -> None:
        async with connection:
            try:
                request = await _read_request(connection)
                if request is not None and request.arguments == VIEW:
                    await _answer_address(connection, request, settings, viewer_address)
                elif request is not None:
                    await _answer_command(connection, request, settings, memory, limit)
            except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.ClosedResourceError, TimeoutError):
                pass  # the caller has disconnected
            except Exception:  # noqa: BLE001 - whatever one caller's command raises, the server goes on for the others
                _log.exception("A command of another process failed")

    previous_streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Stream(previous_streams[0], 0), _Stream(previous_streams[1], 1)
    try:
        await listener.serve(answer)
    finally:
        sys.stdout, sys.stderr = previous_streams


@asynccontextmanager
async def _listener(path: Path) -> AsyncGenerator[anyio.abc.Listener[SocketStream]]:
    """Listen on a socket that only this user can access. Removes stale sockets first, and this socket at the end."""
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


async def _read_request(connection: SocketStream) -> CommandRequest | None:
    """Return the request, or None if it is invalid or comes from another user's process."""
    if not is_of_this_user(connection.extra(anyio.abc.SocketAttribute.raw_socket)):  # noqa: S610 - nothing of Django
        return None
    with anyio.fail_after(REQUEST_SECONDS):
        try:
            line = await BufferedByteReceiveStream(connection).receive_until(b"\n", LONGEST)
            return CommandRequest.model_validate_json(line)
        except (ValidationError, anyio.IncompleteRead, anyio.DelimiterNotFound):
            return None


async def _answer_address(
    connection: SocketStream, request: CommandRequest, settings: Settings, viewer_address: ViewerAddress
) -> None:
    """Send an address that opens the viewer, if this server has a viewer and uses the sender's database."""
    sender_settings = _settings_of(request)
    databases = {
        (candidate_settings.neo4j_uri, candidate_settings.neo4j_database)
        for candidate_settings in (sender_settings, settings)
        if candidate_settings is not None
    }
    address = viewer_address() if sender_settings is not None and len(databases) == 1 else None
    if address is not None:
        await connection.send(ACCEPTED + json.dumps({"address": address}).encode())


async def _answer_command(
    connection: SocketStream,
    request: CommandRequest,
    settings: Settings,
    memory: Memory,
    limit: anyio.CapacityLimiter,
) -> None:
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
        async with BlockingPortal() as portal:  # tasks of `anyio.from_thread.run` would outlive the cancelled scope
            served = ServedMemory(memory, portal)
            answer = await anyio.to_thread.run_sync(_run, request, served, limiter=limit, abandon_on_cancel=True)
        tasks.cancel_scope.cancel()
    if answer:
        await connection.send(json.dumps(answer).encode())


def _is_declined(request: CommandRequest, settings: Settings) -> bool:
    """Return whether the server declines the command, so that it runs in its sender's process.

    This is the case if it writes, or if the sender has other settings, another time zone or another installation.
    """
    if request.package != PACKAGE or not reads_only(request.arguments) or request.time_zone != os.environ.get("TZ"):
        return True
    sender_settings = _settings_of(request)
    if sender_settings is None:
        return True  # its own process reports it
    excluded = set(_INDEPENDENT_SETTINGS)
    is_same = sender_settings.model_dump(exclude=excluded) == settings.model_dump(exclude=excluded)
    return not is_same or sender_settings.log_level not in _QUIET_LEVELS


def _settings_of(request: CommandRequest) -> Settings | None:
    """Return the settings of the request's sender, or None if they are invalid."""
    token = ENVIRONMENT.set(request.environment)
    try:
        return Settings()
    except (ValidationError, SettingsError):
        return None
    finally:
        ENVIRONMENT.reset(token)


def _run(request: CommandRequest, served: ServedMemory) -> Mapping[str, object]:
    """Run a command in the current thread, in its sender's environment. Returns its output and exit status."""
    from graph_memory.cli.main import run_arguments

    output, errors = (_Output(request.encoding, is_terminal=is_terminal) for is_terminal in request.terminals)
    _OUTPUTS.set((output, errors))
    TERMINAL.set(request.terminal)
    SERVED.set(served)
    ENVIRONMENT.set(request.environment)
    WORKING_FOLDER.set(Path(request.folder))
    status = run_arguments(request.arguments)
    return {"stdout": output.getvalue(), "stderr": errors.getvalue(), "status": status}
