"""MCP over HTTP: one process with one memory serves any number of clients."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import NoReturn

import anyio
import uvicorn

from graph_memory.audit import AuditLog
from graph_memory.hooks.spool import Spool
from graph_memory.mcp_server.access import KeyVerifier, Verifier
from graph_memory.mcp_server.admission import Admission
from graph_memory.mcp_server.control import CallControl, record_rejected_calls, slow_call_logger
from graph_memory.mcp_server.presets import Auth
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.transport.authentication import ResourceMetadata
from graph_memory.mcp_server.transport.connections import Acceptor, Connection, WaitQueue, connection_limit
from graph_memory.mcp_server.transport.health import Health
from graph_memory.mcp_server.transport.http_app import RequestTracker, application
from graph_memory.mcp_server.transport.metrics import Metrics
from graph_memory.mcp_server.transport.process import BackgroundWork, exit_process, opener_of, termination_signals
from graph_memory.mcp_server.transport.sessions import PATH
from graph_memory.mcp_server.transport.telemetry import export_telemetry
from graph_memory.mcp_server.viewer.gate import VIEW
from graph_memory.mcp_server.viewer.http_api import HttpApi
from graph_memory.mcp_server.viewer.logins import Logins
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.settings import Settings

HOST = "127.0.0.1"
PORT = 8848

_BACKLOG = 2048
"""Maximum number of connections waiting to be accepted. The client's system retries further connections after a
second."""
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
    """Time for a client to read each part of a response."""
    calls: float = 2.0
    """Time for running calls to finish at shutdown."""
    rest: int = 5
    """Time after `calls` until uvicorn drops the remaining requests."""
    connections: int = field(default_factory=connection_limit)
    sessions: int = 256
    """Maximum number of sessions. At most half of `connections`, because each session may keep a connection open."""


LIMITS = Limits()


def serve_http(
    settings: Settings,
    toolsets: Sequence[str],
    host: str = HOST,
    port: int = PORT,
    limits: Limits = LIMITS,
    *,
    background_work: BackgroundWork | None = None,
    logins: Logins | None = None,
    on_ready: Callable[[], None] | None = None,
    trusted_proxies: Sequence[str] = (),
) -> NoReturn:
    """Serve until SIGTERM or SIGINT, then close the memory and end the process. Port 0 means any free port.

    `logins` sets how clients are authenticated. `on_ready` is called when the server listens. Before it starts, raises
    INVALID_ARGUMENT for an unknown toolset, an invalid proxy, or an unavailable port. If there is no authentication,
    also raises INVALID_ARGUMENT for any proxy, and for a host other than the loopback interface.
    """
    opener = opener_of(settings, settings.session, toolsets, background_work)
    control = _control(settings)
    logins = logins or Logins(Auth.NONE)
    check_proxies(trusted_proxies, logins.auth)
    with open_listener(host, port, logins.auth) as listener:
        port = listener.getsockname()[1]
        health = Health(f"{socket.gethostname()}:{port}" if settings.neo4j_uri else None)
        metrics = Metrics(control, health, Spool.of(settings.home))
        resource = settings.public_url or _url(host, port)
        verifier, metadata = _verifier(logins.auth, settings, resource)
        api = HttpApi(settings, logins, verifier, control)
        attach = [health.attach, api.attach]
        server = build_server(opener, settings, toolsets, verifier, control=control, attach=attach)
        sessions = min(limits.sessions, limits.connections // 2)
        routes = [*health.routes(), metrics.route(), *api.routes(), *([] if metadata is None else metadata.routes())]
        app = application(
            server, port, settings.mcp_content_bytes, limits.body, sessions, routes, logins, verifier, metadata
        )
        config = _config(app, settings.log_level == "DEBUG", limits, trusted_proxies)

        def announce() -> None:
            sys.stderr.write(f"Serving MCP at {_url(host, port)} (Ctrl-C stops it)\n")
            sys.stderr.flush()
            logins.url = viewer_url(listener.getsockname()[0], port)
            if on_ready is not None:
                on_ready()

        http_server = HttpServer(config, limits, announce)
        metrics.count_connections(http_server.server_state.connections)
        with export_telemetry(control, "tcp"), suppress(KeyboardInterrupt):  # Ctrl-C before the handlers are installed
            anyio.run(_serve, http_server, listener, app, limits.calls)
    exit_process(1 if http_server.is_broken else 0)


def _control(settings: Settings) -> CallControl:
    rates = None
    limits = (settings.calls_per_minute, settings.bytes_per_minute, settings.tokens_per_minute)
    if any(limits):
        from graph_memory.mcp_server.rate_limits import RateLimits  # slow to import

        rates = RateLimits(*limits)
    control = CallControl(Admission(settings.max_calls, settings.max_waiting), rates)
    control.observers.append(record_rejected_calls(AuditLog(settings.audit_log)))
    if settings.slow_call_seconds:
        control.observers.append(slow_call_logger(settings.slow_call_seconds))
    return control


def _verifier(auth: Auth, settings: Settings, resource: str) -> tuple[Verifier | None, ResourceMetadata | None]:
    """Return the verifier of keys or tokens and, for tokens, the server's metadata."""
    match auth:
        case Auth.NONE:
            return None, None
        case Auth.KEYS:
            return KeyVerifier(), None
        case Auth.OIDC:
            from graph_memory.mcp_server.transport.oidc import OidcVerifier, TokenRules  # slow to import

            rules = TokenRules.of(settings, resource)
            return OidcVerifier(rules), ResourceMetadata(resource, rules.issuer)


