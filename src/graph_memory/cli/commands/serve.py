"""`graph-memory mcp` and `serve`: serve the memory to agents."""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from graph_memory.cli.input import completion
from graph_memory.cli.session import read_settings
from graph_memory.mcp_server.presets import Auth, Preset
from graph_memory.model.values.arguments import AUTO, check_domain, invalid_argument
from graph_memory.project import domain_for
from graph_memory.settings import Settings


class Transport(StrEnum):
    """How MCP clients connect to the server."""

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
            help="none: every program of this machine may do everything, and other machines cannot connect. keys: "
            "clients need a key of `graph-memory key create`, with rights by domain. oidc: clients need an access "
            "token of GRAPH_MEMORY_OIDC_ISSUER."
        ),
    ] = Auth.NONE,
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on, default 127.0.0.1. With keys or oidc, also others, such as 0.0.0.0."),
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Default: 8848; 0 picks a free one.")] = None,
    domain: DomainOption = None,
    preset: ForOption = None,
    toolsets: ToolsetsOption = None,
) -> None:
    """Serve the memory over HTTP to many clients, on several machines if they have keys or tokens."""
    settings = read_settings(domain=domain, toolsets=preset if toolsets is None else toolsets)
    _serve(settings, Transport.HTTP, host, port, auth)


def _serve(
    settings: Settings, transport: Transport, host: str | None, port: int | None, auth: Auth = Auth.NONE
) -> None:
    from graph_memory.cli.served import serve_beside

    if settings.domain != AUTO:
        check_domain(settings.domain)
    match transport:
        case Transport.STDIO:
            from graph_memory.mcp_server.transport.stdio import serve_stdio

            _refuse_http_options(host=host, port=port)
            _warn_at_terminal()
            serve_stdio(settings, settings.toolsets, partial(serve_beside, settings))
        case Transport.HTTP:
            from graph_memory.mcp_server.transport.http import HOST, PORT, serve_http

            settings = _for_all_clients(settings)
            address = (HOST if host is None else host, PORT if port is None else port)
            serve_http(
                settings,
                settings.toolsets,
                *address,
                beside=partial(serve_beside, settings),
                auth=auth,
            )


def _for_all_clients(settings: Settings) -> Settings:
    """Return settings with one domain for all clients, since HTTP clients do not send their folder."""
    if settings.domain != AUTO:
        return settings
    domain = domain_for(AUTO)
    typer.echo(f"All clients share domain {domain}, the domain of the folder where this server was started.", err=True)
    return settings.model_copy(update={"domain": domain})


def _refuse_http_options(**options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise invalid_argument(
                name, f"--{name} needs --transport http", f"Add --transport http, or leave out --{name}."
            )


def _warn_at_terminal() -> None:
    if sys.stdin.isatty():
        typer.echo("This speaks MCP on stdin and stdout: let an MCP client start it. Ctrl-C stops it.", err=True)
