"""Drafts the changes that facts about an entity lead to, with a receipt for each fact. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.entities.aliases import with_aliases
from graph_memory.memory.entities.names.candidates import as_questions
from graph_memory.memory.entities.names.find_entities import NEW, Found
from graph_memory.memory.entities.observations.observing import Observation, ended
from graph_memory.memory.entities.observations.resolve_observations import resolved
from graph_memory.memory.entities.relations import Refusal, draft_relations, relation_receipts
from graph_memory.memory.entities.remember_results import Outcome, Receipt, Remembered
from graph_memory.memory.entities.single_valued_relations import RelationOfRow, questions_of_relations
from graph_memory.memory.entity_graph.drafting import NOTHING, Drafting
from graph_memory.memory.entity_graph.names import LENIENT, check_current, not_found
from graph_memory.memory.entity_graph.values.request import NewEntity, NewRelation
from graph_memory.memory.entity_graph.values.rows import RelatedRow
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.memory.recall.rendering.wording import in_words
from graph_memory.memory.remember.advice.settling import Settlings
from graph_memory.memory.remember.facts import Fact, Facts
from graph_memory.memory.remember.judged_facts import Judged, judged_facts, questions_of, receipt_of, with_changes
from graph_memory.memory.remember.outdated import find_contradicted_properties
from graph_memory.memory.remember.properties import alias_receipts, edited, receipts_of
from graph_memory.memory.search.retrieval.superseded import Superseded
from graph_memory.memory.statements.statement_verdict import Known
from graph_memory.model.events import Draft
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The stored state of an entity and of the records that its facts name."""

    found: Found
    node: NodeState | None
    """The node of its name, which may be only an end of relations."""
    known: Sequence[Known]
    named: Mapping[str, Observation]
    """The observations that the facts name or repeat, by id."""
    over: Mapping[str, Superseded]
    """The ended ones among them, with their ends and replacements."""
    related: Sequence[RelatedRow]
    """The ends of each requested relation."""
    like: Mapping[str, Sequence[RelationOfRow]]
    """The existing relations of single-valued types, by the new relation."""
    attached: Mapping[str, Sequence[Draft]]
    context: Context

    @property
    def entity(self) -> NodeState | None:
        """The entity; None if it is new."""
        return self.node if self.node is not None and not self.node.mentioned else None

    @property
    def properties(self) -> Mapping[str, PropertyValue]:
        """The properties of the entity."""
        return self.entity.properties if self.entity else {}


@dataclass(frozen=True, slots=True)
class Report:
    """The result of the facts, and the rejected relations."""

    told: Remembered
    refused: Sequence[Refusal] = ()


def relations_of(given: Facts, name: str) -> list[NewRelation]:
    """Return the requested relations of the entity."""
    return [tie.relation(name) for tie in given.ties]


def keeps_nothing(given: Facts, relations: Sequence[NewRelation], refused: Sequence[Refusal]) -> bool:
    """Return whether the call has only relations, and all of them are rejected."""
    return bool(refused) and len(refused) == len(relations) and not given.says_more


