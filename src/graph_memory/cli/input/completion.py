"""Shell completion. It never starts Neo4j, and never raises an error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from graph_memory.project import domain_for

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.model.ontology.ontology import AnyType, Ontology

_TIMEOUT = 3.0
"""Maximum time in seconds for the memory to return names for completion."""


def domains(incomplete: str) -> list[str]:
    """Return the names of domains that start with `incomplete`."""

    async def names(memory: Memory) -> list[str]:
        return [domain.name for domain in (await memory.list_domains()).domains]

    return _with_prefix(incomplete, _ask_memory(names))


def node_types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the node types that start with `incomplete`."""
    return _with_prefix(incomplete, _type_names(context, lambda ontology: ontology.node_types))


def connection_types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the connection types that start with `incomplete`."""
    return _with_prefix(incomplete, _type_names(context, lambda ontology: ontology.connection_types))


def all_types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the node and connection types that start with `incomplete`."""
    names = _type_names(context, lambda ontology: (*ontology.node_types, *ontology.connection_types))
    return _with_prefix(incomplete, names)


def toolsets(incomplete: str) -> list[str]:
    """Return the toolsets and tools that complete the last name in the comma-separated list `incomplete`."""
    from graph_memory.mcp_server.presets import TOOLSETS_BY_PRESET
    from graph_memory.operations.table import TOOLSETS

    complete, comma, last = incomplete.rpartition(",")
    names = {
        *TOOLSETS,
        *TOOLSETS_BY_PRESET,
        "agent",
        "all",
        *(tool.name for tools in TOOLSETS.values() for tool in tools),
    }
    return [f"{complete}{comma}{name}" for name in _with_prefix(last, names)]


def operations(incomplete: str) -> list[str]:
    """Return the operations that start with `incomplete`."""
    from graph_memory.operations.table import CALLABLE

    return _with_prefix(incomplete, CALLABLE)


def operation_arguments(context: typer.Context, incomplete: str) -> list[str]:
    """Return the operation's arguments that start with `incomplete`, each with a `=` appended."""
    from graph_memory.operations.schemas import properties_of
    from graph_memory.operations.table import CALLABLE

    operation = CALLABLE.get(context.params.get("operation") or "")
    return _with_prefix(incomplete, [f"{name}=" for name in properties_of(operation.input_schema)] if operation else ())


def _type_names(context: typer.Context, types_of: Callable[[Ontology], Iterable[AnyType]]) -> Sequence[str]:
    async def names(memory: Memory) -> list[str]:
        domain = context.params.get("domain")
        ontology = await memory.get_ontology(domain=domain_for(domain) if domain else None)
        return [declared.name for declared in types_of(ontology)]

    return _ask_memory(names)


def _with_prefix(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _ask_memory(use: Callable[[Memory], Awaitable[Sequence[str]]]) -> Sequence[str]:
    """Return the names that `use` reads, or no names on failure.

    It fails if no server is running, the server is too slow, or `use` raises an error.
    """
    with suppress(Exception):  # the shell would show any output in the middle of the line that is being typed
        import anyio

        from graph_memory import local
        from graph_memory.app import open_memory
        from graph_memory.cli.session import read_settings

        settings = read_settings()

        async def work() -> Sequence[str]:
            with anyio.fail_after(_TIMEOUT):
                async with open_memory(settings) as memory:
                    return await use(memory)

        if settings.neo4j_uri or local.status(settings).state is local.State.RUNNING:
            return anyio.run(work)
    return ()
