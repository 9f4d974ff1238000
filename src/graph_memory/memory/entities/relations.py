"""Relations between entities, by the names of their ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.entities.once import ends_by_name, questions_of_relations
from graph_memory.memory.entities.remember_results import Decision, Question, Receipt
from graph_memory.memory.entities.results import RelationsCreated, relation
from graph_memory.memory.entities.writes import Decided, checked
from graph_memory.memory.entity_graph.domain import in_domain, make_type_constraints
from graph_memory.memory.entity_graph.drafting import Drafting
from graph_memory.memory.entity_graph.graph import NamedGraph, Steps
from graph_memory.memory.entity_graph.names import LENIENT, ask_for_name, entity_not_found
from graph_memory.memory.entity_graph.reading import related
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.rows import RelatedRow
from graph_memory.memory.entity_graph.values.spelling import RELATION, stored_name
from graph_memory.memory.statements.weighing import MOST_ASKED
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Event, Head
from graph_memory.model.rules import BrokenLink, link_rules
from graph_memory.model.text.wording import quoted, shown
from graph_memory.storage.store import Reader

MOST_SUGGESTIONS = 10
"""Maximum number of unknown names in one call for which similar names are searched."""


async def create_relations(core: Core, domain: str, wanted: Sequence[NewRelation]) -> RelationsCreated:
    """Create the relations that are new. `Entities.create_relations` tells the rest."""
    if not wanted:
        return RelationsCreated(relations=())

    async def write() -> RelationsCreated:
        await make_type_constraints(core, domain, wanted)
        return await until_rules_hold(lambda broken: _Writing(core, domain, wanted, broken).written())

    return await in_domain(core, domain, write)


@dataclass(slots=True)
class _Writing:
    """One attempt at the write: what it found new is kept for what is told afterwards."""

    core: Core
    domain: str
    wanted: Sequence[NewRelation]
    broken: Mapping[str, BrokenLink]
    created: Sequence[NewRelation] = ()
    asking: Sequence[Question] = ()

    async def written(self) -> RelationsCreated:
        """Write them; what the rules of their types ask is looked at before it is committed."""
        ontology = await self.core.log.require_ontology(self.domain)
        names = {stored_name(one.type, RELATION) for one in self.wanted}
        has_rules = any(link_rules(ontology.find_connection_type(name)) for name in names)

        async def check(reader: Reader, events: Sequence[Event], _: None) -> None:
            await check_rules(reader, self.domain, events, ontology, in_turn=True)

        await self.core.log.write(
            "create_relations",
            self.domain,
            self.core.origin,
            self._read,
            checked,
            after_write=check if has_rules else None,
        )
        told = [relation(one.from_name, one.to_name, one.type) for one in self.created]
        notes = tuple(map(_asked, self.asking))
        return RelationsCreated(relations=tuple(told), questions=tuple(self.asking) or None, notes=notes or None)

    async def _read(self, reader: Reader, head: Head) -> Decided:
        rows = await related(reader, self.domain, self.wanted)
        drafting = Drafting(head, self.core.origin, self.core.open_type_limit)
        living = {end: kind for row in rows for end, kind in row.ends.items()}
        self.created = await draft_relations(reader, drafting, self.wanted, rows, {})
        ids = ends_by_name(self.wanted, rows)
        self.asking = (await questions_of_relations(reader, self.domain, self.created, ids))[:MOST_ASKED]
        return drafting.drafts, Context(ontology=head.ontology, living=living, broken=self.broken)


def _asked(one: Question) -> str:
    """Return a question in words, for an answer that has no room for it."""
    choices = "; ".join(f"{choice}: {consequence}" for choice, consequence in one.choices.items())
    return f"Is {quoted(one.known_text)} out of date? {one.reason}. decide with id {one.id} and a decision: {choices}."


async def draft_relations(
    reader: Reader,
    drafting: Drafting,
    wanted: Sequence[NewRelation],
    rows: Sequence[RelatedRow],
    made: Mapping[str, str],
    refused: list[Refusal] | None = None,
) -> list[NewRelation]:
    """Make the relations that are new, and return them; `made` are the ids of entities that the same write makes.

    A relation to an end of which there is no entity, unless it is lenient, is added to `refused` if that is given.
    Otherwise raises NODE_NOT_FOUND with the nearest name.
    """
    graph, created = NamedGraph(), list[NewRelation]()
    for one, row in zip(wanted, rows, strict=True):
        graph.note_related(one, row)
    for name, node in made.items():
        graph.note_made(name, node)
    steps = Steps(graph, drafting)
    for one in wanted:
        lacking = steps.lacking(one)
        if lacking is None:
            created += [one] if steps.relate(one)[1] else []
        elif refused is None:
            raise await entity_not_found(reader, drafting.head.domain, lacking, LENIENT)
        else:
            refused.append(Refusal(one, lacking))
    return created


@dataclass(frozen=True, slots=True)
class Refusal:
    """A relation that was not stored: the name at its end of which there is no entity, and what may be meant."""

    relation: NewRelation
    name: str
    meant: str = ""

    @property
    def evidence(self) -> str:
        """Return why the relation was refused, and what to do."""
        how = "To create it, call remember with that name and a type. Then give the relation again."
        return f"No entity is named {quoted(self.name)}. {self.meant}{how}"


def relation_receipts(
    wanted: Sequence[NewRelation], made: Sequence[NewRelation], refused: Sequence[Refusal] = ()
) -> list[Receipt]:
    """Return what becomes of each relation."""
    reasons = [next((each.evidence for each in refused if each.relation == one), None) for one in wanted]
    return [
        Receipt(
            decision=Decision.REFUSED if reason else Decision.ADD if one in made else Decision.NOOP,
            fact=f"{shown(one.from_name)} {shown(one.type)} {shown(one.to_name)}",
            rule="relation",
            evidence=reason,
        )
        for one, reason in zip(wanted, reasons, strict=True)
    ]


async def with_suggestions(
    reader: Reader, domain: str, receipts: Sequence[Receipt], refused: Sequence[Refusal]
) -> tuple[Receipt, ...]:
    """Return the receipts. Those of refused relations suggest similar names, for the first unknown names.

    Call this after the write: each name takes queries, and other writes would wait for them.
    """
    names = list(dict.fromkeys(refusal.name for refusal in refused))[:MOST_SUGGESTIONS]
    try:
        meant = {name: await ask_for_name(reader, domain, name) for name in names}
    except GraphError:  # the write is done, so its receipts are returned without suggestions
        return tuple(receipts)
    reasons = iter([replace(refusal, meant=meant.get(refusal.name, "")).evidence for refusal in refused])
    return tuple(
        receipt.model_copy(update={"evidence": next(reasons, receipt.evidence)})
        if receipt.decision is Decision.REFUSED
        else receipt
        for receipt in receipts
    )
