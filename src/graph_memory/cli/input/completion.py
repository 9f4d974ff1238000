"""What the shell offers for the Tab key. It never starts a Neo4j, and never fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from graph_memory.project import domain_for

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.model.ontology.ontology import AnyType, Ontology

_PATIENCE = 3.0
"""Seconds that a person waits after the Tab key."""


def domains(incomplete: str) -> list[str]:
    """Return the domains that begin so."""

    async def names(memory: Memory) -> list[str]:
        return [domain.name for domain in (await memory.list_domains()).domains]

    return _beginning(incomplete, _asked(names))


def node_types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the node types that begin so."""
    return _beginning(incomplete, _types(context, lambda ontology: ontology.node_types))


def connection_types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the connection types that begin so."""
    return _beginning(incomplete, _types(context, lambda ontology: ontology.connection_types))


def all_types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the types that begin so."""
    results = _types(context, lambda ontology: (*ontology.node_types, *ontology.connection_types))
    return _beginning(incomplete, results)


def toolsets(incomplete: str) -> list[str]:
    """Return the toolsets and tools that begin so, behind those of the list that are there already."""
    from graph_memory.mcp_server.presets import OF_TOOLSETS
    from graph_memory.operations.table import TOOLSETS

    before, comma, last = incomplete.rpartition(",")
    names = {*TOOLSETS, *OF_TOOLSETS, "agent", "all", *(tool.name for tools in TOOLSETS.values() for tool in tools)}
    return [f"{before}{comma}{name}" for name in _beginning(last, names)]


def operations(incomplete: str) -> list[str]:
    """Return the operations that begin so."""
    from graph_memory.operations.table import CALLABLE

    return _beginning(incomplete, CALLABLE)


def operation_arguments(context: typer.Context, incomplete: str) -> list[str]:
    """Return the arguments of the operation that begin so, each with its `=`."""
    from graph_memory.operations.schemas import properties_of
    from graph_memory.operations.table import CALLABLE

    operation = CALLABLE.get(context.params.get("operation") or "")
    return _beginning(incomplete, [f"{name}=" for name in properties_of(operation.input_schema)] if operation else ())


def _types(context: typer.Context, of: Callable[[Ontology], Iterable[AnyType]]) -> Sequence[str]:
    async def names(memory: Memory) -> list[str]:
        given = context.params.get("domain")
        ontology = await memory.get_ontology(domain=domain_for(given) if given else None)
        return [type_.name for type_ in of(ontology)]

    return _asked(names)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _asked(use: Callable[[Memory], Awaitable[Sequence[str]]]) -> Sequence[str]:
    """Return what a memory answers that is there already and answers soon, else nothing."""
    with suppress(Exception):  # the shell shows what this prints in the middle of the line that is being typed
        import anyio

        from graph_memory import local
        from graph_memory.app import open_memory
        from graph_memory.cli.session import read_settings

        settings = read_settings()

        async def work() -> Sequence[str]:
            with anyio.fail_after(_PATIENCE):
                async with open_memory(settings) as memory:
                    return await use(memory)

        if settings.neo4j_uri or local.status(settings).state is local.State.RUNNING:
            return anyio.run(work)
    return ()
