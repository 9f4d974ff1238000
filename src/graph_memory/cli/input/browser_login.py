"""Open a page that comes up logged in, with no secret in its address: lists of processes and histories show that.

The address ends with a port and a token. There the page fetches its login, from a server in this process that answers
once (`local/browser/assets/seed.js` does so). On Linux it answers programs of the same user only. Where the system does
not tell whose a connection is (other systems, a kernel that shows no table of them), another user of the machine who
reads the token from the list of processes, and is faster than the page, gets the login.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from urllib.parse import urlsplit

Address = tuple[str, int]

_HOST = "127.0.0.1"
_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))  # a program may reach an IPv4 address by an IPv6 socket
_MAPPED = bytes(10) + b"\xff\xff"


class _Desk(ThreadingHTTPServer):
    """A server that gives a login to one visitor, who comes from the page at `page`."""

    def __init__(self, page: str, login: Mapping[str, str]) -> None:
        super().__init__((_HOST, 0), _Visit)
        token = secrets.token_urlsafe(32)
        self.origin = "{0.scheme}://{0.netloc}".format(urlsplit(page))
        self.path = f"/{token}"
        self.address = f"{page}#login={self.server_port}/{token}"
        self.answer = json.dumps(login).encode()
        self.came = False
        self.done = Event()
        self._first = Lock()

    def admits(self, path: str, origin: str | None, visitor: Address) -> bool:
        """Tell whether this is the visitor that is waited for."""
        expected = path == self.path and origin == self.origin
        return expected and self._is_ours(visitor) and self._first.acquire(blocking=False)

    def _is_ours(self, visitor: Address) -> bool:
        """Tell whether a visitor may be a program of this user: it is, or the system does not tell."""
        user = user_of(visitor, (_HOST, self.server_port), _tables())
        return sys.platform == "win32" or user is None or user == os.getuid()


class _Visit(BaseHTTPRequestHandler):
    server: _Desk  # pyright: ignore[reportIncompatibleVariableOverride]
    client_address: Address  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        if not self.server.admits(self.path, self.headers.get("Origin"), self.client_address):
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", self.server.origin)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)
        self.server.came = True
        return self.server.done.set()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Write nothing."""


def has_display() -> bool:
    """Tell whether a web browser could show something here. One for a terminal does not do."""
    requests = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in requests)


def hand_over(page: str, login: Mapping[str, str], open_page: Callable[[str], object], timeout: float) -> bool:
    """Have a page opened that fetches its login; tell whether it did within `timeout` seconds.

    `open_page` may take as long as it likes; some web browsers return only when they are closed. Where it gives False,
    nobody is waited for. What the web browser writes on stdout comes on stderr.
    """
    with _Desk(page, login) as desk, stdout_on_stderr():
        Thread(target=desk.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        Thread(target=_open, args=(desk, open_page), daemon=True).start()
        desk.done.wait(timeout)
        desk.shutdown()
    return desk.came


@contextmanager
def stdout_on_stderr() -> Generator[None]:
    """Have programs that are started meanwhile write to stderr what they write to stdout."""
    try:
        kept = os.dup(1)
    except OSError:  # there is no stdout to protect
        yield
        return
    with suppress(OSError):
        os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def user_of(end: Address, other: Address, tables: Iterable[str]) -> int | None:
    """Give the id of the user who has the end `end` of a connection with `other`, both on this machine.

    `tables` are Linux's `/proc/net/tcp` and `tcp6`. None when they do not name it.
    """
    wanted = set(zip(_written(end), _written(other), strict=True))
    for line in (line for table in tables for line in table.splitlines()):
        fields = line.split()
        if tuple(fields[1:3]) in wanted:
            return int(fields[7])
    return None


def _written(address: Address) -> tuple[str, str]:
    """Give how the tables write an IPv4 address, and how they do when it is that of an IPv6 socket."""
    host, port = socket.inet_aton(address[0]), f"{address[1]:04X}"
    return f"{_words(host)}:{port}", f"{_words(_MAPPED + host)}:{port}"


def _words(address: bytes) -> str:
    words = (address[start : start + 4] for start in range(0, len(address), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)


def _tables() -> Iterator[str]:
    for table in _TABLES:
        with suppress(OSError):
            yield table.read_text("ascii")


def _open(desk: _Desk, open_page: Callable[[str], object]) -> None:
    if open_page(desk.address) is False:
        desk.done.set()
