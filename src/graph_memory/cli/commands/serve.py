"""`graph-memory mcp`, `serve` and `view`: serve the memory to agents and to a browser."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from threading import Thread
from typing import Annotated
from urllib.parse import quote

import typer

from graph_memory.cli.input import completion
from graph_memory.cli.output.printing import note
from graph_memory.cli.session import read_settings
from graph_memory.mcp_server.presets import Auth, Preset
from graph_memory.model.errors import GraphError
from graph_memory.model.values.arguments import AUTO, check_domain, invalid_argument
from graph_memory.project import domain_for
from graph_memory.remote import VIEW, ask_server, request
from graph_memory.settings import Settings

ANSWER_SECONDS = 10.0
"""Maximum time in seconds for a running server's answer."""
ACCEPT_SECONDS = 4.0
"""Maximum time in seconds for a running server to accept the request. A server that is loading can be busy for seconds,
and `view` must not start a second one."""
OPEN_SECONDS = 10.0
"""Maximum time in seconds for the browser to start."""


class Transport(StrEnum):
    """The transport by which MCP clients connect to the server."""

    STDIO = "stdio"
    HTTP = "http"


DomainOption = Annotated[
    str | None,
    typer.Option(
        metavar="DOMAIN",
        help="Domain to use; auto is the domain of the project that the client works in.",
        envvar="GRAPH_MEMORY_DOMAIN",
        autocompletion=completion.domains,
    ),
]
HostOption = Annotated[
    str | None,
    typer.Option(help="With http: 127.0.0.1 (the default), localhost or ::1. Other machines cannot connect."),
]
PortOption = Annotated[
    int | None, typer.Option(min=0, max=65535, help="With http: the port. Default: 8848; 0 picks a free one.")
]
ForOption = Annotated[
    Preset | None,
    typer.Option(
        "--for",
        help="Tools to serve. agent: 18 tools to remember and recall, for an assistant or a coding agent. "
        "application (the default): typed nodes and connections. official: the nine tools of the official memory "
        "server. all: every tool.",
    ),
]
ToolsetsOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Toolsets, tools and presets to serve, separated by commas, instead of --for. "
        "Default: graph, recall, batch, memory_log, memory_diff, memory_revert.",
        autocompletion=completion.toolsets,
    ),
]


def mcp(
    domain: DomainOption = None,
    preset: ForOption = None,
    toolsets: ToolsetsOption = None,
    transport: Annotated[Transport, typer.Option(help="How clients connect.")] = Transport.STDIO,
    host: HostOption = None,
    port: PortOption = None,
) -> None:
    """Serve the memory to an MCP client, or over HTTP to many clients. For agents, use --for agent.

    `graph-memory call --list` lists the tools of each toolset. A tool marked `by name` is served only if --toolsets
    names the tool itself. The toolset sessions also serves the prompts memory-guide and save-session.
    """
    _serve(read_settings(domain=domain, toolsets=preset if toolsets is None else toolsets), transport, host, port)


def serve(
    auth: Annotated[
        Auth,
        typer.Option(
            help="none: every program on this machine may do everything, and other machines cannot connect. keys: "
            "clients need a key of `graph-memory key create`, with rights by domain. oidc: clients need an access "
            "token of GRAPH_MEMORY_OIDC_ISSUER."
        ),
    ] = Auth.NONE,
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on, default 127.0.0.1. With keys or oidc, also others, such as 0.0.0.0."),
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Default: 8848; 0 picks a free one.")] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="IP address or network of a proxy whose X-Forwarded-For and X-Forwarded-Proto are believed. Repeat it "
            "for several. Needs --auth keys or oidc.",
        ),
    ] = None,
    domain: DomainOption = None,
    preset: ForOption = None,
    toolsets: ToolsetsOption = None,
) -> None:
    """Serve the memory over HTTP to many clients, on several machines if they have keys or tokens."""
    settings = read_settings(domain=domain, toolsets=preset if toolsets is None else toolsets)
    _serve(settings, Transport.HTTP, host, port, auth, trusted_proxy or ())


