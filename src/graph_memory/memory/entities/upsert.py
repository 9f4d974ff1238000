"""Creates or updates an entity by name, in one write."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.core import Core
from graph_memory.memory.entities.profiles import CONFIDENCE, profiles_of
from graph_memory.memory.entities.results import Profile
from graph_memory.memory.entities.writes import attached_to_ends, checked, owners_of_new
from graph_memory.memory.entity_graph.domain import in_domain
from graph_memory.memory.entity_graph.drafting import Drafting
from graph_memory.memory.entity_graph.entity_queries import NAMED, observed, states_of
from graph_memory.memory.entity_graph.names import check_current
from graph_memory.memory.entity_graph.values.request import NewEntity, new_entities
from graph_memory.memory.graph.nodes import NodeEdit, update_draft
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head
from graph_memory.model.subjects.subjects import MODIFIED, NodeState
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.strength import fraction
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Wanted:
    """The desired state of an entity, and whether its description is given."""

    entity: NewEntity
    describes: bool


def wanted_from(given: Mapping[str, object]) -> Wanted:
    """Return the requested entity. Raises INVALID_ARGUMENT and INVALID_PROPERTY."""
    rendered = {key: value for key, value in given.items() if value is not None}
    if (sure := rendered.pop(CONFIDENCE, None)) is not None:
        properties = rendered.get("properties", {})
        if isinstance(properties, Mapping):
            rendered["properties"] = {**properties, CONFIDENCE: fraction(CONFIDENCE, sure)}
    [entity] = new_entities([rendered], utc_now())
    return Wanted(entity, "description" in rendered)


async def upsert(core: Core, domain: str, wanted: Wanted) -> Profile:
    """Create or update an entity. See `Entities.upsert`."""
    entity = wanted.entity
    await core.contents.put(domain, entity.content)

    async def read(reader: Reader, head: Head) -> _Known:
        return await _read(reader, head, wanted)

    def decide(head: Head, known: _Known) -> Decision[str]:
        drafting = Drafting(head, core.origin, core.open_type_limit, known.attached)
        node_id = _draft(drafting, known, wanted)
        return Decision(checked(head, drafting.drafts, known.context), node_id)

    async def write() -> str:
        return (await core.log.write("upsert", domain, core.origin, read, decide)).report

    profiles = await profiles_of(core, domain, [await in_domain(core, domain, write)])
    if not profiles:
        hint = "It was deleted after the write. Call upsert again."
        raise GraphError(Code.NODE_NOT_FOUND, f"Entity with name {entity.name} not found", {"hint": hint})
    return profiles[0]


@dataclass(frozen=True, slots=True)
class _Known:
    """The node with the name, if any, the requested texts that it already has, and its context."""

    node: NodeState | None
    texts: Collection[str]
    attached: Mapping[str, Sequence[Draft]]
    context: Context


async def _read(reader: Reader, head: Head, wanted: Wanted) -> _Known:
    entity = wanted.entity
    rows = await reader.read(NAMED, domain=head.domain, names=[entity.name])
    node = (await states_of(reader, head.domain, [row.id for row in rows])).get(entity.name)
    attached = await attached_to_ends(reader, head, [node] if node else [])
    texts: Collection[str] = ()
    if node is not None and not node.mentioned:
        pairs = [(entity.name, [observation.text for observation in entity.observations])]
        texts = {text for row in await observed(reader, head.domain, pairs) for _, text, _ in row.found}
    kind = entity.type if node is None or node.mentioned else node.type
    new = (kind, {**entity.properties, "name": entity.name})
    context = Context(
        ontology=head.ontology,
        living={node.id: node.type} if node else {},
        owners=await owners_of_new(reader, head, rows, [new]),
    )
    return _Known(node, texts, attached, context)


def _draft(drafting: Drafting, known: _Known, wanted: Wanted) -> str:
    """Draft the changes that lead to the desired state. Returns the id of the entity."""
    node, entity = known.node, wanted.entity
    if node is None:
        return drafting.entity(entity)
    if node.mentioned:
        drafting.settle(node, entity)
        return node.id
    if entity.observations:
        check_current(entity.name, node.validity.ended_by(drafting.head.at))
    edit = NodeEdit(
        properties=entity.properties,
        content=entity.content if wanted.describes else None,
        format=None,
        tags=None,
        fields={},
        expected_version=None,
    )
    draft = update_draft(drafting.head, node, edit)
    if not same_state(draft.state or {}, node.state(), MODIFIED):
        drafting.drafts.append(draft)
    drafting.observations(
        node.id, [observation for observation in entity.observations if observation.text not in known.texts]
    )
    return node.id
