"""`remember`: stores facts about one entity in one write, and returns a receipt for each.

A language model is asked before the write, never under the lock. Under the lock, new statements are compared with the
observations that hold then. A known observation only ends if the caller names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

import anyio.to_thread

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core, within
from graph_memory.memory.entities.names.find_entities import NEW, Found, called_the_same, known_by_name
from graph_memory.memory.entities.observations.current import Seen, current_of
from graph_memory.memory.entities.observations.observing import observations_of
from graph_memory.memory.entities.observations.resolve_observations import check_named
from graph_memory.memory.entities.relations import Refusal, new_of, relation_receipts, with_suggestions
from graph_memory.memory.entities.remember_results import Outcome, Remembered
from graph_memory.memory.entities.single_valued_relations import ends_by_name, relations_like
from graph_memory.memory.entities.writes import attached_to_ends, checked, owners_of_new
from graph_memory.memory.entity_graph.domain import in_domain, make_type_constraints
from graph_memory.memory.entity_graph.drafting import NOTHING, Drafting
from graph_memory.memory.entity_graph.entity_queries import NAMED, related, states_of
from graph_memory.memory.entity_graph.names import LENIENT, not_found, with_near_name
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.memory.remember.advice.settling import Pair, Settlings
from graph_memory.memory.remember.advised import Part, advised, found_of
from graph_memory.memory.remember.adviser import WITHOUT, Adviser
from graph_memory.memory.remember.fact_drafts import (
    Report,
    Snapshot,
    draft_facts,
    keeps_nothing,
    property_receipts,
    relations_of,
    with_own_aliases,
)
from graph_memory.memory.remember.facts import Facts
from graph_memory.memory.remember.judged_facts import judged_facts, receipt_of
from graph_memory.memory.search.retrieval.superseded import find_superseded
from graph_memory.memory.statements.statement_verdict import Known
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Head
from graph_memory.model.rules import BrokenLink
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader


async def remember(core: Core, domain: str, given: Facts, *, dry_run: bool) -> Remembered:
    """Store facts about one entity. See `Entities.remember`."""
    adviser = Adviser.of(core)
    remembered = None
    try:
        if parts := await advised(core, domain, given, adviser, utc_now()):
            remembered = await _written(core, domain, parts, adviser, dry_run=dry_run)
            remembered = remembered.model_copy(update={"model": core.chat and core.chat.name})
    except GraphError as error:
        if error.code in OF_THE_STORE:
            raise
        adviser.warnings.append(f"The facts of the model were rejected, {WITHOUT}: {error.message}.")
    if remembered is None:
        hit = await found_of(core, domain, given)
        remembered = await _written(core, domain, [(given, hit)], adviser, dry_run=dry_run)
    if given.type is not None and remembered.type != given.type:
        kept = f"{quoted(remembered.entity)} keeps the type {quoted(remembered.type)} instead of {quoted(given.type)}"
        adviser.warnings.append(Hint("{kept}", ": use {update_entity} to change it", ".", kept=kept))
    return remembered.model_copy(update={"warnings": tuple(adviser.warnings) or None})


OF_THE_STORE = frozenset({Code.STORE_UNAVAILABLE, Code.TIMEOUT, Code.DOMAIN_BUSY, Code.TRANSACTION_LOST})
"""Errors that do not depend on the arguments."""


async def _written(core: Core, domain: str, parts: Sequence[Part], adviser: Adviser, *, dry_run: bool) -> Remembered:
    """Write facts about each entity, all or none. Returns the result for the first entity, with the others attached."""
    writings = [await _prepared(core, domain, facts, hit, adviser) for facts, hit in parts]
    if dry_run:
        reports = [await _tried(writing) for writing in writings]
    elif len(writings) == 1:
        reports = [await in_domain(core, domain, partial(writings[0].write, dry_run=False))]
    else:
        reports = await in_domain(core, domain, partial(_together, core, domain, writings))
    told = [await _suggesting(core, domain, report) for report in reports]
    if len(told) == 1:
        return told[0]
    numbers = [number for remembered in told for number in (remembered.since, remembered.until) if number is not None]
    update = {"since": min(numbers, default=None), "until": max(numbers, default=None)}
    return told[0].model_copy(update={**update, "others": tuple(remembered.about for remembered in told[1:])})


async def _suggesting(core: Core, domain: str, report: Report) -> Remembered:
    facts = await with_suggestions(core.store, domain, report.told.facts, report.refused)
    return report.told.model_copy(update={"facts": facts})


async def _together(core: Core, domain: str, writings: Sequence[_Writing]) -> list[Report]:
    """Write facts about several entities in one transaction."""
    async with within(core, domain) as (inside, _):
        return [await replace(writing, core=inside).write(dry_run=False) for writing in writings]


async def _tried(writing: _Writing) -> Report:
    """Return the result of a dry run."""
    try:
        report = await writing.write(dry_run=True)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return Report(_first(writing.given, writing.found))
    return replace(report, told=_dry(report.told))


async def _prepared(core: Core, domain: str, facts: Facts, hit: Found, adviser: Adviser) -> _Writing:
    """Return a call together with the answers of the model, which is asked before the write."""
    is_asked = bool(facts.facts)
    rows = await core.store.read(NAMED, domain=domain, names=[hit.name]) if is_asked else []
    texts = [fact.observation.text for fact in facts.facts]
    mark = core.log.mark(domain)
    known: Sequence[Known] = await current_of(core.store, domain, rows[0].id, texts) if rows else ()
    free = [fact for fact in facts.facts if not fact.replaces]
    # compared in a thread before the write, so that the lock is held briefly
    judged = await anyio.to_thread.run_sync(partial(judged_facts, free, known, {}, hit.name, {}))
    doubts = judged if adviser.model is not None else []
    there = {one.id for one in known}
    pairs = [
        Pair(doubt.known.id, doubt.known.text, judged.fact.observation.text)
        for judged in doubts
        for doubt in judged.asks
        if doubt.known.id in there
    ]
    seen = Seen(rows[0].id, mark.seq, known) if rows and mark and not facts.properties else None
    return _Writing(core, domain, facts, hit, await adviser.settle(pairs, hit.name), seen)


def _first(given: Facts, hit: Found) -> Remembered:
    """Return the result of a dry run in a domain that does not exist yet."""
    judged = judged_facts(given.facts, [], {}, hit.name, {})
    relations = relations_of(given, hit.name)
    ties = zip(given.ties, relations, strict=True)
    refused = [Refusal(relation, tie.other) for tie, relation in ties if tie.other != hit.name and not tie.lenient]
    if keeps_nothing(given, relations, refused):
        raise not_found(refused[0].name, LENIENT)
    facts = [*(receipt_of(one, None) for one in judged), *property_receipts(given, hit.name, {})]
    facts += relation_receipts(relations, relations, refused)
    kind = given.type or ENTITY
    return Remembered(entity=hit.name, type=kind, created=True, found_by=NEW, facts=tuple(facts), dry_run=True)


def _dry(remembered: Remembered) -> Remembered:
    """Return the result without the ids that only a write would assign."""
    new = {fact.id for fact in remembered.facts if fact.decision is Outcome.ADD}
    facts = [fact.model_copy(update={"id": None}) if fact.id in new else fact for fact in remembered.facts]
    questions = [question.model_copy(update={"id": None}) for question in remembered.questions or ()]
    candidates = [candidate.model_copy(update={"question": None}) for candidate in remembered.candidates or ()]
    update: dict[str, object] = {"facts": tuple(facts), "questions": tuple(questions) or None}
    update |= {
        "candidates": tuple(candidates) or None,
        "id": None if remembered.created else remembered.id,
        "dry_run": True,
    }
    return remembered.model_copy(update=update)


@dataclass(frozen=True, slots=True)
class _Writing:
    """A call, with the answers of the model."""

    core: Core
    domain: str
    given: Facts
    found: Found
    settlings: Settlings
    seen: Seen | None = None

    async def write(self, *, dry_run: bool) -> Report:
        """Write all facts or none. The rules of connection types are checked before the commit."""
        if self.given.ties and not dry_run:
            await make_type_constraints(self.core, self.domain, relations_of(self.given, self.found.name))
        try:
            return await until_rules_hold(partial(self._attempt, dry_run=dry_run))
        except GraphError as error:
            raise await with_near_name(self.core.store, self.domain, error, LENIENT) from error

    async def _attempt(self, broken: Mapping[str, BrokenLink], *, dry_run: bool) -> Report:
        """Make one attempt, with the rules that earlier attempts broke."""
        core, domain = self.core, self.domain
        await core.contents.put(domain, NOTHING)
        ontology = await core.log.require_ontology(domain) if self.given.ties else None

        def decide(head: Head, snapshot: Snapshot) -> Decision[Report]:
            drafting = Drafting(head, core.origin, core.open_type_limit, snapshot.attached)
            report = draft_facts(drafting, snapshot, self.given, self.settlings)
            return Decision(checked(head, drafting.drafts, replace(snapshot.context, broken=broken)), report)

        async def check(reader: Reader, events: Sequence[Event], _: Report) -> None:
            await check_rules(reader, domain, events, ontology, in_turn=True)

        after = check if self.given.ties and not dry_run else None
        written = await core.log.write(
            "remember", domain, core.origin, self._read, decide, dry_run=dry_run, after_write=after
        )
        remembered, changes = await self._with_alias_questions(written.report.told), written.receipt.changes
        if changes and not dry_run:
            remembered = remembered.model_copy(update={"since": changes[0].seq, "until": written.receipt.seq})
        return replace(written.report, told=remembered)

    async def _with_alias_questions(self, remembered: Remembered) -> Remembered:
        """Ask whether the entity equals another entity that has one of its new aliases."""
        added = [fact.decision is Outcome.ADD for fact in remembered.facts if fact.rule == "alias"]
        new = list(compress(self.given.aliases, added))
        if not new or remembered.id is None:
            return remembered
        called = await called_the_same(self.core.store, self.domain, remembered.id, new)
        known = {candidate.id: candidate for candidate in (*(remembered.candidates or ()), *called)}
        return remembered.model_copy(update={"candidates": tuple(known.values()) or None})

    async def _read(self, reader: Reader, head: Head) -> Snapshot:
        hit, domain, facts = self.found, self.domain, self.given
        if hit.by == NEW:  # another write may have created it in another spelling
            hit = await known_by_name(reader, domain, hit.name) or hit
        rows = await reader.read(NAMED, domain=domain, names=[hit.name])
        states = await states_of(reader, domain, [row.id for row in rows])
        node = states.get(hit.name)
        entity = node if node is not None and not node.mentioned else None
        known: Sequence[Known] = await self._known(reader, head, entity) if entity else ()
        named = await observations_of(reader, domain, entity.id if entity else None, self._named(known))
        await check_named(reader, domain, self._replaced(), named, known)
        attached = await attached_to_ends(reader, head, states.values())
        ended_ids = [observation.id for observation in named.values() if observation.is_over]
        overs = await find_superseded(reader, domain, ended_ids)
        relations = relations_of(facts, hit.name)
        ends = await related(reader, domain, relations) if relations else []
        ids = {**ends_by_name(relations, ends), **({hit.name: node.id} if node else {})}
        living = {id_: kind for row in ends for id_, kind in row.ends.items()}
        new = [(relation.type, relation.properties) for relation in relations]
        context = Context(
            ontology=head.ontology,
            living={**living, **({node.id: node.type} if node else {})},
            owners=await owners_of_new(reader, head, rows, [_new(facts, hit.name, entity)], new),
        )
        return Snapshot(
            found=hit,
            node=node,
            known=known,
            named=named,
            over=overs,
            related=ends,
            like=await relations_like(reader, domain, new_of(relations, ends), ids),
            attached=attached,
            context=context,
        )

    async def _known(self, reader: Reader, head: Head, entity: NodeState) -> Sequence[Known]:
        """Return the current observations to compare with new statements and replaced values."""
        if self.seen is not None and (self.seen.node, self.seen.seq) == (entity.id, head.seq):
            return self.seen.known
        values = (entity.properties.get(key) for key in self.given.properties)
        texts = [fact.observation.text for fact in self.given.facts]
        texts += [value for value in values if isinstance(value, str)]
        return await current_of(reader, self.domain, entity.id, texts)

    def _replaced(self) -> list[str]:
        """Return the ids and texts of observations to end."""
        return [*(one for fact in self.given.facts for one in fact.replaces), *self.given.ends]

    def _named(self, known: Sequence[Known]) -> list[str]:
        """Return the ids and texts of observations that change or are superseded, and new texts."""
        replaced = {*self._replaced()}
        replaced |= {pair.id for pair, settling in self.settlings.items() if settling.decision == "close"}
        texts = {fact.observation.text for fact in self.given.facts if fact.replaces}
        new = {fact.observation.text for fact in self.given.facts} - {one.text for one in known}
        return sorted(replaced | new | {one.id for one in known if one.text in texts})


def _new(facts: Facts, name: str, entity: NodeState | None) -> tuple[str, Mapping[str, PropertyValue]]:
    """Return the type of the entity, and its new properties."""
    if entity is None:
        return facts.type or ENTITY, {**with_own_aliases(facts, name, {}), "name": name}
    return entity.type, with_own_aliases(facts, name, entity.properties)
