"""Creates or updates an entity by name, in one write."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.core import Core
from graph_memory.memory.entities.profiles import CONFIDENCE, profiles_of
from graph_memory.memory.entities.results import Profile
from graph_memory.memory.entities.writes import deletions_of_ends, draft_entity_update, owners_of_new, validate
from graph_memory.memory.entity_graph.domain import write_to_domain
from graph_memory.memory.entity_graph.drafting import DraftCollector
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME, observations_by_text, states_of
from graph_memory.memory.entity_graph.names import check_current
from graph_memory.memory.entity_graph.values.request import NewEntity, new_entities
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head
from graph_memory.model.subjects.subjects import MODIFIED, NodeState
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.strength import check_fraction
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class UpsertRequest:
    """The desired state of an entity, and whether the request contains a description."""

    entity: NewEntity
    has_description: bool


def upsert_request_from(arguments: Mapping[str, object]) -> UpsertRequest:
    """Return the requested entity.

    Raises INVALID_ARGUMENT if an argument is invalid, and INVALID_PROPERTY if a property is invalid.
    """
    values = {key: value for key, value in arguments.items() if value is not None}
    if (confidence := values.pop(CONFIDENCE, None)) is not None:
        properties = values.get("properties", {})
        if isinstance(properties, Mapping):
            values["properties"] = {**properties, CONFIDENCE: check_fraction(CONFIDENCE, confidence)}
    [entity] = new_entities([values], utc_now())
    return UpsertRequest(entity, "description" in values)


async def upsert(core: Core, domain: str, request: UpsertRequest) -> Profile:
    """Create or update an entity. See `Entities.upsert`."""
    entity = request.entity
    await core.contents.put(domain, entity.content)

    def decide(head: Head, stored: _StoredRecords) -> Decision[str]:
        drafting = DraftCollector(head, core.origin, core.open_type_limit, stored.deletions_by_end)
        node_id = _draft(drafting, stored, request)
        return Decision(validate(head, drafting.drafts, stored.context), node_id)

    async def write() -> str:
        return (await core.log.write("upsert", domain, core.origin, partial(_read, request), decide)).report

    profiles = await profiles_of(core, domain, [await write_to_domain(core, domain, write)])
    if not profiles:
        hint = "It was deleted after the write. Call upsert again."
        raise GraphError(Code.NODE_NOT_FOUND, f"Entity with name {entity.name} not found", {"hint": hint})
    return profiles[0]


@dataclass(frozen=True, slots=True)
class _StoredRecords:
    """The node with the entity's name, the requested texts that it already has, and the context for validation."""

    node: NodeState | None
    texts: Collection[str]
    deletions_by_end: Mapping[str, Sequence[Draft]]
    context: Context


async def _read(request: UpsertRequest, reader: Reader, head: Head) -> _StoredRecords:
    entity = request.entity
    rows = await reader.read(NODES_BY_NAME, domain=head.domain, names=[entity.name])
    node = (await states_of(reader, head.domain, [row.id for row in rows])).get(entity.name)
    attached = await deletions_of_ends(reader, head, [node] if node else [])
    texts: Collection[str] = ()
    if node is not None and not node.mentioned:
        pairs = [(entity.name, [observation.text for observation in entity.observations])]
        texts = {text for row in await observations_by_text(reader, head.domain, pairs) for _, text, _ in row.matches}
    kind = entity.type if node is None or node.mentioned else node.type
    new_record = (kind, {**entity.properties, "name": entity.name})
    context = Context(
        ontology=head.ontology,
        existing_node_types={node.id: node.type} if node else {},
        owners=await owners_of_new(reader, head, rows, [new_record]),
    )
    return _StoredRecords(node, texts, attached, context)


def _draft(drafting: DraftCollector, stored: _StoredRecords, request: UpsertRequest) -> str:
    """Draft the changes that produce the desired state. Returns the id of the entity."""
    node, entity = stored.node, request.entity
    if node is None:
        return drafting.draft_entity(entity)
    if node.mentioned:
        drafting.promote_mention(node, entity)
        return node.id
    if entity.observations:
        check_current(entity.name, node.validity.end_if_past(drafting.head.at))
    content = entity.content if request.has_description else None
    draft = draft_entity_update(drafting.head, node, entity.properties, content)
    if not same_state(draft.state or {}, node.state(), MODIFIED):
        drafting.drafts.append(draft)
    drafting.draft_observations(
        node.id, [observation for observation in entity.observations if observation.text not in stored.texts]
    )
    return node.id
