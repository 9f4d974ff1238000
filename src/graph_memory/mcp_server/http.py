"""MCP over HTTP on the loopback interface: one process and one memory for any number of clients."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import anyio
import uvicorn

from graph_memory.mcp_server.http_app import PATH, Requests, application
from graph_memory.mcp_server.process import leave, opener_of, requests_to_end
from graph_memory.mcp_server.server import build_server
from graph_memory.model.arguments import fault
from graph_memory.model.errors import GraphError
from graph_memory.model.wording import quoted
from graph_memory.settings import Settings

HOST = "127.0.0.1"
PORT = 8848

_ADDRESSES = {HOST: HOST, "localhost": HOST, "::1": "::1"}
_PATIENCE = 2.0
"""Seconds that calls under way may take to finish once the server is to end."""
_LAST_RESORT = 5
"""Seconds after which uvicorn drops what has not ended."""


def serve_http(settings: Settings, toolsets: Sequence[str], host: str = HOST, port: int = PORT) -> NoReturn:
    """Serve at the address until SIGTERM or SIGINT; then close the memory and end the process. Port 0: a free one.

    Raises INVALID_ARGUMENT, before anything is started, for a toolset that there is not, a host that is not the
    loopback interface, and a port that cannot be had.
    """
    server = build_server(opener_of(settings), settings, toolsets)
    with listening(host, port) as listener:
        port = listener.getsockname()[1]
        app = application(server, port, settings.mcp_content_bytes)
        _announce(host, port)
        anyio.run(_serve, app, listener, settings.log_level == "DEBUG")
    leave()


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises INVALID_ARGUMENT."""
    if host not in _ADDRESSES:
        hint = (
            "There is no authentication yet, so it stays on this machine: 127.0.0.1, localhost or ::1. "
            "For others, put an SSH tunnel or a proxy that authenticates in front of it."
        )
        raise fault("host", f"Cannot serve at {quoted(host)}: only the loopback interface is served", hint)
    address = _ADDRESSES[host]
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sets TCP_NODELAY
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free
    try:
        listener.bind((address, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise _not_to_be_had(host, port, error) from error
    return listener


def _not_to_be_had(host: str, port: int, error: OSError) -> GraphError:
    if error.errno == errno.EADDRINUSE:
        hint = "Stop what listens there, or give another --port; 0 takes a free one."
        return fault("port", f"--port {port} is taken", hint)
    hint = "Give another --port, 1024 or higher (0 takes a free one), or another --host."
    return fault("port", f"Cannot listen at {host}, --port {port}: {error.strerror}", hint)


def _announce(host: str, port: int) -> None:
    name = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"Serving MCP at http://{name}:{port}{PATH} (Ctrl-C ends it)\n")
    sys.stderr.flush()


async def _serve(app: Requests, listener: socket.socket, log_requests: bool) -> None:
    config = uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=log_requests,
        server_header=False,
        timeout_graceful_shutdown=_LAST_RESORT,
    )
    server = HttpServer(config)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, server, app)
        await server.serve([listener])
        tasks.cancel_scope.cancel()


async def _end_on_signal(server: uvicorn.Server, app: Requests) -> None:
    async for _ in requests_to_end():
        app.end(0.0 if server.should_exit else _PATIENCE)
        server.should_exit = True


class HttpServer(uvicorn.Server):
    """Uvicorn's server, but for signals: it would end the process by the signal, with another status than 0."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the signals to us."""
        yield