def _serve(
    settings: Settings,
    transport: Transport,
    host: str | None,
    port: int | None,
    auth: Auth = Auth.NONE,
    trusted_proxies: Sequence[str] = (),
) -> None:
    from graph_memory.cli.served import serve_commands_and_events

    if settings.domain != AUTO:
        check_domain(settings.domain)
    match transport:
        case Transport.STDIO:
            from graph_memory.mcp_server.transport.stdio import serve_stdio

            _reject_http_options(host=host, port=port)
            if sys.stdin.isatty():
                warning = "This command speaks MCP on stdin and stdout: let an MCP client start it. Ctrl-C stops it."
                typer.echo(warning, err=True)
            serve_stdio(settings, settings.toolsets, partial(serve_commands_and_events, settings))
        case Transport.HTTP:
            from graph_memory.mcp_server.transport.http import HOST, PORT, serve_http
            from graph_memory.mcp_server.viewer.logins import Logins

            settings = _for_all_clients(settings)
            address = (HOST if host is None else host, PORT if port is None else port)
            logins = Logins(auth)
            background_work = partial(serve_commands_and_events, settings, viewer_address=logins.new_viewer_url)
            serve_http(
                settings,
                settings.toolsets,
                *address,
                background_work=background_work,
                logins=logins,
                trusted_proxies=trusted_proxies,
            )


def _for_all_clients(settings: Settings) -> Settings:
    """Return settings with one domain for all clients, because HTTP clients do not send their project's path."""
    if settings.domain != AUTO:
        return settings
    domain = domain_for(AUTO)
    typer.echo(f"All clients share domain {domain}, the domain of the folder where this server was started.", err=True)
    return settings.model_copy(update={"domain": domain})


def _reject_http_options(**options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise invalid_argument(
                name, f"--{name} needs --transport http", f"Add --transport http, or leave out --{name}."
            )


def view(
    domain: DomainOption = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Port if a server must be started. Default: 8848, or a free one if that is taken."
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Only print the address.")] = False,
) -> None:
    """Open the memory in a browser: see it, and correct it. Starts a server if none is running.

    The address works once, within five minutes. A server with keys asks for a key instead.
    """
    settings = _for_all_clients(read_settings(domain=domain))
    domain = None if domain is None else check_domain(settings.domain)
    answer = ask_server(request(VIEW), ANSWER_SECONDS, ACCEPT_SECONDS)
    if answer is not None:
        _show_viewer(str(answer["address"]), domain, no_open=no_open).join(OPEN_SECONDS)
        return
    _serve_viewer(settings, domain, port, no_open=no_open)


def _serve_viewer(settings: Settings, domain: str | None, port: int | None, *, no_open: bool) -> None:
    from graph_memory.cli.served import serve_commands_and_events
    from graph_memory.mcp_server.transport.http import HOST, serve_http
    from graph_memory.mcp_server.viewer.logins import Logins

    logins = Logins(Auth.NONE)

    def show() -> None:
        note("The viewer's address, which works once:")
        _show_viewer(str(logins.new_viewer_url()), domain, no_open=no_open)

    background_work = partial(serve_commands_and_events, settings, viewer_address=logins.new_viewer_url)
    serve_http(
        settings,
        settings.toolsets,
        HOST,
        _free_port(port),
        background_work=background_work,
        logins=logins,
        on_ready=show,
    )


def _free_port(port: int | None) -> int:
    """Return the given or the usual port. Returns 0 (any free port) if the usual port is in use."""
    from graph_memory.mcp_server.transport.http import HOST, PORT, open_listener

    if port is not None:
        return port
    try:
        open_listener(HOST, PORT).close()
    except GraphError:
        return 0
    return PORT


def _show_viewer(address: str, domain: str | None, *, no_open: bool) -> Thread:
    """Print the address, and open it in a browser if there is a display. Return the thread that opens it."""
    from graph_memory.cli.input.browser_login import has_display  # imports an HTTP server

    if domain is not None:
        address += f"{'&' if '#' in address else '#'}domain={quote(domain)}"
    typer.echo(address)
    sys.stdout.flush()
    addresses = [address] if has_display() and not no_open else []
    thread = Thread(target=lambda: [*map(webbrowser.open, addresses)], daemon=True)
    thread.start()
    return thread
