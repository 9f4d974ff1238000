"""Runs commands of `graph-memory.remote` in a server, with the settings, folder and terminal of the calling process."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
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

from graph_memory.cli.output.printing import COLUMNS
from graph_memory.cli.session import SERVED
from graph_memory.project import WORKING_FOLDER
from graph_memory.remote import ACCEPTED, LONGEST, PACKAGE, reads_only, sockets_folder
from graph_memory.settings import ENVIRONMENT, Settings

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

AT_ONCE = 2
"""Commands that run at the same time; others wait."""
LONGEST_PATH = 100
"""Maximum bytes of the path of a socket, which the kernel limits."""
REQUEST_SECONDS = 2.0
"""Maximum time until a caller has sent its request."""
_FREE = frozenset({"domain", "session", "actor", "log_level", "toolsets", "background_index", "use_counts"})
"""Settings that may differ between a server and a command that it runs."""


class CommandRequest(BaseModel):
    """A command and where it was called, as `remote.request` describes it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    package: str
    arguments: list[str]
    folder: str
    environment: dict[str, str]
    encoding: str | None
    columns: int
    terminals: tuple[bool, bool]


class _Output(io.StringIO):
    def __init__(self, encoding: str | None, *, is_terminal: bool) -> None:
        super().__init__()
        self._encoding = encoding
        self._is_terminal = is_terminal

    @property
    def encoding(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The encoding of the caller's stream."""
        return self._encoding

    def isatty(self) -> bool:
        return self._is_terminal


_OUTPUTS: ContextVar[tuple[_Output, _Output] | None] = ContextVar("outputs", default=None)
"""Standard output and error of the command that this thread runs for another process."""


class _Stream(io.TextIOBase):
    """Standard output or error: of the served command in its thread, else of the process."""

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
        """How characters are replaced. Without it click would write to the buffer of the process's own stream."""
        return "backslashreplace"

    def write(self, text: str, /) -> int:
        return self._current.write(text)

    def flush(self) -> None:
        self._current.flush()

    def isatty(self) -> bool:
        return self._current.isatty()

    def fileno(self) -> int:
        return self._current.fileno()


async def serve_commands(settings: Settings, memory: Memory) -> None:
    """Run commands that other processes of this user send to a socket in the home, until cancelled."""
    folder = sockets_folder(settings.home.expanduser().resolve())
    path = folder / f"{os.getpid()}.sock"
    if sys.platform == "win32" or len(os.fsencode(path)) > LONGEST_PATH:
        return
    async with _listener(path) as listener:
        limit = anyio.CapacityLimiter(AT_ONCE)

        async def answer(connection: SocketStream) -> None:
            async with connection:
                with suppress(anyio.BrokenResourceError, anyio.EndOfStream, anyio.ClosedResourceError, TimeoutError):
                    await _answer(connection, settings, memory, limit)

        own = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = _Stream(own[0], 0), _Stream(own[1], 1)
        try:
            await listener.serve(answer)
        finally:
            sys.stdout, sys.stderr = own


@asynccontextmanager
async def _listener(path: Path) -> AsyncGenerator[anyio.abc.Listener[SocketStream]]:
    """Listen on a socket that only this user can reach, and remove it at the end, with those of dead processes."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.chmod(0o700)
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
    if not _is_of_this_user(connection):
        return
    with anyio.fail_after(REQUEST_SECONDS):
        try:
            line = await BufferedByteReceiveStream(connection).receive_until(b"\n", LONGEST)
            request = CommandRequest.model_validate_json(line)
        except (ValidationError, anyio.IncompleteRead, anyio.DelimiterNotFound):
            return
    if _is_declined(request, settings):
        return
    await connection.send(ACCEPTED)
    answer = await anyio.to_thread.run_sync(_run, request, memory, limiter=limit)
    await connection.send(json.dumps(answer).encode())


def _is_of_this_user(connection: SocketStream) -> bool:
    """Return whether the process at the other end belongs to the user of this one, where the kernel says so."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder is closed to others
    raw = connection.extra(anyio.abc.SocketAttribute.raw_socket)  # noqa: S610 - nothing of Django
    _, user, _ = struct.unpack("3i", raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return user == os.getuid()


def _is_declined(request: CommandRequest, settings: Settings) -> bool:
    """Return whether a command must run elsewhere: it is of another installation, writes, or has other settings."""
    if request.package != PACKAGE or not reads_only(request.arguments):
        return True
    own = ENVIRONMENT.set(request.environment)
    try:
        theirs = Settings()
    except ValidationError:
        return True  # its own process reports it
    finally:
        ENVIRONMENT.reset(own)
    return theirs.model_dump(exclude=set(_FREE)) != settings.model_dump(exclude=set(_FREE))


def _run(request: CommandRequest, memory: Memory) -> Mapping[str, object]:
    """Run a command in this thread, whose context no other has, and return what it prints and its exit status."""
    from graph_memory.cli.main import run_arguments

    output, errors = (_Output(request.encoding, is_terminal=is_terminal) for is_terminal in request.terminals)
    _OUTPUTS.set((output, errors))
    COLUMNS.set(request.columns)
    SERVED.set(memory)
    ENVIRONMENT.set(request.environment)
    WORKING_FOLDER.set(Path(request.folder))
    status = run_arguments(request.arguments)
    return {"stdout": output.getvalue(), "stderr": errors.getvalue(), "status": status}
