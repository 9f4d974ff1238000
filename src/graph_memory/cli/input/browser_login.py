"""Opens a web page that is logged in.

The login is not in the address, because process lists and histories show addresses. The address ends with a port and a
token. The page (`local/browser/assets/seed.js`) uses them to fetch the login from a server in this process, which
answers only once. On Linux, the server answers only processes of the same user. On systems that do not show who owns a
connection, another user of the machine could read the token from the process list, and fetch the login before the page
does.
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
_MAPPED_PREFIX = bytes(10) + b"\xff\xff"


class _LoginServer(ThreadingHTTPServer):
    """A local server that returns the login for the web page `page` once."""

    def __init__(self, page: str, login: Mapping[str, str]) -> None:
        super().__init__((_HOST, 0), _LoginHandler)
        token = secrets.token_urlsafe(32)
        self.origin = "{0.scheme}://{0.netloc}".format(urlsplit(page))
        self.path = f"/{token}"
        self.address = f"{page}#login={self.server_port}/{token}"
        self.answer = json.dumps(login).encode()
        self.was_fetched = False
        self.done = Event()
        self._single_visit = Lock()

    def admits(self, path: str, origin: str | None, visitor: Address) -> bool:
        """Return whether this is the page's first request for the login, sent by a process of the current user."""
        expected = path == self.path and origin == self.origin
        return expected and self._is_this_user(visitor) and self._single_visit.acquire(blocking=False)

    def _is_this_user(self, visitor: Address) -> bool:
        """Return whether a process of this user opened the connection. Also True if the system cannot tell."""
        user = user_of(visitor, (_HOST, self.server_port), _read_tables())
        return sys.platform == "win32" or user is None or user == os.getuid()


class _LoginHandler(BaseHTTPRequestHandler):
    server: _LoginServer  # pyright: ignore[reportIncompatibleVariableOverride]
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
        self.server.was_fetched = True
        return self.server.done.set()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Do nothing, because requests must not be logged."""


def has_display() -> bool:
    """Return whether there is a display for a graphical web browser."""
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in variables)


def hand_over(page: str, login: Mapping[str, str], open_page: Callable[[str], object], timeout: float) -> bool:
    """Open a page that fetches the login. Return whether the page fetched it within `timeout` seconds.

    `open_page` may block until the browser is closed. If it returns False, this function returns at once. The browser's
    stdout is redirected to stderr.
    """
    with _LoginServer(page, login) as server, stdout_on_stderr():
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        Thread(target=_open, args=(server, open_page), daemon=True).start()
        server.done.wait(timeout)
        server.shutdown()
    return server.was_fetched


@contextmanager
def stdout_on_stderr() -> Generator[None]:
    """Redirect the stdout of programs started in the `with` block to stderr."""
    try:
        original = os.dup(1)
    except OSError:  # there is no stdout to protect
        yield
        return
    with suppress(OSError):
        os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(original, 1)
        os.close(original)


def user_of(address: Address, peer: Address, tables: Iterable[str]) -> int | None:
    """Return the id of the user whose process opened the connection from `address` to `peer`.

    `tables` are the contents of `/proc/net/tcp` and `/proc/net/tcp6` on Linux. Returns None if they do not contain the
    connection.
    """
    pairs = set(zip(_table_forms(address), _table_forms(peer), strict=True))
    for line in (line for table in tables for line in table.splitlines()):
        fields = line.split()
        if tuple(fields[1:3]) in pairs:
            return int(fields[7])
    return None


def _table_forms(address: Address) -> tuple[str, str]:
    """Return the address in the two formats of `/proc/net`: for IPv4 and IPv6 sockets."""
    host, port = socket.inet_aton(address[0]), f"{address[1]:04X}"
    return f"{_hex_words(host)}:{port}", f"{_hex_words(_MAPPED_PREFIX + host)}:{port}"


def _hex_words(address: bytes) -> str:
    words = (address[start : start + 4] for start in range(0, len(address), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)


def _read_tables() -> Iterator[str]:
    for table in _TABLES:
        with suppress(OSError):
            yield table.read_text("ascii")


def _open(server: _LoginServer, open_page: Callable[[str], object]) -> None:
    if open_page(server.address) is False:
        server.done.set()
