"""MCP over HTTP: one process and one memory serve any number of clients."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NoReturn

import anyio
import uvicorn

from graph_memory.audit import AuditLog
from graph_memory.hooks.spool import Spool
from graph_memory.mcp_server.access import KeyVerifier, Verifier
from graph_memory.mcp_server.admission import Admission
from graph_memory.mcp_server.control import CallControl, refusal_recorder
from graph_memory.mcp_server.presets import Auth
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.transport.authentication import ResourceMetadata
from graph_memory.mcp_server.transport.connections import Acceptor, Connection, WaitQueue, connection_limit
from graph_memory.mcp_server.transport.health import Health
from graph_memory.mcp_server.transport.http_app import Lifetimes, application
from graph_memory.mcp_server.transport.metrics import Metrics
from graph_memory.mcp_server.transport.process import Beside, exit_process, opener_of, termination_signals
from graph_memory.mcp_server.transport.sessions import PATH
from graph_memory.mcp_server.transport.slow_calls import slow_call_logger
from graph_memory.mcp_server.transport.telemetry import exporting
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.settings import Settings

HOST = "127.0.0.1"
PORT = 8848

_BACKLOG = 2048
"""Maximum number of connections that wait to be accepted. The client's system retries others after a second."""
_log = logging.getLogger(__name__)
_ADDRESSES = {HOST: HOST, "localhost": HOST, "::1": "::1"}


@dataclass(frozen=True)
class Limits:
    """Time limits in seconds, and maximum numbers of connections and sessions."""

    headers: float = 10.0
    """Time to receive the headers of a request."""
    body: float = 30.0
    """Time to receive the body of a request."""
    idle: int = 5
    """Time between two requests on a connection."""
    answer: float = 30.0
    """Time for a client to read any part of a response."""
    calls: float = 2.0
    """Time for running calls to finish at shutdown."""
    rest: int = 5
    """Time after that until uvicorn drops the remaining requests."""
    connections: int = field(default_factory=connection_limit)
    sessions: int = 256
    """Maximum number of sessions, at most half of the connections, because each may keep one open."""


LIMITS = Limits()


def serve_http(
    settings: Settings,
    toolsets: Sequence[str],
    host: str = HOST,
    port: int = PORT,
    limits: Limits = LIMITS,
    *,
    beside: Beside | None = None,
    auth: Auth = Auth.NONE,
) -> NoReturn:
    """Serve until SIGTERM or SIGINT, then close the memory and end the process. Port 0 means any free port.

    Raises INVALID_ARGUMENT, before it starts, for an unknown toolset, a port that is not available or, unless
    clients are authenticated, a host other than the loopback interface.
    """
    opener = opener_of(settings, settings.session, toolsets, beside)
    control = _control(settings)
    with open_listener(host, port, auth) as listener:
        port = listener.getsockname()[1]
        health = Health(f"{socket.gethostname()}:{port}" if settings.neo4j_uri else None)
        metrics = Metrics(control, health, Spool.of(settings.home))
        resource = settings.public_url or _url(host, port)
        verifier, metadata = _verifier(auth, settings, resource)
        server = build_server(opener, settings, toolsets, verifier, control=control, attach=health.attach)
        sessions = min(limits.sessions, limits.connections // 2)
        routes = [*health.routes(), metrics.route(), *([] if metadata is None else metadata.routes())]
        app = application(
            server, port, settings.mcp_content_bytes, limits.body, sessions, routes, verifier, metadata and metadata.url
        )
        config = _config(app, settings.log_level == "DEBUG", limits)
        http_server = HttpServer(config, limits, lambda: _announce(host, port))
        metrics.count_connections(http_server.server_state.connections)
        with exporting(control, "tcp"), suppress(KeyboardInterrupt):  # Ctrl-C before the handlers are installed
            anyio.run(_serve, http_server, listener, app, limits.calls)
    exit_process(1 if http_server.is_broken else 0)


def _control(settings: Settings) -> CallControl:
    rates = None
    if settings.calls_per_minute:
        from graph_memory.mcp_server.rate_limits import RateLimits  # takes long to import

        rates = RateLimits(settings.calls_per_minute)
    control = CallControl(Admission(settings.max_calls, settings.max_waiting), rates)
    control.observers.append(refusal_recorder(AuditLog(settings.audit_log)))
    if settings.slow_call_seconds:
        control.observers.append(slow_call_logger(settings.slow_call_seconds))
    return control


def _verifier(auth: Auth, settings: Settings, resource: str) -> tuple[Verifier | None, ResourceMetadata | None]:
    """Return the verifier of keys or tokens, and for tokens the metadata of the server."""
    match auth:
        case Auth.NONE:
            return None, None
        case Auth.KEYS:
            return KeyVerifier(), None
        case Auth.OIDC:
            from graph_memory.mcp_server.transport.oidc import OidcVerifier, TokenRules  # takes long to import

            rules = TokenRules.of(settings, resource)
            return OidcVerifier(rules), ResourceMetadata(resource, rules.issuer)


def open_listener(host: str, port: int, auth: Auth = Auth.NONE) -> socket.socket:
    """Return a socket that listens at the address. Raises INVALID_ARGUMENT if it is not available or not allowed."""
    if host not in _ADDRESSES and auth is Auth.NONE:
        hint = Hint(
            "Without authentication, the server stays on this machine: 127.0.0.1, localhost or ::1. For other "
            "machines, create a key with {graph-memory key}, and start {graph-memory serve} with --auth keys."
        )
        raise invalid_argument("host", f"Cannot serve on {quote(host)}: only the loopback interface is allowed", hint)
    try:
        return _listener(_ADDRESSES.get(host) or _resolve(host), port)
    except OSError as error:
        raise _listen_error(host, port, error) from error


def _resolve(host: str) -> str:
    """Return the IP address of a host name of this machine. Raises OSError."""
    return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])


