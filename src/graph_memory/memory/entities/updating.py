"""Updates entities and observations. Their ids and attached records stay the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from graph_memory.memory.changes.context import read_attachments_of_retyped
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import retry_until_rules_hold
from graph_memory.memory.core import Core, version_after
from graph_memory.memory.entities.aliases import ALIASES, aliases_of, aliases_property, check_aliases
from graph_memory.memory.entities.edits import EntityEdit, ObservationEdit
from graph_memory.memory.entities.names.find_entities import entities_with_same_name
from graph_memory.memory.entities.observations.attached import AttachedRecords, read_attached
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.observations.observing import Observation, observations_of
from graph_memory.memory.entities.observations.resolve_observations import check_references, resolve_references
from graph_memory.memory.entities.results import EntityUpdateResult, ObservationUpdateResult
from graph_memory.memory.entities.writes import draft_entity_update, owners_of_new, rule_check, validate
from graph_memory.memory.entity_graph.drafting import DraftCollector
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME, states_of
from graph_memory.memory.entity_graph.names import entity_not_found_error, official_not_found_error
from graph_memory.memory.entity_graph.values.rows import NodeRow
from graph_memory.memory.search.retrieval.superseded import find_superseded
from graph_memory.memory.statements.statement_verdict import CurrentObservation
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Head
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, NodeState, ObservationState
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.work import AfterWrite, CompletedWrite, Decision
from graph_memory.storage.store import Reader


async def update_entity(core: Core, domain: str, edit: EntityEdit) -> EntityUpdateResult:
    """Update an entity. See `Entities.update_entity`."""
    if edit.content is not None:
        await core.contents.put(domain, edit.content)
    new_ids: dict[str, str] = {}
    try:
        written = await retry_until_rules_hold(lambda broken: _attempt(core, domain, edit, broken, new_ids))
    except GraphError as error:
        raise _as_missing_entity(error, edit.name) from error
    (node, relations_moved), receipt = written.report, written.receipt
    version = receipt.version_of(node.id)
    candidates = (
        await entities_with_same_name(core.store, domain, node.id, _new_names(edit, node)) if receipt.changes else []
    )
    return EntityUpdateResult(
        id=node.id,
        name=edit.name if edit.new_name is None else edit.new_name,
        type=(node.entity or "") if edit.type is None else edit.type,
        version=version_after(version, node.version),
        changed=version is not None,
        since=receipt.changes[0].seq if receipt.changes else None,
        until=receipt.seq if receipt.changes else None,
        relations_moved=relations_moved or None,
        candidates=tuple(candidates) or None,
    )


_Report = tuple[NodeState, int]
"""The entity before the update, and the number of relations that the update moved to it."""


@dataclass(frozen=True, slots=True)
class _StoredRecords:
    """An entity, the relation endpoints with its new name that are not entities, and the context for validation."""

    node: NodeState
    mentions: Sequence[NodeRow]
    attached: AttachedRecords | None
    context: Context


async def _attempt(
    core: Core, domain: str, edit: EntityEdit, broken: Mapping[str, BrokenRule], new_ids: dict[str, str]
) -> CompletedWrite[_Report]:
    """Write the update. `new_ids` maps the old ids of the records that move to the entity to their new ids."""

    def decide(head: Head, stored: _StoredRecords) -> Decision[_Report]:
        node, drafting = stored.node, DraftCollector(head, core.origin, core.open_type_limit)
        drafts = _draft_update(drafting, edit, node)
        if same_state(drafts[-1].state or {}, node.state(), MODIFIED):
            return Decision((), (node, 0))
        move = stored.attached.move(head.at) if stored.attached else None
        drafts += [*(row.deletion for row in stored.mentions), *(move.drafts if move else ())]
        report = node, move.count(Kind.CONNECTION) if move else 0
        return Decision(validate(head, drafts, replace(stored.context, broken_rules=broken)), report)

    check: AfterWrite[object] | None = None
    if edit.new_name is not None:  # only a new name moves relations
        ontology = await core.log.require_ontology(domain)
        check = rule_check(domain, ontology, ontology.connection_types)
    read = partial(_read, edit, new_ids)
    return await core.log.write("update_entity", domain, core.origin, read, decide, after_write=check)


def _new_names(edit: EntityEdit, node: NodeState) -> list[str]:
    """Return the new name and the new aliases that the entity does not have yet."""
    known_names = {edit.name, *aliases_of(node.properties)}
    names = (*filter(None, [edit.new_name]), *aliases_of(edit.properties))
    return [name for name in names if name not in known_names]


async def _read(edit: EntityEdit, new_ids: dict[str, str], reader: Reader, head: Head) -> _StoredRecords:
    """Read the entity, the records that would move to it, and the context for validating the update."""
    node, name = await _read_entity(reader, head.domain, edit.name), edit.new_name or edit.name
    rows = await reader.read(NODES_BY_NAME, domain=head.domain, names=[name]) if name != edit.name else []
    mentions = [row for row in rows if row.is_mentioned]
    sources = [row.id for row in mentions]
    attached = await read_attached(reader, head.domain, node.id, sources, new_ids) if mentions else None
    others = [node.id] if edit.type not in (None, node.entity) else []
    deletions = await read_attachments_of_retyped(reader, head.domain, others, head.ontology)
    new_record = (edit.type or node.type, {**node.properties, **edit.properties, "name": name})
    context = Context(
        ontology=head.ontology,
        existing_node_types={node.id: node.type, **(attached.node_types if attached else {})},
        attached={**(attached.deletions if attached else {}), **deletions},
        owners=await owners_of_new(reader, head, rows, [new_record], attached.relations if attached else ()),
    )
    return _StoredRecords(node, mentions, attached, context)


def _draft_update(drafting: DraftCollector, requested: EntityEdit, node: NodeState) -> list[Draft]:
    """Return the draft of the update. If it needs a new type, the draft that declares the type comes first."""
    aliases = _aliases(requested, node)
    if requested.type is not None and requested.type != node.entity:
        node = replace(node, type=drafting.node_type(requested.type), entity=requested.type)
    name = {} if requested.new_name is None else {"name": requested.new_name}
    properties = {**requested.properties, **name, **aliases}
    return [*drafting.drafts, draft_entity_update(drafting.head, node, properties, requested.content)]


def _aliases(edit: EntityEdit, node: NodeState) -> Mapping[str, PropertyValue]:
    """Return the property `aliases` without the new name, or an empty mapping if no alias has to be removed.

    Raises INVALID_ARGUMENT if the requested aliases contain the entity's own name.
    """
    name = edit.new_name or edit.name
    if ALIASES in edit.properties:
        check_aliases(aliases_of(edit.properties), name)
    aliases = aliases_of(node.properties)
    if ALIASES in edit.properties or edit.new_name is None or name not in aliases:
        return {}
    return aliases_property(alias for alias in aliases if alias != name)


async def update_observation(core: Core, domain: str, edit: ObservationEdit) -> ObservationUpdateResult:
    """Update an observation. See `Entities.update_observation`."""

    async def read(reader: Reader, head: Head) -> tuple[NodeState, Observation, Sequence[CurrentObservation]]:
        node = await _read_entity(reader, head.domain, edit.name)
        known = await reader.read(CURRENT, domain=head.domain, node=node.id)
        observations = await observations_of(reader, head.domain, node.id, [edit.observation])
        await check_references(reader, head.domain, [edit.observation], observations, known, "observation")
        [observation] = resolve_references([edit.observation], observations)
        return node, observation, known

    def decide(
        head: Head, results: tuple[NodeState, Observation, Sequence[CurrentObservation]]
    ) -> Decision[tuple[Observation, ObservationState]]:
        node, observation, known = results
        _check_text(edit.text, observation, known)
        after = replace(
            observation.state,
            text=observation.state.text if edit.text is None else edit.text,
            confidence=observation.state.confidence if edit.confidence is None else edit.confidence,
        )
        context = Context(ontology=head.ontology, existing_node_types={node.id: node.type})
        drafts = [] if after == observation.state else [observation.draft_update(after)]
        return Decision(validate(head, drafts, context), (observation, after))

    try:
        written = await core.log.write("update_observation", domain, core.origin, read, decide)
    except GraphError as error:
        raise _as_missing_entity(error, edit.name) from error
    observation_before, after = written.report
    version = written.receipt.version_of(observation_before.id)
    return ObservationUpdateResult(
        id=observation_before.id,
        entity=edit.name,
        text=after.text,
        confidence=after.confidence,
        version=version_after(version, observation_before.version),
        changed=version is not None,
        over=(await find_superseded(core.store, domain, [observation_before.id])).get(observation_before.id)
        if observation_before.has_ended
        else None,
    )


def _check_text(text: str | None, observation: Observation, known: Sequence[CurrentObservation]) -> None:
    """Raise INVALID_ARGUMENT if the observation is current and another current observation has this text."""
    duplicate_id = next((other.id for other in known if other.text == text and other.id != observation.id), None)
    if duplicate_id is not None and not observation.has_ended:
        delete = ", or delete one of the two observations with {delete_observations|forget}"
        hint = Hint("Use another text", delete, ".")
        raise invalid_argument("text", f"The entity already has an observation with that text: {duplicate_id}", hint)


async def _read_entity(reader: Reader, domain: str, name: str) -> NodeState:
    """Return the state of the entity with this name. Raises NODE_NOT_FOUND and suggests a similar name."""
    rows = await reader.read(NODES_BY_NAME, domain=domain, names=[name])
    nodes = await states_of(reader, domain, [row.id for row in rows if not row.is_mentioned])
    if name not in nodes:
        raise await entity_not_found_error(reader, domain, name)
    return nodes[name]


def _as_missing_entity(error: GraphError, name: str) -> GraphError:
    """Return the given error, or the error for a missing entity if the domain does not exist."""
    return official_not_found_error(name) if error.code is Code.ONTOLOGY_NOT_FOUND else error
