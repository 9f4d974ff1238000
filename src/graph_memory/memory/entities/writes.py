"""Creates entities and observations, each call in one write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.changes.context import owners_of, read_attachments_of_retyped, read_in_parts
from graph_memory.memory.changes.plan import Changeset, Context, name_of_entity, unique_values
from graph_memory.memory.changes.values import Owners, UniqueValue
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
from graph_memory.memory.entity_graph.entity_queries import NAMED, observed, states_of
from graph_memory.memory.entity_graph.graph import NamedGraph, Steps
from graph_memory.memory.entity_graph.names import not_found, with_near_name
from graph_memory.memory.entity_graph.other_names import named_otherwise
from graph_memory.memory.entity_graph.values.request import NewEntity, NewObservations
from graph_memory.memory.entity_graph.values.rows import NamedRow, ObservedRow
from graph_memory.memory.entity_graph.values.spelling import ENTITY, RELATION, stored_name
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class _Known:
    """The stored records with the names of new entities."""

    aliases: Mapping[str, Sequence[str]]
    rows: Sequence[NamedRow]
    mentions: Sequence[NodeState]
    attached: Mapping[str, Sequence[Draft]]
    owners: Owners

    @property
    def called(self) -> Mapping[str, str]:
        """The names of entities by their aliases."""
        return {alias: names[0] for alias, names in self.aliases.items()}


@dataclass(frozen=True, slots=True)
class _Created:
    """The new entities, and the requested names that are aliases of known ones."""

    entities: Sequence[NewEntity] = ()
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


async def attached_to_ends(reader: Reader, head: Head, nodes: Iterable[NodeState]) -> Mapping[str, Sequence[Draft]]:
    """Return the deletions of records attached to nodes that are only ends of relations and may become entities."""
    ends = [node.id for node in nodes if node.mentioned]
    return await read_attachments_of_retyped(reader, head.domain, ends, head.ontology)


New = tuple[str, Mapping[str, PropertyValue]]
"""The type of an entity or relation as written, and its properties."""


async def owners_of_new(
    reader: Reader, head: Head, rows: Iterable[NamedRow], nodes: Iterable[New], relations: Iterable[New] = ()
) -> Owners:
    """Return the owners of the names that were read, and of the unique values of new entities and relations.

    Each new record may be stored under its own type or under the general type.
    """
    values: set[UniqueValue] = set()
    for kind, new, general in ((Kind.NODE, nodes, ENTITY), (Kind.CONNECTION, relations, RELATION)):
        for spelt, own in new:
            for name in dict.fromkeys((spelt, stored_name(spelt, general), general)):
                values.update(unique_values(kind, name, own, head.ontology))
    holders = {name_of_entity(row.name): {row.id: row.name} for row in rows}
    return {**await owners_of(reader, head.domain, values), **holders}


async def create_entities(core: Core, domain: str, wanted: Sequence[NewEntity]) -> EntitiesCreated:
    """Create the entities whose names are new. See `Entities.create_entities`."""

    async def read(reader: Reader, head: Head) -> _Known:
        aliases = await named_otherwise(reader, domain, [entity.name for entity in wanted], ends=True)
        names = {*(entity.name for entity in wanted), *(names[0] for names in aliases.values())}
        rows = await read_in_parts(reader, NAMED, domain, names=list(names))
        mentions = await states_of(reader, domain, [row.id for row in rows if row.is_mentioned])
        attached = await attached_to_ends(reader, head, mentions.values())
        there = {*aliases, *(row.name for row in rows if not row.is_mentioned)}
        new = (
            (entity.type, {**entity.properties, "name": entity.name}) for entity in wanted if entity.name not in there
        )
        return _Known(aliases, rows, [*mentions.values()], attached, await owners_of_new(reader, head, rows, new))

    def decide(head: Head, known: _Known) -> Decision[_Created]:
        graph = NamedGraph()
        graph.note_named(known.rows, known.mentions)
        graph.note_called(known.called)
        steps = Steps(graph, Drafting(head, core.origin, core.open_type_limit, known.attached))
        created = [entity for entity in wanted if steps.create(entity)[1]]
        context = Context(ontology=head.ontology, owners=known.owners)
        return Decision(checked(head, steps.drafting.drafts, context), _Created(created, known.aliases))

    async def write() -> _Created:
        for entity in wanted:
            await core.contents.put(domain, entity.content)
        return (await core.log.write("create_entities", domain, core.origin, read, decide)).report

    done = await in_domain(core, domain, write) if wanted else _Created()
    alike = await candidates_of_new(core.store, domain, {entity.name: entity.type for entity in done.entities})
    notes = (
        *map(_called, done.aliases.items()),
        *(_alike(name, candidate) for name, candidates in alike.items() for candidate in candidates),
    )
    return EntitiesCreated(entities=tuple(map(_told, done.entities)), notes=notes or None)


def _called(alias: tuple[str, Sequence[str]]) -> str:
    """Return the note about a name that is an alias of existing entities."""
    name, known = alias
    return (
        f"{quoted(name)} is a name of {' and of '.join(map(quoted, known))}, so no entity was created for it: "
        "use add_observations to add its facts. If it is another entity, remove the alias with update_entity first."
    )


def _alike(name: str, known: Candidate) -> str:
    """Return the question whether a new name and a similar known one mean the same entity."""
    return (
        f"Is {quoted(name)} the same as {quoted(known.name)} ({known.id})? {known.reason}. If so, use decide with id "
        f"{known.question} and decision same, or merge_entities. If they differ, do nothing."
    )


def _told(entity: NewEntity) -> Entity:
    return Entity(
        name=entity.name,
        entityType=entity.type,
        observations=tuple(observation.text for observation in entity.observations),
    )


def checked(head: Head, drafts: Sequence[Draft], context: Context) -> Sequence[Draft]:
    """Return validated drafts in order."""
    return Changeset.of(context, drafts).validate(head.domain) if drafts else ()


async def add_observations(core: Core, domain: str, wanted: Sequence[NewObservations]) -> ObservationsAdded:
    """Add the observations that are new to their entities. See `Entities.add_observations`."""

    async def read(reader: Reader, _: Head) -> Sequence[ObservedRow]:
        pairs = (
            (observations.name, [observation.text for observation in observations.observations])
            for observations in wanted
        )
        return await observed(reader, domain, pairs)

    def decide(head: Head, rows: Sequence[ObservedRow]) -> Decision[Sequence[Added]]:
        graph, results = NamedGraph(), list[Added]()
        graph.note_observed(rows)
        steps = Steps(graph, Drafting(head, core.origin, core.open_type_limit))
        for observations in wanted:
            if (entity := graph.entity(observations.name)) is None:
                raise not_found(observations.name)
            new = tuple(
                observation.text for observation in observations.observations if steps.observe(entity, observation)[1]
            )
            results.append(Added(entityName=observations.name, addedObservations=new))
        context = Context(ontology=head.ontology, living={row.id: "" for row in rows})
        return Decision(checked(head, steps.drafting.drafts, context), results)

    if not wanted:
        return ObservationsAdded(results=())
    try:
        written = await core.log.write("add_observations", domain, core.origin, read, decide)
    except GraphError as error:
        if error.code is Code.ONTOLOGY_NOT_FOUND:
            raise not_found(wanted[0].name) from error
        raise await with_near_name(core.store, domain, error) from error
    return ObservationsAdded(results=tuple(written.report))
