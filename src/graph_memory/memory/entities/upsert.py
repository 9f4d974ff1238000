"""An entity made, or brought up to date where there is one of its name: in one write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graph_memory.memory.changes.context import read_context
from graph_memory.memory.core import Core
from graph_memory.memory.entities.profiles import CONFIDENCE, profiles_of
from graph_memory.memory.entities.results import Profile
from graph_memory.memory.entities.writes import Decided, checked, drafting_with
from graph_memory.memory.entity_graph.domain import in_domain
from graph_memory.memory.entity_graph.drafting import Drafting
from graph_memory.memory.entity_graph.names import check_current
from graph_memory.memory.entity_graph.reading import NAMED, observed, states_of
from graph_memory.memory.entity_graph.values.request import NewEntity, new_entities
from graph_memory.memory.graph.nodes import NodeEdit, editing
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Head
from graph_memory.model.subjects.subjects import MODIFIED, NodeState
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.strength import fraction
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Wanted:
    """An entity as it shall be, and whether its description is given."""

    entity: NewEntity
    describes: bool


def wanted_from(given: Mapping[str, object]) -> Wanted:
    """Return the entity that was asked for. Raises INVALID_ARGUMENT and INVALID_PROPERTY."""
    told = {key: value for key, value in given.items() if value is not None}
    if (sure := told.pop(CONFIDENCE, None)) is not None:
        properties = told.get("properties", {})
        if isinstance(properties, Mapping):
            told["properties"] = {**properties, CONFIDENCE: fraction(CONFIDENCE, sure)}
    [entity] = new_entities([told], utc_now())
    return Wanted(entity, "description" in told)


async def upsert(core: Core, domain: str, wanted: Wanted) -> Profile:
    """Make an entity, or bring it up to date. `Entities.upsert` tells the rest."""
    writing = _Writing(core, domain, wanted)
    await core.contents.put(domain, wanted.entity.content)

    async def write() -> None:
        await core.log.write("upsert", domain, core.origin, writing.read, checked)

    await in_domain(core, domain, write)
    found = await profiles_of(core, domain, [writing.id])
    if not found:
        hint = "Somebody deleted it as it was written: call upsert again."
        raise GraphError(Code.NODE_NOT_FOUND, f"Entity with name {wanted.entity.name} not found", {"hint": hint})
    return found[0]


@dataclass(slots=True)
class _Writing:
    """One call, and the id that its last attempt found or made."""

    core: Core
    domain: str
    wanted: Wanted
    id: str = field(init=False)

    async def read(self, reader: Reader, head: Head) -> Decided:
        """Return the changes that make the entity as it shall be."""
        entity = self.wanted.entity
        rows = await reader.read(NAMED, domain=self.domain, names=[entity.name])
        states = await states_of(reader, self.domain, [row.id for row in rows])
        node, drafting = states.get(entity.name), await drafting_with(self.core, reader, head, states.values())
        if node is None:
            self.id = drafting.entity(entity)
        elif node.mentioned:
            self.id = node.id
            drafting.settle(node, entity)
        else:
            self.id = node.id
            if entity.observations:
                check_current(entity.name, node.validity.ended_by(head.at))
            await self._update(reader, drafting, node)
        return drafting.drafts, await read_context(reader, head, drafting.drafts)

    async def _update(self, reader: Reader, drafting: Drafting, node: NodeState) -> None:
        entity = self.wanted.entity
        edit = NodeEdit(
            properties=entity.properties,
            content=entity.content if self.wanted.describes else None,
            format=None,
            tags=None,
            fields={},
            expected_version=None,
        )
        draft = editing(drafting.head, node, edit)
        if not same_state(draft.state or {}, node.state(), MODIFIED):
            drafting.drafts.append(draft)
        [row] = await observed(reader, self.domain, [(entity.name, [one.text for one in entity.observations])])
        there = {text for _, text, _ in row.found}
        drafting.observations(node.id, [one for one in entity.observations if one.text not in there])