def open_listener(host: str, port: int, auth: Auth = Auth.NONE) -> socket.socket:
    """Return a socket that listens at the address.

    Raises INVALID_ARGUMENT if the address is not available, or needs authentication.
    """
    if host not in _ADDRESSES and auth is Auth.NONE:
        hint = Hint(
            "Without authentication, the server stays on this machine: 127.0.0.1, localhost or ::1. For other "
            "machines, create a key with {graph-memory key}, and start {graph-memory serve} with --auth keys."
        )
        raise invalid_argument("host", f"Cannot serve on {quote(host)}: only the loopback interface is allowed", hint)
    try:
        address = _ADDRESSES.get(host) or str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
        return _listener(address, port)
    except OSError as error:
        raise _listen_error(host, port, error) from error


def _listener(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sets TCP_NODELAY
    try:
        if sys.platform == "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)  # no other program may bind it
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
        hint = "Stop the program that uses this port, or pass another --port; 0 picks a free one."
        return invalid_argument("port", f"--port {port} is already in use", hint)
    if error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
        hint = "Use an address of this machine, or omit --host to listen on 127.0.0.1."
        return invalid_argument("host", f"Cannot listen on {host}: {error.strerror}", hint)
    hint = "Pass another --port, 1024 or higher (0 picks a free one), or another --host."
    return invalid_argument("port", f"Cannot listen on {host}, --port {port}: {error.strerror}", hint)


def _url(host: str, port: int, path: str = PATH) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}{path}"


def viewer_url(address: str, port: int) -> str:
    """Return the URL of the viewer for a browser on this machine."""
    return _url({"0.0.0.0": HOST, "::": "::1"}.get(address, address), port, VIEW)  # noqa: S104 - nothing is bound to it


def check_proxies(proxies: Sequence[str], auth: Auth) -> None:
    """Raise INVALID_ARGUMENT if a proxy is not an IP address or network, or is given without authentication."""
    if proxies and auth is Auth.NONE:
        hint = "Add --auth keys. Behind a proxy without authentication, every machine could use the memory."
        raise invalid_argument("trusted_proxy", "--trusted-proxy needs authentication", hint)
    for proxy in proxies:
        try:
            ip_network(proxy)
        except ValueError:
            hint = "Pass an IP address or a network, such as 10.0.0.5 or 10.0.0.0/24."
            raise invalid_argument("trusted_proxy", f"{quote(proxy)} is not an IP address or network", hint) from None


def _config(app: RequestTracker, log_requests: bool, limits: Limits, proxies: Sequence[str]) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=log_requests,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=[*proxies],
        timeout_keep_alive=limits.idle,
        timeout_graceful_shutdown=limits.rest,
    )


async def _serve(server: HttpServer, listener: socket.socket, app: RequestTracker, grace: float) -> None:
    signals = termination_signals()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, signals, server, app, grace)
        await server.serve([listener])
        tasks.cancel_scope.cancel()


async def _end_on_signal(
    signals: AsyncIterator[None], server: uvicorn.Server, app: RequestTracker, grace: float
) -> None:
    async for _ in signals:
        app.end(0.0 if server.should_exit else grace)
        server.should_exit = True


class HttpServer(uvicorn.Server):
    """A uvicorn server that limits its connections, and does not handle signals.

    Uvicorn itself would accept any number of connections. On a signal, it would end the process with that signal, and
    thus with a status other than 0.
    """

    def __init__(self, config: uvicorn.Config, limits: Limits, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._limits = limits
        self._ready = ready
        self._accepting: list[asyncio.Task[NoReturn]] = []
        self.is_broken = False
        """Whether the server ended because it could not accept more connections."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting connections, and announce that the server is ready."""
        await super().startup([])
        waiting = WaitQueue()

        def create_connection() -> Connection:
            times = {"headers": self._limits.headers, "answer": self._limits.answer}
            return Connection(self.config, self.server_state, self.lifespan.state, waiting=waiting, **times)

        acceptor = Acceptor(create_connection, self.server_state, waiting, self._limits.connections)
        self._accepting = [asyncio.create_task(acceptor.accept(listener)) for listener in sockets or ()]
        for task in self._accepting:
            task.add_done_callback(self._end_unless_cancelled)
        self._ready()

    def _end_unless_cancelled(self, task: asyncio.Task[NoReturn]) -> None:
        """Stop the server if it can accept no more connections, so that its supervisor restarts it."""
        if not task.cancelled():
            _log.critical("No more connections can be accepted", exc_info=task.exception())
            self.is_broken = self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, and close open connections."""
        for task in self._accepting:
            task.cancel()
        await asyncio.gather(*self._accepting, return_exceptions=True)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to `termination_signals`."""
        yield
