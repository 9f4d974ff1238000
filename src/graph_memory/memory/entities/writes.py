"""Creates entities, and adds observations to them. Each call is one write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.changes.context import owners_of, read_attachments_of_retyped, read_in_parts
from graph_memory.memory.changes.plan import Changeset, Context, name_of_entity, unique_values
from graph_memory.memory.changes.rules import check_rules
from graph_memory.memory.changes.values import Owners, UniqueValue
from graph_memory.memory.core import Core
from graph_memory.memory.entities.names.candidates import candidates_of_new
from graph_memory.memory.entities.remember_results import Candidate
from graph_memory.memory.entities.results import (
    AddedObservations,
    Entity,
    EntityCreationResult,
    ObservationAdditionResult,
)
from graph_memory.memory.entity_graph.domain import write_to_domain
from graph_memory.memory.entity_graph.drafting import DraftCollector
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME, observations_by_text, states_of
from graph_memory.memory.entity_graph.graph import NamedGraph, RecordDrafter
from graph_memory.memory.entity_graph.names import official_not_found_error, with_near_name
from graph_memory.memory.entity_graph.other_names import names_by_alias
from graph_memory.memory.entity_graph.values.request import NewEntity, NewObservations
from graph_memory.memory.entity_graph.values.rows import EntityObservationsRow, NodeRow
from graph_memory.memory.entity_graph.values.spelling import ENTITY, RELATION, stored_name
from graph_memory.memory.graph.nodes import NodeEdit, update_draft
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Head
from graph_memory.model.ontology.ontology import ConnectionType, Ontology
from graph_memory.model.rules import connection_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import quote
from graph_memory.model.values.content import Content
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.work import AfterWrite, Decision
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class _StoredRecords:
    """The stored records with the names of the requested entities."""

    aliases: Mapping[str, Sequence[str]]
    rows: Sequence[NodeRow]
    mentions: Sequence[NodeState]
    deletions_by_end: Mapping[str, Sequence[Draft]]
    owners: Owners


@dataclass(frozen=True, slots=True)
class _Created:
    """The new entities, and the requested names that are aliases of existing entities."""

    entities: Sequence[NewEntity] = ()
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


async def deletions_of_ends(reader: Reader, head: Head, nodes: Iterable[NodeState]) -> Mapping[str, Sequence[Draft]]:
    """Return drafts that delete the records attached to nodes that are only endpoints of relations, keyed by node.

    The drafts are needed if the nodes become entities.
    """
    ends = [node.id for node in nodes if node.mentioned]
    return await read_attachments_of_retyped(reader, head.domain, ends, head.ontology)


NewRecord = tuple[str, Mapping[str, PropertyValue]]
"""The type of an entity or relation as written, and its properties."""


async def owners_of_new(
    reader: Reader, head: Head, rows: Iterable[NodeRow], nodes: Iterable[NewRecord], relations: Iterable[NewRecord] = ()
) -> Owners:
    """Return the current owners of the names and unique values that new entities and relations need.

    Each new record may get its own type or the general type, so the values under both types are looked up.
    """
    values: set[UniqueValue] = set()
    for kind, new, general in ((Kind.NODE, nodes, ENTITY), (Kind.CONNECTION, relations, RELATION)):
        for spelling, properties in new:
            for name in dict.fromkeys((spelling, stored_name(spelling, general), general)):
                values.update(unique_values(kind, name, properties, head.ontology))
    owners_by_name = {name_of_entity(row.name): {row.id: row.name} for row in rows}
    return {**await owners_of(reader, head.domain, values), **owners_by_name}


async def create_entities(core: Core, domain: str, entities: Sequence[NewEntity]) -> EntityCreationResult:
    """Create the entities whose names are new. See `Entities.create_entities`."""

    async def read(reader: Reader, head: Head) -> _StoredRecords:
        aliases = await names_by_alias(reader, domain, [entity.name for entity in entities], ends=True)
        names = {*(entity.name for entity in entities), *(names[0] for names in aliases.values())}
        rows = await read_in_parts(reader, NODES_BY_NAME, domain, names=list(names))
        mentions = await states_of(reader, domain, [row.id for row in rows if row.is_mentioned])
        deletions_by_end = await deletions_of_ends(reader, head, mentions.values())
        known_names = {*aliases, *(row.name for row in rows if not row.is_mentioned)}
        new_records = (
            (entity.type, {**entity.properties, "name": entity.name})
            for entity in entities
            if entity.name not in known_names
        )
        return _StoredRecords(
            aliases, rows, [*mentions.values()], deletions_by_end, await owners_of_new(reader, head, rows, new_records)
        )

    def decide(head: Head, stored: _StoredRecords) -> Decision[_Created]:
        graph = NamedGraph()
        graph.add_nodes(stored.rows, stored.mentions)
        graph.add_aliases({alias: names[0] for alias, names in stored.aliases.items()})
        steps = RecordDrafter(graph, DraftCollector(head, core.origin, core.open_type_limit, stored.deletions_by_end))
        created = [entity for entity in entities if steps.create(entity)[1]]
        context = Context(ontology=head.ontology, owners=stored.owners)
        return Decision(validate(head, steps.drafting.drafts, context), _Created(created, stored.aliases))

    async def write() -> _Created:
        for entity in entities:
            await core.contents.put(domain, entity.content)
        return (await core.log.write("create_entities", domain, core.origin, read, decide)).report

    result = await write_to_domain(core, domain, write) if entities else _Created()
    candidates_by_name = await candidates_of_new(
        core.store, domain, {entity.name: entity.type for entity in result.entities}
    )
    notes = (
        *map(_note_alias, result.aliases.items()),
        *(
            _note_candidate(name, candidate)
            for name, candidates in candidates_by_name.items()
            for candidate in candidates
        ),
    )
    return EntityCreationResult(entities=tuple(map(_make_entity, result.entities)), notes=notes or None)


def _note_alias(alias: tuple[str, Sequence[str]]) -> str:
    name, names = alias
    return (
        f"{quote(name)} is a name of {' and of '.join(map(quote, names))}, so no entity was created for it: "
        "use add_observations to add its facts. If it is another entity, remove the alias with update_entity first."
    )


def _note_candidate(name: str, candidate: Candidate) -> str:
    return (
        f"Is {quote(name)} the same as {quote(candidate.name)} ({candidate.id})? {candidate.reason}. If so, use decide "
        f"with id {candidate.question} and decision same, or merge_entities. If they differ, do nothing."
    )


def _make_entity(entity: NewEntity) -> Entity:
    return Entity(
        name=entity.name,
        entityType=entity.type,
        observations=tuple(observation.text for observation in entity.observations),
    )


def validate(head: Head, drafts: Sequence[Draft], context: Context) -> Sequence[Draft]:
    """Validate drafts, and return them in the order in which they are written."""
    return Changeset.of(context, drafts).validate(head.domain) if drafts else ()


def rule_check(domain: str, ontology: Ontology, types: Iterable[ConnectionType | None]) -> AfterWrite[object] | None:
    """Return a function that checks the rules of relations before the commit, or None if the types have no rules."""

    async def check(reader: Reader, events: Sequence[Event], _: object) -> None:
        await check_rules(reader, domain, events, ontology, in_turn=True)

    return check if any(map(connection_rules, types)) else None


def draft_entity_update(
    head: Head, node: NodeState, properties: Mapping[str, PropertyValue], content: Content | None = None
) -> Draft:
    """Return the draft that sets properties of an entity and, if `content` is given, its description."""
    edit = NodeEdit(properties=properties, content=content, format=None, tags=None, fields={}, expected_version=None)
    return update_draft(head, node, edit)


async def add_observations(core: Core, domain: str, requests: Sequence[NewObservations]) -> ObservationAdditionResult:
    """Add the observations that are new to their entities. See `Entities.add_observations`."""

    async def read(reader: Reader, _: Head) -> Sequence[EntityObservationsRow]:
        pairs = (
            (observations.name, [observation.text for observation in observations.observations])
            for observations in requests
        )
        return await observations_by_text(reader, domain, pairs)

    def decide(head: Head, rows: Sequence[EntityObservationsRow]) -> Decision[Sequence[AddedObservations]]:
        graph, results = NamedGraph(), list[AddedObservations]()
        graph.add_observations(rows)
        steps = RecordDrafter(graph, DraftCollector(head, core.origin, core.open_type_limit))
        for observations in requests:
            if (entity := graph.entity(observations.name)) is None:
                raise official_not_found_error(observations.name)
            new = tuple(
                observation.text for observation in observations.observations if steps.observe(entity, observation)[1]
            )
            results.append(AddedObservations(entityName=observations.name, addedObservations=new))
        context = Context(ontology=head.ontology, existing_node_types={row.id: "" for row in rows})
        return Decision(validate(head, steps.drafting.drafts, context), results)

    if not requests:
        return ObservationAdditionResult(results=())
    try:
        written = await core.log.write("add_observations", domain, core.origin, read, decide)
    except GraphError as error:
        if error.code is Code.ONTOLOGY_NOT_FOUND:
            raise official_not_found_error(requests[0].name) from error
        raise await with_near_name(core.store, domain, error) from error
    return ObservationAdditionResult(results=tuple(written.report))
