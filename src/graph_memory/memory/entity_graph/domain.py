"""Creates a domain on the first write to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.graph.ontology import create_ontology
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology

R = TypeVar("R")


async def write_to_domain(core: Core, domain: str, write: Callable[[], Awaitable[R]]) -> R:
    """Run a write and return its result. Creates the domain first if it does not exist."""
    try:
        return await write()
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
    await ensure_domain(core, domain)
    return await write()


async def ensure_domain(core: Core, domain: str) -> None:
    """Create a domain with an open ontology for entities, if the domain does not exist."""
    try:
        await create_ontology(core, domain, Ontology(open=True), has_standard=False)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:
            raise
