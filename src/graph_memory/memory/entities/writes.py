"""Entities, observations and relations made, each call in one write: what is read, and what is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.changes.context import attached_to_others, in_parts, owners_of
from graph_memory.memory.changes.plan import Changeset, Context, name_of_entity, unique_of
from graph_memory.memory.changes.types import ontology_after
from graph_memory.memory.changes.values import Owners
from graph_memory.memory.core import Core
from graph_memory.memory.entities.names.candidates import candidates_of_new
from graph_memory.memory.entities.remember_results import Candidate
from graph_memory.memory.entities.results import (
    Added,
    EntitiesCreated,
    Entity,
    ObservationsAdded,
)
from graph_memory.memory.entity_graph.domain import in_domain
from graph_memory.memory.entity_graph.drafting import Drafting
from graph_memory.memory.entity_graph.graph import NamedGraph, Steps
from graph_memory.memory.entity_graph.names import entity_not_found, not_found
from graph_memory.memory.entity_graph.other_names import named_otherwise
from graph_memory.memory.entity_graph.reading import NAMED, observed, states_of
from graph_memory.memory.entity_graph.values.request import NewEntity, NewObservations
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import quoted
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

Decided = tuple[Sequence[Draft], Context]


async def drafting_with(core: Core, reader: Reader, head: Head, nodes: Iterable[NodeState]) -> Drafting:
    """Return what drafts changes of entities, given those that there are: an end of relations among them may settle."""
    ends = [node.id for node in nodes if node.mentioned]
    attached = await attached_to_others(reader, head.domain, ends, head.ontology)
    return Drafting(head, core.origin, core.open_type_limit, attached)


async def create_entities(core: Core, domain: str, wanted: Sequence[NewEntity]) -> EntitiesCreated:
    """Create the entities whose names are new. `Entities.create_entities` tells the rest."""
    created: list[NewEntity] = []
    aliases: Mapping[str, list[str]] = {}

    async def read(reader: Reader, head: Head) -> Decided:
        nonlocal created, aliases
        aliases = await named_otherwise(reader, domain, [one.name for one in wanted], ends=True)
        called = {alias: names[0] for alias, names in aliases.items()}
        rows = await in_parts(reader, NAMED, domain, names=list({*(one.name for one in wanted), *called.values()}))
        mentions = await states_of(reader, domain, [row.id for row in rows if row.is_mentioned])
        drafting, graph = await drafting_with(core, reader, head, mentions.values()), NamedGraph()
        graph.note_named(rows, mentions.values())
        graph.note_called(called)
        steps = Steps(graph, drafting)
        created = [one for one in wanted if steps.create(one)[1]]
        holders = {name_of_entity(row.name): {row.id: row.name} for row in rows}
        return drafting.drafts, await _context(reader, head, drafting.drafts, holders)

    async def write() -> None:
        for one in wanted:
            await core.contents.put(domain, one.content)
        await core.log.write("create_entities", domain, core.origin, read, checked)

    if wanted:
        await in_domain(core, domain, write)
    alike = await candidates_of_new(core.store, domain, {one.name: one.type for one in created})
    notes = (*map(_called, aliases.items()), *(_alike(name, one) for name, found in alike.items() for one in found))
    return EntitiesCreated(entities=tuple(map(_told, created)), notes=notes or None)


def _called(alias: tuple[str, Sequence[str]]) -> str:
    """Return the note about a name that is an alias of entities that exist."""
    name, known = alias
    return (
        f"{quoted(name)} is a name of {' and of '.join(map(quoted, known))}, so no entity was created for it: "
        "add_observations adds what is known. If it is another thing, take the alias away with update_entity first."
    )


def _alike(name: str, known: Candidate) -> str:
    """Return the question about a new name and a known one of which one is a part of the other."""
    return (
        f"Is {quoted(name)} the same as {quoted(known.name)} ({known.id})? {known.reason}. If so, use decide with id "
        f"{known.question} and decision same, or merge_entities; if they are two, there is nothing to do."
    )


def _told(one: NewEntity) -> Entity:
    return Entity(name=one.name, entityType=one.type, observations=tuple(each.text for each in one.observations))


async def _context(reader: Reader, head: Head, drafts: Sequence[Draft], holders: Owners) -> Context:
    """Return what lives around new entities: who has their names is known, other unique values are looked up."""
    ontology = ontology_after(head.ontology, drafts)
    values = {value for draft in drafts for value in unique_of(draft, ontology)}
    names = {value for value in values if value == name_of_entity(value.value)}
    owners = await owners_of(reader, head.domain, values - names)
    known = {name: holders[name] for name in names if name in holders}
    return Context(ontology=head.ontology, owners={**owners, **known})


def checked(head: Head, decided: Decided) -> Decision[None]:
    """Return changes in order, checked."""
    drafts, context = decided
    return Decision(Changeset.of(context, drafts).checked(head.domain) if drafts else (), None)


async def add_observations(core: Core, domain: str, wanted: Sequence[NewObservations]) -> ObservationsAdded:
    """Add observations that are new to their entities. `Entities.add_observations` tells the rest."""
    results: list[Added] = []

    async def read(reader: Reader, head: Head) -> Decided:
        nonlocal results
        asked = ((one.name, [each.text for each in one.observations]) for one in wanted)
        rows = await observed(reader, domain, asked)
        drafting, graph, results = Drafting(head, core.origin, core.open_type_limit), NamedGraph(), []
        graph.note_observed(rows)
        steps = Steps(graph, drafting)
        for one in wanted:
            if (entity := graph.entity(one.name)) is None:
                raise await entity_not_found(reader, domain, one.name)
            new = tuple(each.text for each in one.observations if steps.observe(entity, each)[1])
            results.append(Added(entityName=one.name, addedObservations=new))
        return drafting.drafts, Context(ontology=head.ontology, living={row.id: "" for row in rows})

    if wanted:
        try:
            await core.log.write("add_observations", domain, core.origin, read, checked)
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            raise not_found(wanted[0].name) from error
    return ObservationsAdded(results=tuple(results))
