"""Runs a command in a server of this home, if there is one. The server has its imports and its connection to Neo4j.

This side imports the standard library only, and starts nothing. If no server answers at once, the command runs in its
own process. A server listens on a socket in a folder of the home that belongs to its owner alone.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PACKAGE = str(Path(__file__).parent)
"""The installation that this module belongs to."""
FOLDER = "sockets"
ACCEPTED = b"accepted\n"
"""A server's first line if it runs the command."""
ANSWER_SECONDS = 0.3
"""Maximum time until a server accepts or declines a command."""
LONGEST = 1 << 20
"""Maximum bytes of a request."""
PREFIXES = ("GRAPH_MEMORY_", "NEO4J_", "OPENAI_", "ANTHROPIC_", "MEMORY_")
"""Environment variables that settings are read from."""
_ALONE = frozenset({"recall", "search", "find", "query", "traverse", "path", "neighbors", "log", "diff", "sessions"})
_OF_GROUPS: Mapping[str, frozenset[str]] = {
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
"""The commands that only read, in one go, and no files. Others run in their own process."""
_NEVER = frozenset({"--follow", "--help", "-h"})
"""Arguments for which a command needs its own process."""


def run_remotely(arguments: Sequence[str]) -> int | None:
    """Run a command in a server of this home. Returns its exit status, or None if no server has run it."""
    if not reads_only(arguments) or None in (sys.stdout, sys.stderr):
        return None
    answer = ask_server(request(arguments))
    return None if answer is None else _print(answer)


def ask_server(request: Mapping[str, object], seconds: float | None = None) -> Mapping[str, object] | None:
    """Return the answer of a server of this home to a request, or None if none answers or it takes too long."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    for path in _sockets():
        with suppress(OSError, ValueError):
            if (answer := _ask(path, request, seconds)) is not None:
                return answer
    return None


def reads_only(arguments: Sequence[str]) -> bool:
    """Return whether a server may run a command: it only reads the memory, in one go."""
    if not arguments or not _NEVER.isdisjoint(arguments):
        return False
    name, *rest = arguments
    return name in _ALONE or bool(rest and rest[0] in _OF_GROUPS.get(name, ()))


def sockets_folder(home: Path) -> Path:
    """Return the folder of a home for the sockets of its servers."""
    return home / FOLDER


def is_private(folder: Path) -> bool:
    """Return whether a folder is no link, and belongs to this user alone."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def is_of_this_user(connection: socket.socket) -> bool:
    """Return whether the process at the other end is this user's, or the kernel does not say so."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return user == os.geteuid()


def request(arguments: Sequence[str], folder: str | None = None) -> Mapping[str, object]:
    """Return a command as a server takes it: with the folder, the settings and the terminal of this process."""
    return {
        "package": PACKAGE,
        "arguments": list(arguments),
        "folder": folder or str(Path.cwd()),
        "environment": {name: value for name, value in os.environ.items() if name.upper().startswith(PREFIXES)},
        "time_zone": os.environ.get("TZ"),
        "encoding": sys.stdout.encoding,
        "terminal": {**_terminal(), "COLUMNS": str(shutil.get_terminal_size().columns)},
        "terminals": [sys.stdout.isatty(), sys.stderr.isatty()],
    }


def home_folder() -> Path:
    """Return the home that the environment names, or else the usual one."""
    if value := os.environ.get("GRAPH_MEMORY_HOME", "").strip():
        return Path(os.path.expandvars(value)).expanduser()
    from platformdirs import user_data_path

    return user_data_path("graph-memory", appauthor=False)


def _sockets() -> Iterator[Path]:
    """Yield the sockets of servers, newest first."""
    home = home_folder()
    with suppress(OSError):
        if not is_private(sockets_folder(home)):
            return
        entries = sorted(os.scandir(sockets_folder(home)), key=lambda entry: entry.stat().st_mtime, reverse=True)
        yield from (Path(entry.path) for entry in entries if entry.name.endswith(".sock"))


def _terminal() -> Mapping[str, str]:
    names = ("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR")
    return {name: os.environ[name] for name in names if name in os.environ}


def _ask(path: Path, request: Mapping[str, object], seconds: float | None) -> Mapping[str, object] | None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(str(path))
        if not is_of_this_user(connection):
            return None
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile("rb") as answers:
            if answers.readline(len(ACCEPTED) + 1) != ACCEPTED:
                return None
            connection.settimeout(seconds)
            return json.loads(answers.read())


def _print(answer: Mapping[str, object]) -> int:
    for stream, name in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
        encoding = stream.encoding or "utf-8"
        stream.write(str(answer[name]).encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    return int(str(answer["status"]))
