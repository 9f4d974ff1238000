"""Drafts the changes that store facts about an entity, with a receipt for each fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.entities.aliases import aliases_of, with_aliases
from graph_memory.memory.entities.names.candidates import with_question_ids
from graph_memory.memory.entities.names.find_entities import NEW, EntityMatch
from graph_memory.memory.entities.observations.observing import Observation, draft_end
from graph_memory.memory.entities.observations.resolve_observations import resolve_references
from graph_memory.memory.entities.relations import RejectedRelation, draft_relations, relation_receipts
from graph_memory.memory.entities.remember_results import Outcome, Receipt, RememberResult
from graph_memory.memory.entities.single_valued_relations import RelationOfRow, questions_of_relations
from graph_memory.memory.entities.writes import draft_entity_update
from graph_memory.memory.entity_graph.drafting import EMPTY_CONTENT, DraftCollector
from graph_memory.memory.entity_graph.names import LENIENT, check_current, official_not_found_error
from graph_memory.memory.entity_graph.values.request import NewEntity, NewRelation
from graph_memory.memory.entity_graph.values.rows import EqualRelationsRow
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.memory.recall.rendering.wording import render_end
from graph_memory.memory.remember.advice.settling import Settlings
from graph_memory.memory.remember.facts import Fact, RememberRequest
from graph_memory.memory.remember.judged_facts import (
    JudgedFact,
    judge_facts,
    questions_of,
    receipt_of,
    text_of_property,
    with_changed_properties,
)
from graph_memory.memory.remember.outdated import find_contradicted_properties
from graph_memory.memory.search.retrieval.superseded import Superseded
from graph_memory.memory.statements.statement_verdict import CurrentObservation
from graph_memory.model.events import Draft
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.properties import PropertyValue, equal_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The stored state of an entity and of the records that the new facts refer to."""

    match: EntityMatch
    node: NodeState | None
    """The node with the entity's name. It may exist only because a relation refers to it."""
    known: Sequence[CurrentObservation]
    observations: Mapping[str, Observation]
    """The observations that the facts refer to or repeat, keyed by id."""
    superseded: Mapping[str, Superseded]
    """The ends and replacements of the observations that have ended, keyed by observation id."""
    related: Sequence[EqualRelationsRow]
    """The start and end node of each requested relation."""
    single_valued: Mapping[str, Sequence[RelationOfRow]]
    """The existing relations of single-valued types, keyed by the id of the new relation."""
    deletions_by_end: Mapping[str, Sequence[Draft]]
    context: Context

    @property
    def entity(self) -> NodeState | None:
        """The entity, or None if it does not exist yet."""
        return self.node if self.node is not None and not self.node.mentioned else None

    @property
    def properties(self) -> Mapping[str, PropertyValue]:
        """The properties of the entity."""
        return self.entity.properties if self.entity else {}


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a call, and the relations that were rejected."""

    remembered: RememberResult
    rejected: Sequence[RejectedRelation] = ()


def relations_of(request: RememberRequest, name: str) -> list[NewRelation]:
    """Return the requested relations of the entity."""
    return [relation.relation(name) for relation in request.relations]


def has_only_rejected_relations(
    request: RememberRequest, relations: Sequence[NewRelation], rejected: Sequence[RejectedRelation]
) -> bool:
    """Return whether the call contains only relations, and all of them are rejected."""
    return bool(rejected) and len(rejected) == len(relations) and not request.has_more_than_relations


def with_own_aliases(
    request: RememberRequest, name: str, before: Mapping[str, PropertyValue]
) -> dict[str, PropertyValue]:
    """Return the new properties of the entity, including its aliases."""
    return {**request.properties, **with_aliases({**before, **request.properties}, name, request.aliases)}


def property_receipts(request: RememberRequest, name: str, before: Mapping[str, PropertyValue]) -> list[Receipt]:
    """Return the receipts of the requested properties and aliases."""
    known_names = {name, *aliases_of(before)}
    alias_receipts = [
        Receipt(
            decision=Outcome.NOOP if alias in known_names else Outcome.ADD,
            fact=f"alias: {printable(alias)}",
            rule="alias",
        )
        for alias in request.aliases
    ]
    return [
        _property_receipt(key, value, before.get(key)) for key, value in request.properties.items()
    ] + alias_receipts


def _property_receipt(key: str, value: PropertyValue, before: PropertyValue | None) -> Receipt:
    fact = text_of_property(key, value)
    if before is None:
        return Receipt(decision=Outcome.ADD, fact=fact, rule="property")
    if equal_values(before, value):
        return Receipt(decision=Outcome.NOOP, fact=fact, rule="property")
    return Receipt(decision=Outcome.UPDATE, fact=fact, rule="property", evidence=f"it was {printable(before)}")


def draft_facts(drafting: DraftCollector, snapshot: Snapshot, request: RememberRequest, settlings: Settlings) -> Report:
    """Draft the changes that store the facts. Returns the result of the call.

    Raises INVALID_ARGUMENT if the entity has ended or a reference is unknown, and NODE_NOT_FOUND if the call contains
    only relations and all of them are rejected.
    """
    entity, name, known = snapshot.entity, snapshot.match.name, snapshot.known
    if entity is not None and request.facts:
        check_current(name, entity.validity.end_if_past(drafting.head.at))
    ends = resolve_references(request.ends, snapshot.observations)
    judged = judge_facts(request.facts, known, snapshot.observations, name, settlings)
    judged_and_changes = with_changed_properties(judged, snapshot.properties, request.properties, known, ends)
    judged = judged_and_changes[: len(judged)]
    node_id = entity.id if entity else _draft_entity(drafting, snapshot, request)
    receipts = _draft_observations(drafting, node_id, judged, snapshot.observations)
    receipts = _with_superseded(receipts, judged, snapshot)
    receipts = _with_contradicted_properties(receipts, snapshot.properties, request)
    receipts += _draft_ends(drafting, ends, snapshot)
    property_receipts_of_call = property_receipts(request, name, snapshot.properties)
    if entity and any(receipt.decision is not Outcome.NOOP for receipt in property_receipts_of_call):
        properties = with_own_aliases(request, name, entity.properties)
        drafting.drafts.append(draft_entity_update(drafting.head, entity, properties))
    relations = relations_of(request, name)
    drafted, rejected = draft_relations(drafting, relations, snapshot.related, {name: node_id})
    if has_only_rejected_relations(request, relations, rejected):
        raise official_not_found_error(rejected[0].name, LENIENT)
    receipts += property_receipts_of_call + relation_receipts(relations, drafted, rejected)
    ids = [receipt.id for receipt in receipts[: len(judged)]] + [node_id] * (len(judged_and_changes) - len(judged))
    questions = (
        *questions_of(judged_and_changes, ids, node_id),
        *questions_of_relations(drafted, snapshot.single_valued),
    )
    remembered = RememberResult(
        entity=name,
        id=node_id,
        type=(entity.entity if entity else None) or request.type or ENTITY,
        created=entity is None,
        found_by=snapshot.match.by if entity else NEW,
        facts=tuple(receipts),
        questions=questions or None,
        candidates=tuple(with_question_ids(node_id, snapshot.match.candidates)) or None,
    )
    return Report(remembered, rejected)


def _draft_entity(drafting: DraftCollector, snapshot: Snapshot, request: RememberRequest) -> str:
    """Draft a new entity, or turn a node that was only an endpoint of relations into an entity. Returns its id."""
    name, mention = snapshot.match.name, snapshot.node
    properties = with_own_aliases(request, name, {})
    new_entity = NewEntity(name=name, type=request.type or ENTITY, content=EMPTY_CONTENT, properties=properties)
    if mention is None:
        return drafting.draft_entity(new_entity)
    drafting.promote_mention(mention, new_entity)
    return mention.id


def _draft_observations(
    drafting: DraftCollector, node: str, judged: Sequence[JudgedFact], observations: Mapping[str, Observation]
) -> list[Receipt]:
    """Draft the new observations, and end the observations that they replace. Returns a receipt for each fact."""
    receipts: list[Receipt] = []
    for judged_fact in judged:
        at = judged_fact.fact.observation.validity.valid_from or drafting.head.at
        drafting.drafts += [draft_end(known, at) for known in judged_fact.replaced]
        if judged_fact.is_new:
            [subject_id] = drafting.draft_observations(node, [judged_fact.observation(at)])
        else:
            subject_id = judged_fact.known
            if judged_fact.replaced and (draft := judged_fact.draft_replacement(observations)) is not None:
                drafting.drafts.append(draft)
        receipts.append(receipt_of(judged_fact, subject_id))
    return receipts


def _with_superseded(receipts: Sequence[Receipt], judged: Sequence[JudgedFact], snapshot: Snapshot) -> list[Receipt]:
    """Add the time of the end and the replacement of each ended observation to the receipts."""
    evidence = [
        " | ".join(
            f"{_name_ended(observation, judged_fact.fact)} ({render_end(snapshot.superseded.get(observation.id))})"
            for observation in judged_fact.ended_before(snapshot.observations)
        )
        for judged_fact in judged
    ]
    return [
        receipt.model_copy(update={"evidence": text}) if text else receipt
        for receipt, text in zip(receipts, evidence, strict=True)
    ]


def _with_contradicted_properties(
    receipts: Sequence[Receipt], properties: Mapping[str, PropertyValue], request: RememberRequest
) -> list[Receipt]:
    """Add the properties that new facts may contradict to the receipts of these facts."""
    kept = {key: value for key, value in properties.items() if key not in request.properties}
    results: list[Receipt] = []
    for receipt in receipts:
        keys = find_contradicted_properties(receipt.fact, kept) if receipt.decision is Outcome.ADD else []
        lines = [f"the property {printable(key)} is {printable(kept[key])}: out of date?" for key in keys]
        evidence = " | ".join(filter(None, [receipt.evidence, *lines]))
        results.append(receipt.model_copy(update={"evidence": evidence}) if lines else receipt)
    return results


def _draft_ends(drafting: DraftCollector, ends: Sequence[Observation], snapshot: Snapshot) -> list[Receipt]:
    drafting.drafts += [draft_end(end, drafting.head.at) for end in ends if not end.has_ended]
    return [
        Receipt(
            decision=Outcome.NOOP if end.has_ended else Outcome.DELETE,
            fact=end.state.text,
            rule="already ended" if end.has_ended else "named as ended",
            evidence=render_end(snapshot.superseded.get(end.id)) or None,
            id=end.id,
            replaced=None if end.has_ended else (end.id,),
        )
        for end in ends
    ]


def _name_ended(observation: Observation, fact: Fact) -> str:
    """Return the text of an ended observation, or `said before` if the fact has the same text."""
    return "said before" if observation.state.text == fact.observation.text else quote(observation.state.text)
