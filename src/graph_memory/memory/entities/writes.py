"""Entities, observations and relations made, each call in one write: what is read, and what is made of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from graph_memory.memory.changes.context import attached_to_others, in_parts, owners_of
from graph_memory.memory.changes.plan import Changeset, Context, name_of_entity, unique_of
from graph_memory.memory.changes.types import ontology_after
from graph_memory.memory.changes.values import UniqueValue
from graph_memory.memory.core import Core
from graph_memory.memory.entities.asked import NewEntity, NewObservations
from graph_memory.memory.entities.drafting import Drafting
from graph_memory.memory.entities.names import entity_not_found, not_found
from graph_memory.memory.entities.results import (
    Added,
    EntitiesCreated,
    Entity,
    ObservationsAdded,
)
from graph_memory.memory.graph.ontology import create_ontology
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Head
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import live_state
from graph_memory.model.subjects import NodeState
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class NamedRow:
    """An entity, or a name that is only an end of relations."""

    name: str
    id: str
    type: str
    version: int
    is_mentioned: bool


@dataclass(frozen=True, slots=True)
class ObservedRow:
    """An entity, and what of it has some texts: lists of id, text and version."""

    name: str
    id: str
    found: list[tuple[str, str, int]]


NAMED = query("entities/named", NamedRow)
OBSERVED = query("entities/observed", ObservedRow)
Decided = tuple[Sequence[Draft], Context]


async def in_domain(core: Core, domain: str, write: Callable[[], Awaitable[R]]) -> R:
    """Return what a write gives, in a domain that is begun for it where there is none."""
    try:
        return await write()
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
    await begin_domain(core, domain)
    return await write()


async def begin_domain(core: Core, domain: str) -> None:
    """Create a domain of entities, whose types are open, unless somebody has."""
    try:
        await create_ontology(core, domain, Ontology(open=True), has_standard=False)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:
            raise


async def drafting_with(core: Core, reader: Reader, head: Head, nodes: Iterable[NodeState]) -> Drafting:
    """Return what drafts changes of entities, given those that there are: an end of relations among them may settle."""
    ends = [node.id for node in nodes if node.mentioned]
    attached = await attached_to_others(reader, head.domain, ends, head.ontology)
    return Drafting(head, core.origin, core.open_type_limit, attached)


async def create_entities(core: Core, domain: str, wanted: Sequence[NewEntity]) -> EntitiesCreated:
    """Create the entities whose names are new. `Entities.create_entities` tells the rest."""
    created: list[NewEntity] = []

    async def read(reader: Reader, head: Head) -> Decided:
        nonlocal created
        rows = await in_parts(reader, NAMED, domain, names=[one.name for one in wanted])
        named = {row.name: row for row in rows if not row.is_mentioned}
        mentions = await states_of(reader, domain, [row.id for row in rows if row.is_mentioned])
        created = [one for one in wanted if one.name not in named]
        drafting = await drafting_with(core, reader, head, mentions.values())
        for one in created:
            if (mention := mentions.get(one.name)) is not None:
                drafting.settle(mention, one)
            else:
                drafting.entity(one)
        holders = {name_of_entity(row.name): (row.id,) for row in rows}
        return drafting.drafts, await _context(reader, head, drafting.drafts, holders)

    async def write() -> None:
        for one in wanted:
            await core.contents.put(domain, one.content)
        await core.log.write("create_entities", domain, core.origin, read, checked)

    if wanted:
        await in_domain(core, domain, write)
    return EntitiesCreated(entities=tuple(map(_told, created)))


def _told(one: NewEntity) -> Entity:
    return Entity(name=one.name, entityType=one.type, observations=tuple(each.text for each in one.observations))


async def states_of(reader: Reader, domain: str, ids: Sequence[str]) -> Mapping[str, NodeState]:
    """Return nodes by their names."""
    rows = await in_parts(reader, LAST_EVENTS, domain, subjects=ids)
    states = [NodeState.from_live(live_state(Event.from_row(row))) for row in rows]
    return {str(state.properties["name"]): state for state in states}


async def _context(
    reader: Reader, head: Head, drafts: Sequence[Draft], holders: Mapping[UniqueValue, Sequence[str]]
) -> Context:
    """Return what lives around new entities: who has their names is known, other unique values are looked up."""
    ontology = ontology_after(head.ontology, drafts)
    values = {value for draft in drafts for value in unique_of(draft, ontology)}
    names = {value for value in values if value == name_of_entity(value.value)}
    owners = await owners_of(reader, head.domain, values - names)
    known = {name: holders[name] for name in names if name in holders}
    return Context(ontology=head.ontology, owners={**owners, **known})


def checked(head: Head, decided: Decided) -> Sequence[Draft]:
    """Return changes in order, checked."""
    drafts, context = decided
    return Changeset.of(context, drafts).checked(head.domain) if drafts else ()


async def add_observations(core: Core, domain: str, wanted: Sequence[NewObservations]) -> ObservationsAdded:
    """Add observations that are new to their entities. `Entities.add_observations` tells the rest."""
    results: list[Added] = []

    async def read(reader: Reader, head: Head) -> Decided:
        nonlocal results
        texts: dict[str, dict[str, None]] = {}
        for one in wanted:
            texts.setdefault(one.name, {}).update(dict.fromkeys(each.text for each in one.observations))
        asked = [{"name": name, "texts": list(own)} for name, own in texts.items()]
        rows = {row.name: row for row in await in_parts(reader, OBSERVED, domain, rows=asked)}
        for one in wanted:
            if one.name not in rows:
                raise await entity_not_found(reader, domain, one.name)
        there = {name: {text for _, text, _ in row.found} for name, row in rows.items()}
        drafting, results = Drafting(head, core.origin, core.open_type_limit), []
        for one in wanted:
            new = [each for each in one.observations if each.text not in there[one.name]]
            there[one.name].update(each.text for each in new)
            drafting.observations(rows[one.name].id, new)
            results.append(Added(entityName=one.name, addedObservations=tuple(each.text for each in new)))
        return drafting.drafts, Context(ontology=head.ontology, living={row.id: "" for row in rows.values()})

    if wanted:
        try:
            await core.log.write("add_observations", domain, core.origin, read, checked)
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            raise not_found(wanted[0].name) from error
    return ObservationsAdded(results=tuple(results))
