"""Open a page in a person's web browser at an address that carries a secret.

The list of processes would show the address. So the browser is given another one, under a name that nobody can guess:
that of a server which leads one visitor on to the true address.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread

from graph_memory.local.ports import HOST


class _Guide(ThreadingHTTPServer):
    """A server that leads one visitor on."""

    def __init__(self, address: str) -> None:
        super().__init__((HOST, 0), _Visit)
        self.address = address
        self.path = f"/{secrets.token_urlsafe(32)}"
        self.came = False
        self.done = Event()
        self._visit = Lock()

    def admits(self, path: str) -> bool:
        """Tell whether this is the visitor that is waited for."""
        return path == self.path and self._visit.acquire(blocking=False)


class _Visit(BaseHTTPRequestHandler):
    server: _Guide  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        if not self.server.admits(self.path):
            return self.send_error(404)
        self.send_response(303)
        self.send_header("Location", self.server.address)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.server.came = True
        return self.server.done.set()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Write nothing."""


def has_display() -> bool:
    """Tell whether a web browser could show something here. One for a terminal does not do."""
    asked = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in asked)


def hand_over(address: str, open_page: Callable[[str], object], patience: float) -> bool:
    """Have a page opened that leads on to `address`; tell whether somebody came for it within `patience` seconds.

    `open_page` may take as long as it likes; some web browsers return only when they are closed. Where it gives False,
    nobody is waited for.
    """
    with _Guide(address) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        Thread(target=_open, args=(server, open_page), daemon=True).start()
        server.done.wait(patience)
        server.shutdown()
    return server.came


def _open(server: _Guide, open_page: Callable[[str], object]) -> None:
    if open_page(f"http://{HOST}:{server.server_port}{server.path}") is False:
        server.done.set()
