"""Runs a command in the server that already runs for this home folder, which saves connecting to Neo4j.

This client imports only the standard library, and starts no processes. If no server answers at once, the command runs
in its own process. A server listens on a socket in a subfolder of the home folder that only its owner can read.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PACKAGE = f"{Path(__file__).parent} {Path(__file__).stat().st_mtime_ns}"
"""The folder and the time of the installation. A server of another or an earlier installation declines commands."""
FOLDER = "sockets"
ACCEPTED = b"accepted\n"
"""The first line of a server's answer that accepts the command."""
ANSWER_SECONDS = 0.3
"""Maximum time in seconds for a server to accept or decline a command."""
LONGEST = 1 << 20
"""Maximum size of a request in bytes."""
PREFIXES = ("GRAPH_MEMORY_", "NEO4J_", "OPENAI_", "ANTHROPIC_", "MEMORY_")
"""Prefixes of the environment variables that contain settings."""
_READING_COMMANDS = frozenset(
    {"recall", "search", "find", "query", "traverse", "path", "neighbors", "log", "diff", "sessions"}
)
_READING_SUBCOMMANDS: Mapping[str, frozenset[str]] = {
    "node": frozenset({"get"}),
    "connection": frozenset({"list"}),
    "entity": frozenset({"open", "list", "salient", "duplicates", "health"}),
    "block": frozenset({"show"}),
    "domain": frozenset({"list", "info"}),
    "link": frozenset({"list"}),
    "ontology": frozenset({"show"}),
    "session": frozenset({"start", "briefing", "context"}),
    "gtd": frozenset({"available", "next", "stuck", "waiting", "review"}),
    "agent": frozenset({"goals", "patterns"}),
}
"""The subcommands, by group, that need only the memory and no files or input. Other subcommands run in their own
process."""
VIEW = ["view"]
"""The request for an address that opens the viewer in a browser."""
_LOCAL_ARGUMENTS = frozenset({"--follow", "--help", "-h"})
"""Arguments that require a command to run in its own process."""


def run_remotely(arguments: Sequence[str]) -> int | None:
    """Run a command in a running server of this home folder.

    Return its exit status, or None if no server has run it.
    """
    if not reads_only(arguments) or None in (sys.stdout, sys.stderr):
        return None
    answer = ask_server(request(arguments))
    return None if answer is None else _print(answer)


def ask_server(
    request: Mapping[str, object], seconds: float | None = None, accept_seconds: float = ANSWER_SECONDS
) -> Mapping[str, object] | None:
    """Return a server's answer to the request, or None if no server of this home folder answers within `seconds`.

    A server that does not accept the request within `accept_seconds` is passed over.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    deadline = None if seconds is None else time.monotonic() + seconds
    for path in _sockets():
        if deadline is not None and time.monotonic() >= deadline:
            break
        with suppress(OSError, ValueError):
            if (answer := _ask(path, request, deadline, accept_seconds)) is not None:
                return answer
    return None


def reads_only(arguments: Sequence[str]) -> bool:
    """Return whether a command only reads the memory. A server may then run it."""
    if not arguments or not _LOCAL_ARGUMENTS.isdisjoint(arguments):
        return False
    name, *other_arguments = arguments
    subcommands = _READING_SUBCOMMANDS.get(name, ())
    return name in _READING_COMMANDS or bool(other_arguments and other_arguments[0] in subcommands)


def sockets_folder(home: Path) -> Path:
    """Return the folder for servers' sockets in a home folder."""
    return home / FOLDER


def is_private(folder: Path) -> bool:
    """Return whether a folder is not a symbolic link, and only this user can access it."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def is_of_this_user(connection: socket.socket) -> bool:
    """Return whether the other end is a process of this user. Also returns True if the system cannot tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return user == os.geteuid()


def request(arguments: Sequence[str], folder: str | None = None) -> Mapping[str, object]:
    """Return the request to run a command with this process's settings and terminal.

    `folder` is the working folder of the command, by default that of this process.
    """
    terminal_names = ("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR")
    terminal = {name: os.environ[name] for name in terminal_names if name in os.environ}
    return {
        "package": PACKAGE,
        "arguments": list(arguments),
        "folder": folder or str(Path.cwd()),
        "environment": {name: value for name, value in os.environ.items() if name.upper().startswith(PREFIXES)},
        "time_zone": os.environ.get("TZ"),
        "encoding": sys.stdout.encoding,
        "terminal": {**terminal, "COLUMNS": str(shutil.get_terminal_size().columns)},
        "terminals": [sys.stdout.isatty(), sys.stderr.isatty()],
    }


def home_folder() -> Path:
    """Return the folder in GRAPH_MEMORY_HOME, or the default home folder if the variable is empty or not set."""
    if value := os.environ.get("GRAPH_MEMORY_HOME", "").strip():
        return Path(os.path.expandvars(value)).expanduser()
    from platformdirs import user_data_path

    return user_data_path("graph-memory", appauthor=False)


def _sockets() -> Iterator[Path]:
    """Yield the sockets of this home folder's servers, oldest first, because a new server is still loading.

    If their folder is not private, there are none.
    """
    home = home_folder()
    with suppress(OSError):
        if not is_private(sockets_folder(home)):
            return
        entries = sorted(os.scandir(sockets_folder(home)), key=lambda entry: entry.stat().st_mtime)
        yield from (Path(entry.path) for entry in entries if entry.name.endswith(".sock"))


def _ask(
    path: Path, request: Mapping[str, object], deadline: float | None, accept_seconds: float
) -> Mapping[str, object] | None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(min(accept_seconds, _seconds_until(deadline) or accept_seconds))
        connection.connect(str(path))
        if not is_of_this_user(connection):
            return None
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile("rb") as answers:
            if answers.readline(len(ACCEPTED) + 1) != ACCEPTED:
                return None
            connection.settimeout(_seconds_until(deadline))
            return json.loads(answers.read())


def _seconds_until(deadline: float | None) -> float | None:
    """Return the seconds until the deadline, but at least 0.01, or None if there is no deadline."""
    return None if deadline is None else max(deadline - time.monotonic(), 0.01)


def _print(answer: Mapping[str, object]) -> int:
    for stream, name in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
        encoding = stream.encoding or "utf-8"
        stream.write(str(answer[name]).encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    return int(str(answer["status"]))
