"""Prepares the domain and the constraints of relation types before data is written by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.spelling import RELATION, stored_name
from graph_memory.memory.graph.ontology import ad_hoc_types, create_ontology
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.properties import check_name
from graph_memory.storage.schema import ensure_connection_type

R = TypeVar("R")


async def in_domain(core: Core, domain: str, write: Callable[[], Awaitable[R]]) -> R:
    """Return the result of a write. Creates the domain first if it does not exist."""
    try:
        return await write()
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
    await begin_domain(core, domain)
    return await write()


async def begin_domain(core: Core, domain: str) -> None:
    """Create a domain of entities with an open ontology, if it does not exist."""
    try:
        await create_ontology(core, domain, Ontology(open=True), has_standard=False)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:
            raise


async def make_type_constraints(core: Core, domain: str, relations: Sequence[NewRelation]) -> None:
    """Create the constraints of the types that relations would add. The general type is included if not all fit."""
    names = list(dict.fromkeys(stored_name(relation.type, RELATION) for relation in relations))
    cached = core.log.cached_ontology(domain)
    if not names or (cached is not None and all(cached.has(Kind.CONNECTION, name) for name in names)):
        return
    ontology = await core.log.require_ontology(domain)
    may_exceed_limit = ad_hoc_types(ontology) + len(names) + 2 > core.open_type_limit
    await make_constraints(core, domain, [RELATION, *names] if may_exceed_limit else names)


async def make_constraints(core: Core, domain: str, names: Sequence[str]) -> None:
    """Create the constraints of the ad-hoc connection types that these names would add."""
    cached = core.log.cached_ontology(domain)
    if not names or (cached is not None and all(cached.has(Kind.CONNECTION, name) for name in names)):
        return
    ontology = await core.log.require_ontology(domain)
    new = [name for name in names if ontology.open and ontology.find_connection_type(name) is None]
    for name in new[: max(0, core.open_type_limit - ad_hoc_types(ontology))]:
        with suppress(GraphError):  # the operation with an invalid name reports it
            await ensure_connection_type(core.store, check_name("Connection type", name))
