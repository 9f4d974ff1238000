"""Removed commands. For one release, calling one of them raises an error that suggests the replacement."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import typer

from graph_memory.model.values.arguments import invalid_argument

REMOVED: Mapping[str, str] = {
    "ask": "call memory_query",
    "block edit": "call edit_block",
    "branch delete": "domain delete",
    "branch info": "domain info",
    "branch list": "domain list",
    "connected": "call get_connected_nodes",
    "connection content": "call get_connection",
    "connection delete": "call delete_connection",
    "connection get": "call get_connection",
    "connection importance": "call set_relation_importance",
    "connection strongest": "call get_strongest_connections",
    "connection update": "call update_connection",
    "connection validate": "call validate_connection",
    "connection weak": "call get_weak_relations",
    "contradictions": "call find_contradictions",
    "domain create": "call create_domain",
    "domain update": "call update_domain",
    "entity add": "call add_observations",
    "entity create": "call create_entities",
    "entity delete": "call delete_entities",
    "entity forget": "forget",
    "entity hot": "call get_hot",
    "entity merge": "call merge_entities",
    "entity observation": "call update_observation",
    "entity of-type": "call get_by_type",
    "entity orphans": "call find_orphans",
    "entity recent": "call get_recent",
    "entity relate": "call create_relations",
    "entity search": "call search_nodes",
    "entity similar": "call find_similar",
    "entity unrelate": "call delete_relations",
    "entity update": "call update_entity",
    "ontology add-connection-type": "call add_connection_type",
    "ontology add-node-type": "call add_node_type",
    "session end": "call session_end",
    "validity": "call set_validity",
}
"""The replacement of each removed command."""

_ANY_ARGUMENTS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["--no-help"]}


def add_removed(app: typer.Typer, group: str = "") -> None:
    """Add the removed commands of a group to its app, hidden from the help and from completion."""
    for command, replacement in REMOVED.items():
        owner, _, name = command.rpartition(" ")
        if owner == group:
            app.command(name, hidden=True, context_settings=_ANY_ARGUMENTS)(_make_stub(command, replacement))


def _make_stub(command: str, replacement: str) -> Callable[[], None]:
    """Return a stand-in for a removed command. It raises INVALID_ARGUMENT, with the replacement in the hint."""

    def raise_removed_error() -> None:
        raise invalid_argument(
            "command", f"`graph-memory {command}` was removed", f"Run `graph-memory {_example(replacement)}`."
        )

    return raise_removed_error


def _example(replacement: str) -> str:
    """Return an example of the replacement command, with the required arguments of its operation."""
    from graph_memory.operations.schemas import required_names
    from graph_memory.operations.table import OPERATIONS

    operation = OPERATIONS.get(replacement.removeprefix("call "))
    if operation is None:
        return replacement
    return " ".join([replacement, *(f"{name}=…" for name in required_names(operation.input_schema))])
