"""Entities and observations changed where they are: what is attached to them stays, and so do their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.changes.context import attached_to_others, read_context
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core, version_after
from graph_memory.memory.entities.aliases import ALIASES, aliases_of, aliases_property, check_aliases
from graph_memory.memory.entities.edits import EntityEdit, ObservationEdit
from graph_memory.memory.entities.names.find_entities import called_the_same
from graph_memory.memory.entities.observations.attached import MOST, moved
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.observations.naming import check_named, resolved
from graph_memory.memory.entities.observations.observing import Observation, observations_of
from graph_memory.memory.entities.results import EntityUpdated, ObservationUpdated
from graph_memory.memory.entities.writes import Decided, checked
from graph_memory.memory.entity_graph.drafting import Drafting
from graph_memory.memory.entity_graph.names import entity_not_found, not_found
from graph_memory.memory.entity_graph.reading import NAMED, states_of
from graph_memory.memory.graph.nodes import NodeEdit, editing
from graph_memory.memory.search.retrieval.superseded import over
from graph_memory.memory.statements.weighing import Known
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Receipt
from graph_memory.model.rules import BrokenLink, link_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, NodeState, ObservationState
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.work import AfterWrite
from graph_memory.storage.store import Reader


async def update_entity(core: Core, domain: str, given: EntityEdit) -> EntityUpdated:
    """Change an entity. `Entities.update_entity` tells the rest."""
    if given.content is not None:
        await core.contents.put(domain, given.content)
    made: dict[str, str] = {}

    async def attempt(broken: Mapping[str, BrokenLink]) -> tuple[_Entity, Receipt]:
        writing = _Entity(core, given, broken, made)
        written = await core.log.write(
            "update_entity", domain, core.origin, writing.read, checked, after_write=await writing.check(domain)
        )
        return writing, written.receipt

    try:
        writing, receipt = await until_rules_hold(attempt)
    except GraphError as error:
        raise _without_domain(error, given.name) from error
    node, version = writing.node, receipt.version_of(writing.node.id)
    called = await called_the_same(core.store, domain, node.id, writing.new_names()) if receipt.changes else []
    return EntityUpdated(
        id=node.id,
        name=given.name if given.new_name is None else given.new_name,
        type=(node.entity or "") if given.type is None else given.type,
        version=version_after(version, node.version),
        changed=version is not None,
        since=receipt.changes[0].seq if receipt.changes else None,
        until=receipt.seq if receipt.changes else None,
        relations_moved=writing.relations_moved or None,
        candidates=tuple(called) or None,
    )


@dataclass(slots=True)
class _Entity:
    """One change of an entity: how it was found in the last attempt is kept for what is told afterwards."""

    core: Core
    given: EntityEdit
    broken: Mapping[str, BrokenLink]
    made: dict[str, str]
    """The ids of what moves to it, by those before."""
    node: NodeState = field(init=False)
    relations_moved: int = 0

    async def check(self, domain: str) -> AfterWrite[None] | None:
        """Return what looks, before it is committed, at what the rules of relations ask; only a new name moves any."""
        if self.given.new_name is None:
            return None
        ontology = await self.core.log.require_ontology(domain)

        async def look(reader: Reader, events: Sequence[Event], _: None) -> None:
            await check_rules(reader, domain, events, ontology, in_turn=True)

        return look if any(link_rules(declared) for declared in ontology.connection_types) else None

    def new_names(self) -> list[str]:
        """Return the names and aliases that the entity got."""
        known = {self.given.name, *aliases_of(self.node.properties)}
        given = (*filter(None, [self.given.new_name]), *aliases_of(self.given.properties))
        return [one for one in given if one not in known]

    async def read(self, reader: Reader, head: Head) -> Decided:
        """Return what is to change, and what lives around it."""
        self.node = await _entity(reader, head.domain, self.given.name)
        drafts = self._drafts(head)
        draft = drafts[-1]
        if same_state(draft.state or {}, self.node.state(), MODIFIED):
            return (), Context(ontology=head.ontology)
        drafts += await self._taken_over(reader, head)
        context = await read_context(reader, head, drafts, most=MOST)
        others = [self.node.id] if draft.type != self.node.type else []
        kept = await attached_to_others(reader, head.domain, others, head.ontology)
        return drafts, replace(context, attached={**context.attached, **kept}, broken=self.broken)

    async def _taken_over(self, reader: Reader, head: Head) -> list[Draft]:
        """Return what moves the relations that lead to the new name, if that is of no entity yet."""
        name = self.given.new_name
        rows = await reader.read(NAMED, domain=head.domain, names=[name]) if name is not None else []
        going = [row for row in rows if row.is_mentioned]
        if not going:
            return []
        moving = await moved(reader, head, self.node.id, [row.id for row in going], self.made)
        self.relations_moved = moving.count(Kind.CONNECTION)
        return [*(row.deletion for row in going), *moving.drafts]

    def _drafts(self, head: Head) -> list[Draft]:
        """Return the change, after that which declares the type that the entity gets where there is none of it."""
        given, node = self.given, self.node
        drafting = Drafting(head, self.core.origin, self.core.open_type_limit)
        if given.type is not None and given.type != node.entity:
            node = replace(node, type=drafting.node_type(given.type), entity=given.type)
        name = {} if given.new_name is None else {"name": given.new_name}
        edit = NodeEdit(
            properties={**given.properties, **name, **self._aliases()},
            content=given.content,
            format=None,
            tags=None,
            fields={},
            expected_version=None,
        )
        return [*drafting.drafts, editing(head, node, edit)]

    def _aliases(self) -> Mapping[str, PropertyValue]:
        """Return the aliases without a new name that was one of them. Raises INVALID_ARGUMENT for the own name."""
        given, name = self.given, self.given.new_name or self.given.name
        if ALIASES in given.properties:
            check_aliases(aliases_of(given.properties), name)
        own = aliases_of(self.node.properties)
        if ALIASES in given.properties or given.new_name is None or name not in own:
            return {}
        return aliases_property(one for one in own if one != name)


async def update_observation(core: Core, domain: str, given: ObservationEdit) -> ObservationUpdated:
    """Change an observation. `Entities.update_observation` tells the rest."""
    writing = _Observed(given)
    try:
        written = await core.log.write("update_observation", domain, core.origin, writing.read, checked)
    except GraphError as error:
        raise _without_domain(error, given.name) from error
    one, version = writing.one, written.receipt.version_of(writing.one.id)
    return ObservationUpdated(
        id=one.id,
        entity=given.name,
        text=writing.after.text,
        confidence=writing.after.confidence,
        version=version_after(version, one.version),
        changed=version is not None,
        over=(await over(core.store, domain, [one.id])).get(one.id) if one.is_over else None,
    )


@dataclass(slots=True)
class _Observed:
    """One change of an observation: what it was and becomes in the last attempt is kept for what is told afterwards."""

    given: ObservationEdit
    one: Observation = field(init=False)
    after: ObservationState = field(init=False)

    async def read(self, reader: Reader, head: Head) -> Decided:
        """Return what is to change, and what lives around it."""
        given = self.given
        node = await _entity(reader, head.domain, given.name)
        known = await reader.read(CURRENT, domain=head.domain, node=node.id)
        named = await observations_of(reader, head.domain, node.id, [given.observation])
        await check_named(reader, head.domain, [given.observation], named, known, "observation")
        [self.one] = resolved([given.observation], named)
        self._check_text(known)
        before = self.one.state
        self.after = replace(
            before,
            text=before.text if given.text is None else given.text,
            confidence=before.confidence if given.confidence is None else given.confidence,
        )
        drafts: Sequence[Draft] = () if self.after == before else [self.one.changed(self.after)]
        return drafts, Context(ontology=head.ontology, living={node.id: node.type})

    def _check_text(self, known: Sequence[Known]) -> None:
        """Raise INVALID_ARGUMENT for a text that another observation of the entity has, which holds."""
        text = self.given.text
        twin = next((each.id for each in known if each.text == text and each.id != self.one.id), None)
        if twin is not None and not self.one.is_over:
            hint = Hint("Delete one of the two with {delete_observations|forget}, or give another text.")
            raise fault("text", f"The entity has an observation of that text already: {twin}", hint)


async def _entity(reader: Reader, domain: str, name: str) -> NodeState:
    """Return the entity of a name. Raises NODE_NOT_FOUND with the nearest name."""
    rows = await reader.read(NAMED, domain=domain, names=[name])
    found = await states_of(reader, domain, [row.id for row in rows if not row.is_mentioned])
    if name not in found:
        raise await entity_not_found(reader, domain, name)
    return found[name]


def _without_domain(error: GraphError, name: str) -> GraphError:
    """Return the error for an entity where not even a domain is, and any other as it is."""
    return not_found(name) if error.code is Code.ONTOLOGY_NOT_FOUND else error
