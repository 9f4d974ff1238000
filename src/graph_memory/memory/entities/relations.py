"""Creates relations between entities, which are given by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.entities.remember_results import Outcome, Question, Receipt
from graph_memory.memory.entities.results import RelationsCreated, relation
from graph_memory.memory.entities.single_valued_relations import (
    RelationOfRow,
    ends_by_name,
    questions_of_relations,
    read_single_valued,
)
from graph_memory.memory.entities.writes import validate
from graph_memory.memory.entity_graph.domain import in_domain
from graph_memory.memory.entity_graph.drafting import Drafting
from graph_memory.memory.entity_graph.entity_queries import equal_relations
from graph_memory.memory.entity_graph.graph import NamedGraph, Steps
from graph_memory.memory.entity_graph.names import LENIENT, ask_for_name, not_found, with_near_name
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.rows import EqualRelationsRow
from graph_memory.memory.entity_graph.values.spelling import RELATION, stored_name
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Event, Head
from graph_memory.model.rules import BrokenRule, connection_rules
from graph_memory.model.text.wording import printable, quote
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

MAX_SUGGESTIONS = 10
"""Maximum number of unknown names in one call for which similar names are searched."""


async def create_relations(core: Core, domain: str, relations: Sequence[NewRelation]) -> RelationsCreated:
    """Create the relations that are new. See `Entities.create_relations`."""
    if not relations:
        return RelationsCreated(relations=())

    async def write() -> RelationsCreated:
        return await until_rules_hold(lambda broken: _attempt(core, domain, relations, broken))

    try:
        return await in_domain(core, domain, write)
    except GraphError as error:
        raise await with_near_name(core.store, domain, error, LENIENT) from error


@dataclass(frozen=True, slots=True)
class _Stored:
    """The ends of the relations, equal stored relations, and existing relations of single-valued types."""

    rows: Sequence[EqualRelationsRow]
    single_valued: Mapping[str, Sequence[RelationOfRow]]


async def _attempt(
    core: Core, domain: str, wanted: Sequence[NewRelation], broken: Mapping[str, BrokenRule]
) -> RelationsCreated:
    """Write the relations. Checks the rules of their types before the commit."""
    ontology = await core.log.require_ontology(domain)
    names = {stored_name(new_relation.type, RELATION) for new_relation in wanted}
    has_rules = any(connection_rules(ontology.find_connection_type(name)) for name in names)

    async def read(reader: Reader, _: Head) -> _Stored:
        rows = await equal_relations(reader, domain, wanted)
        return _Stored(
            rows, await read_single_valued(reader, domain, new_relations_of(wanted, rows), ends_by_name(wanted, rows))
        )

    def decide(head: Head, stored: _Stored) -> Decision[RelationsCreated]:
        drafting = Drafting(head, core.origin, core.open_type_limit)
        created, rejected = draft_relations(drafting, wanted, stored.rows, {})
        if rejected:
            raise not_found(rejected[0].name, LENIENT)
        living = {end: kind for row in stored.rows for end, kind in row.ends.items()}
        context = Context(ontology=head.ontology, living=living, broken=broken)
        questions = tuple(questions_of_relations(created, stored.single_valued))
        relations = tuple(
            relation(new_relation.from_name, new_relation.to_name, new_relation.type) for new_relation in created
        )
        report = RelationsCreated(
            relations=relations, questions=questions or None, notes=tuple(map(_render_question, questions)) or None
        )
        return Decision(validate(head, drafting.drafts, context), report)

    async def check(reader: Reader, events: Sequence[Event], _: RelationsCreated) -> None:
        await check_rules(reader, domain, events, ontology, in_turn=True)

    after = check if has_rules else None
    return (await core.log.write("create_relations", domain, core.origin, read, decide, after_write=after)).report


def _render_question(question: Question) -> str:
    """Return a question as text, for replies that have no field for questions."""
    choices = "; ".join(f"{choice}: {consequence}" for choice, consequence in question.choices.items())
    doubt = f"Is {quote(question.known_text)} out of date? {question.reason}."
    return f"{doubt} decide with id {question.id} and a decision: {choices}."


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rejected relation, the name for which there is no entity, and a suggestion."""

    relation: NewRelation
    name: str
    suggestion: str = ""

    @property
    def evidence(self) -> str:
        """Return the reason for the rejection, and what to do next."""
        how = "To create it, call remember with that name and a type. Then pass the relation again."
        return f"No entity is named {quote(self.name)}. {self.suggestion}{how}"


def new_relations_of(relations: Sequence[NewRelation], rows: Sequence[EqualRelationsRow]) -> list[NewRelation]:
    """Return the relations that do not exist yet."""
    return [new_relation for new_relation, row in zip(relations, rows, strict=True) if not row.matches]


def draft_relations(
    drafting: Drafting, relations: Sequence[NewRelation], rows: Sequence[EqualRelationsRow], made: Mapping[str, str]
) -> tuple[list[NewRelation], list[Refusal]]:
    """Draft the new relations. Returns these and the refusals of relations with an end that is not an entity.

    `made` has the ids of entities that the same write creates. A lenient relation is never rejected.
    """
    graph, created, rejected = NamedGraph(), list[NewRelation](), list[Refusal]()
    for new_relation, row in zip(relations, rows, strict=True):
        graph.add_relations(new_relation, row)
    for name, node in made.items():
        graph.add_entity(name, node)
    steps = Steps(graph, drafting)
    for new_relation in relations:
        missing_name = steps.missing_end(new_relation)
        if missing_name is None:
            created += [new_relation] if steps.relate(new_relation)[1] else []
        else:
            rejected.append(Refusal(new_relation, missing_name))
    return created, rejected


def relation_receipts(
    relations: Sequence[NewRelation], created: Sequence[NewRelation], rejected: Sequence[Refusal] = ()
) -> list[Receipt]:
    """Return the receipt of each relation."""
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
    reader: Reader, domain: str, receipts: Sequence[Receipt], rejected: Sequence[Refusal]
) -> tuple[Receipt, ...]:
    """Return the receipts. For the first unknown names, the receipts of rejected relations suggest similar names.

    Call this after the write: each name takes queries, and other writes would wait for them.
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
