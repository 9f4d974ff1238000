"""`remember`: facts about one thing in one write, which adds what is new and says what it did with each.

A language model is asked before the write, never under the lock. Under the lock new statements are compared with those
that hold then. Nothing that is known ends unless the caller names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress

import anyio.to_thread

from graph_memory.memory.changes.context import read_context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core, within
from graph_memory.memory.entities.aliases import with_aliases
from graph_memory.memory.entities.names.candidates import as_questions
from graph_memory.memory.entities.names.find_entities import NEW, Found, called_the_same, known_by_name
from graph_memory.memory.entities.observations.current import Seen, current_of
from graph_memory.memory.entities.observations.naming import check_named, resolved
from graph_memory.memory.entities.observations.observing import Observation, ended, observations_of
from graph_memory.memory.entities.once import ends_by_name, questions_of_relations
from graph_memory.memory.entities.relations import Refusal, draft_relations, relation_receipts, with_suggestions
from graph_memory.memory.entities.remember_results import Decision, Question, Receipt, Remembered
from graph_memory.memory.entities.writes import Decided, checked, drafting_with
from graph_memory.memory.entity_graph.domain import in_domain, make_type_constraints
from graph_memory.memory.entity_graph.drafting import NOTHING, Drafting
from graph_memory.memory.entity_graph.names import LENIENT, check_current, entity_not_found, not_found
from graph_memory.memory.entity_graph.reading import NAMED, related, states_of
from graph_memory.memory.entity_graph.values.request import NewEntity, NewRelation
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.memory.recall.rendering.wording import in_words
from graph_memory.memory.remember.advice.settling import Pair, Settlings
from graph_memory.memory.remember.advised import Part, advised, found_of
from graph_memory.memory.remember.adviser import WITHOUT, Adviser
from graph_memory.memory.remember.facts import Fact, Facts
from graph_memory.memory.remember.judged_facts import Judged, judged_facts, questions_of, receipt_of, with_changes
from graph_memory.memory.remember.outdated import find_contradicted_properties
from graph_memory.memory.remember.properties import alias_receipts, edited, receipts_of
from graph_memory.memory.search.retrieval.superseded import over
from graph_memory.memory.statements.weighing import MOST_ASKED, Known
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Head
from graph_memory.model.rules import BrokenLink
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader


async def remember(core: Core, domain: str, given: Facts, *, dry_run: bool) -> Remembered:
    """Remember facts about one thing. `Entities.remember` tells the rest."""
    adviser = Adviser.of(core)
    told = None
    try:
        if parts := await advised(core, domain, given, adviser, utc_now()):
            told = await _written(core, domain, parts, adviser, dry_run=dry_run)
            told = told.model_copy(update={"model": core.chat and core.chat.name})
    except GraphError as error:
        if error.code in OF_THE_STORE:
            raise
        adviser.warnings.append(f"What the model made of the text was refused, {WITHOUT}: {error.message}.")
    if told is None:
        found = await found_of(core, domain, given)
        told = await _written(core, domain, [(given, found)], adviser, dry_run=dry_run)
    if given.type is not None and told.type != given.type:
        kept = f"{quoted(told.entity)} stays of type {quoted(told.type)}, not {quoted(given.type)}"
        adviser.warnings.append(Hint("{kept}", ": {update_entity} changes it", ".", kept=kept))
    return told.model_copy(update={"warnings": tuple(adviser.warnings) or None})


OF_THE_STORE = frozenset({Code.STORE_UNAVAILABLE, Code.TIMEOUT, Code.DOMAIN_BUSY, Code.TRANSACTION_LOST})
"""Errors that say nothing of what was given."""


async def _written(core: Core, domain: str, parts: Sequence[Part], adviser: Adviser, *, dry_run: bool) -> Remembered:
    """Write facts about each thing, all of them or none, and return what is told of the first, with the others."""
    writings = [await _prepared(core, domain, given, found, adviser) for given, found in parts]
    if dry_run:
        told = [await _tried(one) for one in writings]
    elif len(writings) == 1:
        await in_domain(core, domain, partial(writings[0].written, dry_run=False))
        told = [writings[0].told]
    else:
        await in_domain(core, domain, partial(_together, core, domain, writings))
        told = [one.told for one in writings]
    told = [await _suggesting(core, one, writing) for one, writing in zip(told, writings, strict=True)]
    if len(told) == 1:
        return told[0]
    numbers = [number for one in told for number in (one.since, one.until) if number is not None]
    update = {"since": min(numbers, default=None), "until": max(numbers, default=None)}
    return told[0].model_copy(update={**update, "others": tuple(one.about for one in told[1:])})


async def _suggesting(core: Core, told: Remembered, writing: _Writing) -> Remembered:
    facts = await with_suggestions(core.store, writing.domain, told.facts, writing.refused)
    return told.model_copy(update={"facts": facts})


async def _together(core: Core, domain: str, writings: Sequence[_Writing]) -> None:
    """Write facts about several things in one transaction."""
    async with within(core, domain) as (inside, _):
        for one in writings:
            one.core = inside
            await one.written(dry_run=False)


async def _tried(writing: _Writing) -> Remembered:
    """Return what would be remembered."""
    try:
        await writing.written(dry_run=True)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return _first(writing.given, writing.found)
    return _dry(writing.told)


async def _prepared(core: Core, domain: str, given: Facts, found: Found, adviser: Adviser) -> _Writing:
    """Return a call with all that is asked of models before its write."""
    is_asked = bool(given.facts)
    rows = await core.store.read(NAMED, domain=domain, names=[found.name]) if is_asked else []
    texts = [one.observation.text for one in given.facts]
    mark = core.log.mark(domain)
    known: Sequence[Known] = await current_of(core.store, domain, rows[0].id, texts) if rows else ()
    free = [one for one in given.facts if not one.replaces]
    # compared in a thread, so that all this is at hand when it is decided under the lock, where others wait
    judged = await anyio.to_thread.run_sync(partial(judged_facts, free, known, {}, found.name, {}))
    doubts = judged if adviser.model is not None else []
    there = {one.id for one in known}
    pairs = [
        Pair(doubt.known.id, doubt.known.text, one.fact.observation.text)
        for one in doubts
        for doubt in one.asks
        if doubt.known.id in there
    ]
    seen = Seen(rows[0].id, mark.seq, known) if rows and mark and not given.properties else None
    return _Writing(core, domain, given, found, await adviser.settle(pairs, found.name), seen)


def _first(given: Facts, found: Found) -> Remembered:
    """Return what would be remembered in a domain that does not exist yet."""
    judged = judged_facts(given.facts, [], {}, found.name, {})
    relations = [tie.relation(found.name) for tie in given.ties]
    ties = zip(given.ties, relations, strict=True)
    refused = [Refusal(one, tie.other) for tie, one in ties if tie.other != found.name and not tie.lenient]
    if _keeps_nothing(given, relations, refused):
        raise not_found(refused[0].name, LENIENT)
    facts = [*(receipt_of(one, None) for one in judged), *receipts_of({}, given.properties)]
    facts += alias_receipts(found.name, {}, given.aliases) + relation_receipts(relations, relations, refused)
    kind = given.type or ENTITY
    return Remembered(entity=found.name, type=kind, created=True, found_by=NEW, facts=tuple(facts), dry_run=True)


def _keeps_nothing(given: Facts, relations: Sequence[NewRelation], refused: Sequence[Refusal]) -> bool:
    """Whether the call gives nothing but relations, and all of them are refused."""
    return bool(refused) and len(refused) == len(relations) and not given.says_more


def _dry(told: Remembered) -> Remembered:
    """Return what is told without the ids that only a write would give."""
    new = {one.id for one in told.facts if one.decision is Decision.ADD}
    facts = [one.model_copy(update={"id": None}) if one.id in new else one for one in told.facts]
    questions = [one.model_copy(update={"id": None}) for one in told.questions or ()]
    candidates = [one.model_copy(update={"question": None}) for one in told.candidates or ()]
    update: dict[str, object] = {"facts": tuple(facts), "questions": tuple(questions) or None}
    update |= {"candidates": tuple(candidates) or None, "id": None if told.created else told.id, "dry_run": True}
    return told.model_copy(update=update)


@dataclass(slots=True)
class _Writing:
    """One call: what was found of it in the last attempt at its write is kept for what is told afterwards."""

    core: Core
    domain: str
    given: Facts
    found: Found
    settlings: Settlings
    seen: Seen | None = None
    broken: Mapping[str, BrokenLink] = field(default_factory=dict[str, BrokenLink])
    told: Remembered = field(init=False)
    relations: Sequence[NewRelation] = field(init=False)
    asking: Sequence[Question] = ()
    """Questions about relations of which there is one at a time."""
    refused: Sequence[Refusal] = ()

    def __post_init__(self) -> None:
        self.relations = [tie.relation(self.found.name) for tie in self.given.ties]

    async def written(self, *, dry_run: bool) -> None:
        """Write all of it, or nothing; what the rules of connection types ask is looked at before it is committed."""
        if self.relations and not dry_run:
            await make_type_constraints(self.core, self.domain, self.relations)

        async def attempt(broken: Mapping[str, BrokenLink]) -> None:
            self.broken = broken
            await self.write(dry_run=dry_run)

        await until_rules_hold(attempt)

    async def write(self, *, dry_run: bool) -> None:
        """Make one attempt."""
        await self.core.contents.put(self.domain, NOTHING)
        ontology = await self.core.log.require_ontology(self.domain) if self.relations else None

        async def check(reader: Reader, events: Sequence[Event], _: None) -> None:
            await check_rules(reader, self.domain, events, ontology, in_turn=True)

        written = await self.core.log.write(
            "remember",
            self.domain,
            self.core.origin,
            self._read,
            checked,
            dry_run=dry_run,
            after_write=check if self.relations and not dry_run else None,
        )
        await self._ask_of_aliases()
        if written.receipt.changes and not dry_run:
            update = {"since": written.receipt.changes[0].seq, "until": written.receipt.seq}
            self.told = self.told.model_copy(update=update)

    async def _ask_of_aliases(self) -> None:
        """Ask whether the entity is another one that has an alias which this call gave it."""
        added = [one.decision is Decision.ADD for one in self.told.facts if one.rule == "alias"]
        new = list(compress(self.given.aliases, added))
        if new and self.told.id is not None:
            known = {one.id: one for one in self.told.candidates or ()}
            called = await called_the_same(self.core.store, self.domain, self.told.id, new)
            known |= {one.id: one for one in called}
            self.told = self.told.model_copy(update={"candidates": tuple(known.values()) or None})

    async def _read(self, reader: Reader, head: Head) -> Decided:
        if self.found.by == NEW:  # somebody may have made it meanwhile, in another spelling
            found = await known_by_name(reader, self.domain, self.found.name)
            if found is not None:
                self.found = found
                self.relations = [tie.relation(found.name) for tie in self.given.ties]
        name = self.found.name
        rows = await reader.read(NAMED, domain=self.domain, names=[name])
        states = await states_of(reader, self.domain, [row.id for row in rows])
        node = states.get(name)
        entity = node if node is not None and not node.mentioned else None
        if entity is not None and self.given.facts:
            check_current(name, entity.validity.ended_by(head.at))
        known: Sequence[Known] = await self._known(reader, head, entity) if entity else ()
        named = await observations_of(reader, self.domain, entity.id if entity else None, self._named(known))
        await check_named(reader, self.domain, self._replaced(), named, known)
        ends = resolved(self.given.ends, named)
        judged = judged_facts(self.given.facts, known, named, name, self.settlings)
        asking = with_changes(judged, entity.properties if entity else {}, self.given.properties, known, ends)
        judged = asking[: len(judged)]
        drafting = await drafting_with(self.core, reader, head, states.values())
        node_id = entity.id if entity else self._made(drafting, node)
        receipts = self._observed(drafting, node_id, judged, named, head)
        receipts = await self._with_over(reader, receipts, judged, named)
        receipts = self._with_numbers(receipts, entity)
        receipts += await self._ended(reader, drafting, ends, head)
        receipts += self._properties(drafting, entity, head)
        receipts += await self._related(reader, drafting, node_id)
        ids = [receipt.id for receipt in receipts[: len(judged)]] + [node_id] * (len(asking) - len(judged))
        self.told = Remembered(
            entity=name,
            id=node_id,
            type=(entity.entity if entity else None) or self.given.type or ENTITY,
            created=entity is None,
            found_by=self.found.by if entity else NEW,
            facts=tuple(receipts),
            questions=(*questions_of(asking, ids, node_id), *self.asking) or None,
            candidates=tuple(as_questions(node_id, self.found.candidates)) or None,
        )
        context = await read_context(reader, head, drafting.drafts)
        return drafting.drafts, replace(context, broken=self.broken)

    async def _known(self, reader: Reader, head: Head, entity: NodeState) -> Sequence[Known]:
        """Return observations that hold, to compare new statements and the values that are replaced with."""
        if self.seen is not None and (self.seen.node, self.seen.seq) == (entity.id, head.seq):
            return self.seen.known
        values = (entity.properties.get(key) for key in self.given.properties)
        texts = [one.observation.text for one in self.given.facts]
        texts += [one for one in values if isinstance(one, str)]
        return await current_of(reader, self.domain, entity.id, texts)

    def _replaced(self) -> list[str]:
        """Return the ids and texts that are said to be over."""
        return [*(one for fact in self.given.facts for one in fact.replaces), *self.given.ends]

    def _named(self, known: Sequence[Known]) -> list[str]:
        """Return the ids and texts of observations that change, those in their place, and texts that are new."""
        replaced = {*self._replaced()}
        replaced |= {pair.id for pair, settling in self.settlings.items() if settling.decision == "close"}
        texts = {fact.observation.text for fact in self.given.facts if fact.replaces}
        new = {fact.observation.text for fact in self.given.facts} - {one.text for one in known}
        return sorted(replaced | new | {one.id for one in known if one.text in texts})

    def _made(self, drafting: Drafting, mention: NodeState | None) -> str:
        """Make the entity, or settle what was only mentioned, and return its id."""
        kind, properties = self.given.type or ENTITY, self._own({})
        wanted = NewEntity(name=self.found.name, type=kind, content=NOTHING, properties=properties)
        if mention is None:
            return drafting.entity(wanted)
        drafting.settle(mention, wanted)
        return mention.id

    def _observed(
        self, drafting: Drafting, node: str, judged: Sequence[Judged], named: Mapping[str, Observation], head: Head
    ) -> list[Receipt]:
        """Make the observations that are new, end those that they replace, and return the receipts."""
        receipts: list[Receipt] = []
        for one in judged:
            at = one.fact.observation.validity.valid_from or head.at
            drafting.drafts += [ended(known, at) for known in one.replaced]
            if one.is_new:
                [made] = drafting.observations(node, [one.observation(at)])
            else:
                made = one.known
                if one.replaced and (draft := one.taking_over(named)) is not None:
                    drafting.drafts.append(draft)
            receipts.append(receipt_of(one, made))
        return receipts

    async def _with_over(
        self, reader: Reader, receipts: Sequence[Receipt], judged: Sequence[Judged], named: Mapping[str, Observation]
    ) -> list[Receipt]:
        """Return the receipts; one that has to do with what is over already says since when, and what holds instead."""
        late = [one.late(named) for one in judged]
        told = await over(reader, self.domain, [each.id for found in late for each in found])
        said = [
            " | ".join(f"{_called(each, one.fact)} ({in_words(told.get(each.id))})" for each in found)
            for one, found in zip(judged, late, strict=True)
        ]
        return [
            receipt.model_copy(update={"evidence": words}) if words else receipt
            for receipt, words in zip(receipts, said, strict=True)
        ]

    def _with_numbers(self, receipts: Sequence[Receipt], entity: NodeState | None) -> list[Receipt]:
        """Return the receipts; one of a new fact says of which property it may say another number."""
        own: Mapping[str, PropertyValue] = entity.properties if entity else {}
        kept = {key: value for key, value in own.items() if key not in self.given.properties}
        found: list[Receipt] = []
        for one in receipts:
            keys = find_contradicted_properties(one.fact, kept) if one.decision is Decision.ADD else []
            told = [f"the property {shown(key)} is {shown(kept[key])}: out of date?" for key in keys]
            evidence = " | ".join(filter(None, [one.evidence, *told]))
            found.append(one.model_copy(update={"evidence": evidence}) if told else one)
        return found

    async def _ended(
        self, reader: Reader, drafting: Drafting, ends: Sequence[Observation], head: Head
    ) -> list[Receipt]:
        drafting.drafts += [ended(one, head.at) for one in ends if not one.is_over]
        told = await over(reader, self.domain, [one.id for one in ends if one.is_over])
        return [
            Receipt(
                decision=Decision.NOOP if one.is_over else Decision.DELETE,
                fact=one.state.text,
                rule="over already" if one.is_over else "named as over",
                evidence=in_words(told.get(one.id)) or None,
                id=one.id,
                replaced=None if one.is_over else (one.id,),
            )
            for one in ends
        ]

    def _own(self, before: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
        """Return the properties that the entity gets, its aliases among them, given those that it has."""
        given = self.given.properties
        return {**given, **with_aliases({**before, **given}, self.found.name, self.given.aliases)}

    def _properties(self, drafting: Drafting, entity: NodeState | None, head: Head) -> list[Receipt]:
        before: Mapping[str, PropertyValue] = entity.properties if entity else {}
        receipts = receipts_of(before, self.given.properties)
        receipts += alias_receipts(self.found.name, before, self.given.aliases)
        if entity and any(one.decision is not Decision.NOOP for one in receipts):
            drafting.drafts.append(edited(head, entity, self._own(before)))
        return receipts

    async def _related(self, reader: Reader, drafting: Drafting, node: str) -> list[Receipt]:
        """Make the relations that are new, and return the receipts of all."""
        wanted = self.relations
        rows = await related(reader, self.domain, wanted) if wanted else []
        refused: list[Refusal] = []
        made = await draft_relations(reader, drafting, wanted, rows, {self.found.name: node}, refused)
        if _keeps_nothing(self.given, wanted, refused):
            raise await entity_not_found(reader, self.domain, refused[0].name, LENIENT)
        self.refused = refused
        ids = {**ends_by_name(wanted, rows), self.found.name: node}
        self.asking = (await questions_of_relations(reader, self.domain, made, ids))[:MOST_ASKED]
        return relation_receipts(wanted, made, refused)


def _called(one: Observation, fact: Fact) -> str:
    """Return what is said of an observation that is over beside a fact."""
    return "said before" if one.state.text == fact.observation.text else quoted(one.state.text)
