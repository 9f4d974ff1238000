"""Creates relations between entities. The entities are identified by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import retry_until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.entities.remember_results import Outcome, Question, Receipt
from graph_memory.memory.entities.results import RelationCreationResult, relation
from graph_memory.memory.entities.single_valued_relations import (
    RelationOfRow,
    ends_by_name,
    questions_of_relations,
    read_single_valued,
)
from graph_memory.memory.entities.writes import rule_check, validate
from graph_memory.memory.entity_graph.domain import write_to_domain
from graph_memory.memory.entity_graph.drafting import DraftCollector
from graph_memory.memory.entity_graph.entity_queries import equal_relations
from graph_memory.memory.entity_graph.graph import NamedGraph, RecordDrafter
from graph_memory.memory.entity_graph.names import LENIENT, ask_for_name, official_not_found_error, with_near_name
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.rows import EqualRelationsRow
from graph_memory.memory.entity_graph.values.spelling import RELATION, stored_name
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Head
from graph_memory.model.rules import BrokenRule
from graph_memory.model.text.wording import printable, quote
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

MAX_SUGGESTIONS = 10
"""Maximum number of unknown names per call for which similar names are searched."""


async def create_relations(core: Core, domain: str, relations: Sequence[NewRelation]) -> RelationCreationResult:
    """Create the relations that are new. See `Entities.create_relations`."""
    if not relations:
        return RelationCreationResult(relations=())

    async def write() -> RelationCreationResult:
        return await retry_until_rules_hold(lambda broken: _attempt(core, domain, relations, broken))

    try:
        return await write_to_domain(core, domain, write)
    except GraphError as error:
        raise await with_near_name(core.store, domain, error, LENIENT) from error


@dataclass(frozen=True, slots=True)
class _StoredRecords:
    """The endpoints of the relations, equal stored relations, and stored relations of single-valued types."""

    rows: Sequence[EqualRelationsRow]
    single_valued: Mapping[str, Sequence[RelationOfRow]]


async def _attempt(
    core: Core, domain: str, requested_relations: Sequence[NewRelation], broken: Mapping[str, BrokenRule]
) -> RelationCreationResult:
    """Write the relations, and check the rules of their connection types before the commit."""
    ontology = await core.log.require_ontology(domain)
    names = {stored_name(new_relation.type, RELATION) for new_relation in requested_relations}
    check = rule_check(domain, ontology, map(ontology.find_connection_type, names))

    async def read(reader: Reader, _: Head) -> _StoredRecords:
        rows = await equal_relations(reader, domain, requested_relations)
        return _StoredRecords(
            rows,
            await read_single_valued(
                reader, domain, new_relations_of(requested_relations, rows), ends_by_name(requested_relations, rows)
            ),
        )

    def decide(head: Head, stored: _StoredRecords) -> Decision[RelationCreationResult]:
        drafting = DraftCollector(head, core.origin, core.open_type_limit)
        created, rejected = draft_relations(drafting, requested_relations, stored.rows, {})
        if rejected:
            raise official_not_found_error(rejected[0].name, LENIENT)
        types_by_end = {end: kind for row in stored.rows for end, kind in row.ends.items()}
        context = Context(ontology=head.ontology, existing_node_types=types_by_end, broken_rules=broken)
        questions = tuple(questions_of_relations(created, stored.single_valued))
        relations = tuple(
            relation(new_relation.from_name, new_relation.to_name, new_relation.type) for new_relation in created
        )
        report = RelationCreationResult(
            relations=relations, questions=questions or None, notes=tuple(map(_render_question, questions)) or None
        )
        return Decision(validate(head, drafting.drafts, context), report)

    return (await core.log.write("create_relations", domain, core.origin, read, decide, after_write=check)).report


def _render_question(question: Question) -> str:
    choices = "; ".join(f"{choice}: {consequence}" for choice, consequence in question.choices.items())
    doubt = f"Is {quote(question.known_text)} out of date? {question.reason}."
    return f"{doubt} decide with id {question.id} and a decision: {choices}."


@dataclass(frozen=True, slots=True)
class RejectedRelation:
    """A rejected relation, the unknown name of its endpoint, and a suggestion of a similar name."""

    relation: NewRelation
    name: str
    suggestion: str = ""

    @property
    def evidence(self) -> str:
        """The reason for the rejection, and the next step."""
        next_step = "To create it, call remember with that name and a type. Then pass the relation again."
        return f"No entity is named {quote(self.name)}. {self.suggestion}{next_step}"


def new_relations_of(relations: Sequence[NewRelation], rows: Sequence[EqualRelationsRow]) -> list[NewRelation]:
    """Return the requested relations that are not stored yet."""
    return [new_relation for new_relation, row in zip(relations, rows, strict=True) if not row.matches]


def draft_relations(
    drafting: DraftCollector,
    relations: Sequence[NewRelation],
    rows: Sequence[EqualRelationsRow],
    created_ids: Mapping[str, str],
) -> tuple[list[NewRelation], list[RejectedRelation]]:
    """Draft the new relations. Returns them, and the relations that are rejected because an entity is missing.

    `created_ids` maps the names of entities that the same write creates to their ids. A lenient relation is never
    rejected.
    """
    graph, created, rejected = NamedGraph(), list[NewRelation](), list[RejectedRelation]()
    for new_relation, row in zip(relations, rows, strict=True):
        graph.add_relations(new_relation, row)
    for name, node in created_ids.items():
        graph.add_entity(name, node)
    steps = RecordDrafter(graph, drafting)
    for new_relation in relations:
        missing_name = steps.missing_end(new_relation)
        if missing_name is None:
            created += [new_relation] if steps.relate(new_relation)[1] else []
        else:
            rejected.append(RejectedRelation(new_relation, missing_name))
    return created, rejected


def relation_receipts(
    relations: Sequence[NewRelation], created: Sequence[NewRelation], rejected: Sequence[RejectedRelation] = ()
) -> list[Receipt]:
    """Return a receipt for each relation: whether it was added, already stored or rejected."""
    reasons = [
        next((refusal.evidence for refusal in rejected if refusal.relation == new_relation), None)
        for new_relation in relations
    ]
    return [
        Receipt(
            decision=Outcome.REFUSED if reason else Outcome.ADD if new_relation in created else Outcome.NOOP,
            fact=" ".join(map(printable, (new_relation.from_name, new_relation.type, new_relation.to_name))),
            rule="relation",
            evidence=reason,
        )
        for new_relation, reason in zip(relations, reasons, strict=True)
    ]


async def with_suggestions(
    reader: Reader, domain: str, receipts: Sequence[Receipt], rejected: Sequence[RejectedRelation]
) -> tuple[Receipt, ...]:
    """Return the receipts, with suggestions of similar names for the first `MAX_SUGGESTIONS` unknown names.

    Call this after the write: each name takes several queries, during which other writes would have to wait.
    """
    names = list(dict.fromkeys(refusal.name for refusal in rejected))[:MAX_SUGGESTIONS]
    try:
        suggestions = {name: await ask_for_name(reader, domain, name) for name in names}
    except GraphError:  # the write is done, so its receipts are returned without suggestions
        return tuple(receipts)
    reasons = iter([replace(refusal, suggestion=suggestions.get(refusal.name, "")).evidence for refusal in rejected])
    return tuple(
        receipt.model_copy(update={"evidence": next(reasons, receipt.evidence)})
        if receipt.decision is Outcome.REFUSED
        else receipt
        for receipt in receipts
    )