def _listener(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sets TCP_NODELAY
    try:
        if sys.platform == "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)  # or others may take the port too
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free
        listener.bind((address, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _listen_error(host: str, port: int, error: OSError) -> GraphError:
    if error.errno == errno.EADDRINUSE:
        hint = "Stop what is listening there, or pass another --port; 0 picks a free one."
        return invalid_argument("port", f"--port {port} is taken", hint)
    if error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
        return invalid_argument("host", f"Cannot listen on {host}: {error.strerror}", "Use --host 127.0.0.1, or none.")
    hint = "Pass another --port, 1024 or higher (0 picks a free one), or another --host."
    return invalid_argument("port", f"Cannot listen on {host}, --port {port}: {error.strerror}", hint)


def _url(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}{PATH}"


def _announce(host: str, port: int) -> None:
    sys.stderr.write(f"Serving MCP at {_url(host, port)} (Ctrl-C stops it)\n")
    sys.stderr.flush()


def _config(app: Lifetimes, log_requests: bool, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=log_requests,
        server_header=False,
        proxy_headers=False,  # nothing is decided by the address of a client
        timeout_keep_alive=limits.idle,
        timeout_graceful_shutdown=limits.rest,
    )


async def _serve(server: HttpServer, listener: socket.socket, app: Lifetimes, grace: float) -> None:
    requests = termination_signals()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, requests, server, app, grace)
        await server.serve([listener])
        tasks.cancel_scope.cancel()


async def _end_on_signal(requests: AsyncIterator[None], server: uvicorn.Server, app: Lifetimes, grace: float) -> None:
    async for _ in requests:
        app.end(0.0 if server.should_exit else grace)
        server.should_exit = True


class HttpServer(uvicorn.Server):
    """A uvicorn server that limits its connections, and does not handle signals.

    Uvicorn itself would accept any number of connections. After a signal, it would end the process by that signal, with
    a status other than 0.
    """

    def __init__(self, config: uvicorn.Config, limits: Limits, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._limits = limits
        self._ready = ready
        self._accepting: list[asyncio.Task[NoReturn]] = []
        self.is_broken = False
        """Whether it ended because it could not accept more connections."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting connections, and announce this."""
        await super().startup([])
        waiting = WaitQueue()

        def make() -> Connection:
            times = {"headers": self._limits.headers, "answer": self._limits.answer}
            return Connection(self.config, self.server_state, self.lifespan.state, waiting=waiting, **times)

        acceptor = Acceptor(make, self.server_state, waiting, self._limits.connections)
        self._accepting = [asyncio.create_task(acceptor.accept(listener)) for listener in sockets or ()]
        for task in self._accepting:
            task.add_done_callback(self._end_unless_cancelled)
        self._ready()

    def _end_unless_cancelled(self, task: asyncio.Task[NoReturn]) -> None:
        """End the server if it can accept no more connections. Then its supervisor restarts it."""
        if not task.cancelled():
            _log.critical("No more connections can be accepted", exc_info=task.exception())
            self.is_broken = self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, and close the open ones."""
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the signals to `termination_signals`."""
        yield