def with_own_aliases(given: Facts, name: str, before: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
    """Return the new properties of the entity, including its aliases."""
    return {**given.properties, **with_aliases({**before, **given.properties}, name, given.aliases)}


def property_receipts(given: Facts, name: str, before: Mapping[str, PropertyValue]) -> list[Receipt]:
    """Return the receipts of the requested properties and aliases."""
    return receipts_of(before, given.properties) + alias_receipts(name, before, given.aliases)


def draft_facts(drafting: Drafting, snapshot: Snapshot, given: Facts, settlings: Settlings) -> Report:
    """Draft the changes of facts. Returns the result. Raises INVALID_ARGUMENT and NODE_NOT_FOUND."""
    entity, name, known = snapshot.entity, snapshot.found.name, snapshot.known
    if entity is not None and given.facts:
        check_current(name, entity.validity.ended_by(drafting.head.at))
    ends = resolved(given.ends, snapshot.named)
    judged = judged_facts(given.facts, known, snapshot.named, name, settlings)
    asking = with_changes(judged, snapshot.properties, given.properties, known, ends)
    judged = asking[: len(judged)]
    node_id = entity.id if entity else _made(drafting, snapshot, given)
    receipts = _observed(drafting, node_id, judged, snapshot.named)
    receipts = _with_over(receipts, judged, snapshot)
    receipts = _with_numbers(receipts, snapshot.properties, given)
    receipts += _ended(drafting, ends, snapshot)
    own = property_receipts(given, name, snapshot.properties)
    if entity and any(receipt.decision is not Outcome.NOOP for receipt in own):
        drafting.drafts.append(edited(drafting.head, entity, with_own_aliases(given, name, entity.properties)))
    wanted = relations_of(given, name)
    made, refused = draft_relations(drafting, wanted, snapshot.related, {name: node_id})
    if keeps_nothing(given, wanted, refused):
        raise not_found(refused[0].name, LENIENT)
    receipts += own + relation_receipts(wanted, made, refused)
    ids = [receipt.id for receipt in receipts[: len(judged)]] + [node_id] * (len(asking) - len(judged))
    questions = (*questions_of(asking, ids, node_id), *questions_of_relations(made, snapshot.like))
    remembered = Remembered(
        entity=name,
        id=node_id,
        type=(entity.entity if entity else None) or given.type or ENTITY,
        created=entity is None,
        found_by=snapshot.found.by if entity else NEW,
        facts=tuple(receipts),
        questions=questions or None,
        candidates=tuple(as_questions(node_id, snapshot.found.candidates)) or None,
    )
    return Report(remembered, refused)


def _made(drafting: Drafting, snapshot: Snapshot, facts: Facts) -> str:
    """Draft the entity, or promote a node that was only an end of relations. Returns its id."""
    name, mention = snapshot.found.name, snapshot.node
    properties = with_own_aliases(facts, name, {})
    wanted = NewEntity(name=name, type=facts.type or ENTITY, content=NOTHING, properties=properties)
    if mention is None:
        return drafting.entity(wanted)
    drafting.settle(mention, wanted)
    return mention.id


def _observed(
    drafting: Drafting, node: str, judged: Sequence[Judged], named: Mapping[str, Observation]
) -> list[Receipt]:
    """Draft the new observations, and end the ones that they replace. Returns the receipts."""
    receipts: list[Receipt] = []
    for one in judged:
        at = one.fact.observation.validity.valid_from or drafting.head.at
        drafting.drafts += [ended(known, at) for known in one.replaced]
        if one.is_new:
            [made] = drafting.observations(node, [one.observation(at)])
        else:
            made = one.known
            if one.replaced and (draft := one.taking_over(named)) is not None:
                drafting.drafts.append(draft)
        receipts.append(receipt_of(one, made))
    return receipts


def _with_over(receipts: Sequence[Receipt], judged: Sequence[Judged], snapshot: Snapshot) -> list[Receipt]:
    """Return the receipts. A receipt that concerns ended observations has their ends and replacements as evidence."""
    said = [
        " | ".join(
            f"{_called(observation, one.fact)} ({in_words(snapshot.over.get(observation.id))})"
            for observation in one.late(snapshot.named)
        )
        for one in judged
    ]
    return [
        receipt.model_copy(update={"evidence": words}) if words else receipt
        for receipt, words in zip(receipts, said, strict=True)
    ]


def _with_numbers(receipts: Sequence[Receipt], own: Mapping[str, PropertyValue], facts: Facts) -> list[Receipt]:
    """Return the receipts. A receipt of a new fact lists the properties that the fact may contradict."""
    kept = {key: value for key, value in own.items() if key not in facts.properties}
    results: list[Receipt] = []
    for receipt in receipts:
        keys = find_contradicted_properties(receipt.fact, kept) if receipt.decision is Outcome.ADD else []
        lines = [f"the property {shown(key)} is {shown(kept[key])}: out of date?" for key in keys]
        evidence = " | ".join(filter(None, [receipt.evidence, *lines]))
        results.append(receipt.model_copy(update={"evidence": evidence}) if lines else receipt)
    return results


def _ended(drafting: Drafting, ends: Sequence[Observation], snapshot: Snapshot) -> list[Receipt]:
    drafting.drafts += [ended(end, drafting.head.at) for end in ends if not end.is_over]
    return [
        Receipt(
            decision=Outcome.NOOP if end.is_over else Outcome.DELETE,
            fact=end.state.text,
            rule="over already" if end.is_over else "named as over",
            evidence=in_words(snapshot.over.get(end.id)) or None,
            id=end.id,
            replaced=None if end.is_over else (end.id,),
        )
        for end in ends
    ]


def _called(observation: Observation, fact: Fact) -> str:
    """Return how an ended observation is named beside a fact."""
    return "said before" if observation.state.text == fact.observation.text else quoted(observation.state.text)
