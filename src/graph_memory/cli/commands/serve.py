"""`graph-memory mcp`: serve the memory to agents."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from graph_memory.cli.input import completion
from graph_memory.cli.session import read_settings
from graph_memory.mcp_server.presets import Preset
from graph_memory.model.arguments import AUTO, check_domain, fault
from graph_memory.project import domain_for
from graph_memory.settings import Settings


class Transport(StrEnum):
    """How an MCP client reaches the server."""

    STDIO = "stdio"
    HTTP = "http"


DomainOption = Annotated[
    str | None,
    typer.Option(
        metavar="DOMAIN",
        help="Domain to use; auto is that of the project which the client works in.",
        envvar="GRAPH_MEMORY_DOMAIN",
        autocompletion=completion.domains,
    ),
]
HostOption = Annotated[
    str | None, typer.Option(help="With http: 127.0.0.1 (the default), localhost or ::1; nothing beyond this machine.")
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
        help="Toolsets, tools and presets to serve, separated by commas, in place of those of --for. "
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
    """Serve the memory to an MCP client, or over HTTP to many. Agents: --for agent.

    Toolset graph: create_node, get_node, get_node_content, update_node, delete_node, create_connection,
    get_connection, update_connection, delete_connection, query_nodes, query_connections, get_connected_nodes,
    search_content, validate_connection, create_ontology, add_node_type, add_connection_type, get_ontology.

    Toolset recall: recall, search_memories, traverse_memories, find_path. By name also search_semantic,
    hybrid_search, memory_context, memory_query, memory_synthesize, get_neighbors.

    Toolset history: memory_log, memory_as_of, memory_diff, memory_branch, set_validity, memory_revert,
    memory_revert_session, memory_merge, memory_erase, memory_compact.

    Toolset domains: create_domain, list_domains, get_domain, update_domain, select_domain, delete_domain,
    create_cross_domain_link, list_cross_domain_links, delete_cross_domain_link.

    Toolset batch: execute_batch.

    Toolset meaning: get_strongest_connections, get_weak_relations, set_relation_importance, infer_connections,
    find_contradictions.

    Toolset protection: protect, unprotect.

    Toolset entities: create_entities, create_relations, add_observations, delete_entities, delete_observations,
    delete_relations, read_graph, search_nodes, open_nodes.

    Toolset remember: remember, decide, update_entity, update_observation, forget.

    Toolset cleanup: find_similar, find_duplicates, merge_entities, find_orphans, graph_health, get_recent,
    get_hot, get_by_type.

    Toolset sessions: session_start, session_end, get_block, edit_block. With it there are the prompts
    memory-guide and save-session.

    Toolset agent_memory: record_event, get_events, record_pattern, match_patterns, apply_pattern_result,
    get_best_patterns, set_goal, update_goal, list_goals, get_user_profile, update_user_profile,
    get_capabilities, working_memory, query_memory. By name also get_environment.
    """
    _serve(read_settings(domain=domain, toolsets=preset if toolsets is None else toolsets), transport, host, port)


def _serve(settings: Settings, transport: Transport, host: str | None, port: int | None) -> None:
    if settings.domain != AUTO:
        check_domain(settings.domain)
    match transport:
        case Transport.STDIO:
            from graph_memory.mcp_server.transport.stdio import serve_stdio

            _refuse_without_http(host=host, port=port)
            _warn_a_person()
            serve_stdio(settings, settings.toolsets)
        case Transport.HTTP:
            from graph_memory.mcp_server.transport.http import HOST, PORT, serve_http

            settings = _for_all_clients(settings)
            serve_http(settings, settings.toolsets, HOST if host is None else host, PORT if port is None else port)


def _for_all_clients(settings: Settings) -> Settings:
    """Return the settings with one domain for all clients: those over HTTP do not say where they work."""
    if settings.domain != AUTO:
        return settings
    domain = domain_for(AUTO)
    typer.echo(f"All clients share domain {domain}, that of the folder in which this server was started.", err=True)
    return settings.model_copy(update={"domain": domain})


def _refuse_without_http(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise fault(name, f"--{name} needs --transport http", f"Add --transport http, or leave --{name} out.")


def _warn_a_person() -> None:
    if sys.stdin.isatty():
        typer.echo("This speaks MCP on stdin and stdout: let an MCP client start it. Ctrl-C stops it.", err=True)
