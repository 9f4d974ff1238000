"""`remember`: stores facts about one entity in one write, and returns a receipt for each.

A language model is asked before the write, never while the lock is held. Then new statements are compared with the
current observations under the lock. A known observation ends only if the caller refers to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

import anyio.to_thread

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, retry_until_rules_hold
from graph_memory.memory.core import Core, within
from graph_memory.memory.entities.names.find_entities import (
    NEW,
    EntityMatch,
    entities_with_same_name,
    find_by_name_or_alias,
)
from graph_memory.memory.entities.observations.current import CachedObservations, current_of
from graph_memory.memory.entities.observations.observing import observations_of
from graph_memory.memory.entities.observations.resolve_observations import check_references
from graph_memory.memory.entities.relations import (
    RejectedRelation,
    new_relations_of,
    relation_receipts,
    with_suggestions,
)
from graph_memory.memory.entities.remember_results import Outcome, RememberResult
from graph_memory.memory.entities.single_valued_relations import ends_by_name, read_single_valued
from graph_memory.memory.entities.writes import deletions_of_ends, owners_of_new, validate
from graph_memory.memory.entity_graph.domain import write_to_domain
from graph_memory.memory.entity_graph.drafting import EMPTY_CONTENT, DraftCollector
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME, equal_relations, states_of
from graph_memory.memory.entity_graph.names import LENIENT, official_not_found_error, with_near_name
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.memory.remember.advice.settling import Settlings, StatementPair
from graph_memory.memory.remember.advised import Part, entity_of, split_by_model
from graph_memory.memory.remember.adviser import REMEMBERED_WITHOUT_MODEL, Adviser
from graph_memory.memory.remember.fact_drafts import (
    Report,
    Snapshot,
    draft_facts,
    has_only_rejected_relations,
    property_receipts,
    relations_of,
    with_own_aliases,
)
from graph_memory.memory.remember.facts import RememberRequest
from graph_memory.memory.remember.judged_facts import judge_facts, receipt_of
from graph_memory.memory.search.retrieval.superseded import find_superseded
from graph_memory.memory.statements.statement_verdict import CurrentObservation
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Head
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import quote
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader


async def remember(core: Core, domain: str, request: RememberRequest, *, dry_run: bool) -> RememberResult:
    """Store facts about one entity. See `Entities.remember`."""
    adviser = Adviser.of(core)
    remembered = None
    try:
        if parts := await split_by_model(core, domain, request, adviser, utc_now()):
            remembered = await _write(core, domain, parts, adviser, dry_run=dry_run)
            remembered = remembered.model_copy(update={"model": core.chat and core.chat.name})
    except GraphError as error:
        if error.code in STORE_ERRORS:
            raise
        adviser.warnings.append(f"The model's facts were rejected, {REMEMBERED_WITHOUT_MODEL}: {error.message}.")
    if remembered is None:
        match = await entity_of(core, domain, request)
        remembered = await _write(core, domain, [(request, match)], adviser, dry_run=dry_run)
    if request.type is not None and remembered.type != request.type:
        message = f"{quote(remembered.entity)} keeps the type {quote(remembered.type)} instead of {quote(request.type)}"
        adviser.warnings.append(Hint("{kept}", ": use {update_entity} to change it", ".", kept=message))
    return remembered.model_copy(update={"warnings": tuple(adviser.warnings) or None})


STORE_ERRORS = frozenset({Code.STORE_UNAVAILABLE, Code.TIMEOUT, Code.DOMAIN_BUSY, Code.TRANSACTION_LOST})
"""Error codes of the database that do not depend on the arguments."""


async def _write(core: Core, domain: str, parts: Sequence[Part], adviser: Adviser, *, dry_run: bool) -> RememberResult:
    """Write the facts about all entities, or none. The first entity's result contains the other results."""
    writings = [await _prepare(core, domain, request, match, adviser) for request, match in parts]
    if dry_run:
        reports = [await _dry_run(writing) for writing in writings]
    elif len(writings) == 1:
        reports = [await write_to_domain(core, domain, partial(writings[0].write, dry_run=False))]
    else:
        reports = await write_to_domain(core, domain, partial(_write_all, core, domain, writings))
    results: list[RememberResult] = []
    for report in reports:
        facts = await with_suggestions(core.store, domain, report.remembered.facts, report.rejected)
        results.append(report.remembered.model_copy(update={"facts": facts}))
    if len(results) == 1:
        return results[0]
    numbers = [
        number for remembered in results for number in (remembered.since, remembered.until) if number is not None
    ]
    update = {"since": min(numbers, default=None), "until": max(numbers, default=None)}
    return results[0].model_copy(update={**update, "others": tuple(remembered.about for remembered in results[1:])})


async def _write_all(core: Core, domain: str, writings: Sequence[_RememberCall]) -> list[Report]:
    async with within(core, domain) as (inside, _):
        return [await replace(writing, core=inside).write(dry_run=False) for writing in writings]


async def _dry_run(writing: _RememberCall) -> Report:
    try:
        report = await writing.write(dry_run=True)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return Report(_preview(writing.request, writing.match))
    return replace(report, remembered=_without_new_ids(report.remembered))


async def _prepare(
    core: Core, domain: str, request: RememberRequest, match: EntityMatch, adviser: Adviser
) -> _RememberCall:
    """Ask the model which known statements the call's facts supersede. Returns the call with its decisions."""
    rows = await core.store.read(NODES_BY_NAME, domain=domain, names=[match.name]) if request.facts else []
    texts = [fact.observation.text for fact in request.facts]
    mark = core.log.mark(domain)
    known: Sequence[CurrentObservation] = await current_of(core.store, domain, rows[0].id, texts) if rows else ()
    facts = [fact for fact in request.facts if not fact.replaces]
    # compared in a thread before the write, so that the lock is held briefly
    judged_facts = await anyio.to_thread.run_sync(partial(judge_facts, facts, known, {}, match.name, {}))
    known_ids = {observation.id for observation in known}
    pairs = [
        StatementPair(doubt.known.id, doubt.known.text, judged.fact.observation.text)
        for judged in (judged_facts if adviser.model is not None else ())
        for doubt in judged.open_replacements
        if doubt.known.id in known_ids
    ]
    seen = CachedObservations(rows[0].id, mark.seq, known) if rows and mark and not request.properties else None
    return _RememberCall(core, domain, request, match, await adviser.decide_pairs(pairs, match.name), seen)


def _preview(request: RememberRequest, match: EntityMatch) -> RememberResult:
    """Return the result of a dry run in a domain that does not exist yet."""
    judged = judge_facts(request.facts, [], {}, match.name, {})
    relations = relations_of(request, match.name)
    pairs = zip(request.relations, relations, strict=True)
    rejected = [
        RejectedRelation(relation, requested.other)
        for requested, relation in pairs
        if requested.other != match.name and not requested.lenient
    ]
    if has_only_rejected_relations(request, relations, rejected):
        raise official_not_found_error(rejected[0].name, LENIENT)
    facts = [*(receipt_of(fact, None) for fact in judged), *property_receipts(request, match.name, {})]
    facts += relation_receipts(relations, relations, rejected)
    entity_type = request.type or ENTITY
    return RememberResult(
        entity=match.name, type=entity_type, created=True, found_by=NEW, facts=tuple(facts), dry_run=True
    )


def _without_new_ids(remembered: RememberResult) -> RememberResult:
    """Remove the ids that only a write would assign."""
    new_ids = {fact.id for fact in remembered.facts if fact.decision is Outcome.ADD}
    facts = [fact.model_copy(update={"id": None}) if fact.id in new_ids else fact for fact in remembered.facts]
    questions = [question.model_copy(update={"id": None}) for question in remembered.questions or ()]
    candidates = [candidate.model_copy(update={"question": None}) for candidate in remembered.candidates or ()]
    update: dict[str, object] = {
        "facts": tuple(facts),
        "questions": tuple(questions) or None,
        "candidates": tuple(candidates) or None,
        "id": None if remembered.created else remembered.id,
        "dry_run": True,
    }
    return remembered.model_copy(update=update)


@dataclass(frozen=True, slots=True)
class _RememberCall:
    """A call about one entity, with the model's decisions."""

    core: Core
    domain: str
    request: RememberRequest
    match: EntityMatch
    settlings: Settlings
    seen: CachedObservations | None = None

    async def write(self, *, dry_run: bool) -> Report:
        """Write all facts or none. Checks the rules of connection types before the commit."""
        try:
            return await retry_until_rules_hold(partial(self._attempt, dry_run=dry_run))
        except GraphError as error:
            raise await with_near_name(self.core.store, self.domain, error, LENIENT) from error

    async def _attempt(self, broken: Mapping[str, BrokenRule], *, dry_run: bool) -> Report:
        """Try to write once. `broken` contains the rules that earlier attempts violated."""
        core, domain = self.core, self.domain
        await core.contents.put(domain, EMPTY_CONTENT)
        ontology = await core.log.require_ontology(domain) if self.request.relations else None

        def decide(head: Head, snapshot: Snapshot) -> Decision[Report]:
            drafting = DraftCollector(head, core.origin, core.open_type_limit, snapshot.deletions_by_end)
            report = draft_facts(drafting, snapshot, self.request, self.settlings)
            return Decision(validate(head, drafting.drafts, replace(snapshot.context, broken_rules=broken)), report)

        async def check(reader: Reader, events: Sequence[Event], _: Report) -> None:
            await check_rules(reader, domain, events, ontology, in_turn=True)

        rule_check = check if self.request.relations and not dry_run else None
        written = await core.log.write(
            "remember", domain, core.origin, self._read, decide, dry_run=dry_run, after_write=rule_check
        )
        remembered, changes = await self._with_alias_questions(written.report.remembered), written.receipt.changes
        if changes and not dry_run:
            remembered = remembered.model_copy(update={"since": changes[0].seq, "until": written.receipt.seq})
        return replace(written.report, remembered=remembered)

    async def _with_alias_questions(self, remembered: RememberResult) -> RememberResult:
        """If another entity has one of the new aliases, ask whether both are the same."""
        added = [fact.decision is Outcome.ADD for fact in remembered.facts if fact.rule == "alias"]
        new_aliases = list(compress(self.request.aliases, added))
        if not new_aliases or remembered.id is None:
            return remembered
        with_alias = await entities_with_same_name(self.core.store, self.domain, remembered.id, new_aliases)
        candidates = {candidate.id: candidate for candidate in (*(remembered.candidates or ()), *with_alias)}
        return remembered.model_copy(update={"candidates": tuple(candidates.values()) or None})

    async def _read(self, reader: Reader, head: Head) -> Snapshot:
        match, domain, request = self.match, self.domain, self.request
        if match.by == NEW:  # another write may have created it in another spelling
            match = await find_by_name_or_alias(reader, domain, match.name) or match
        rows = await reader.read(NODES_BY_NAME, domain=domain, names=[match.name])
        states = await states_of(reader, domain, [row.id for row in rows])
        node = states.get(match.name)
        entity = node if node is not None and not node.mentioned else None
        known: Sequence[CurrentObservation] = await self._read_known(reader, head, entity) if entity else ()
        observations = await observations_of(
            reader, domain, entity.id if entity else None, self._named_references(known)
        )
        await check_references(reader, domain, self._replaced_references(), observations, known)
        attached = await deletions_of_ends(reader, head, states.values())
        ended_ids = [observation.id for observation in observations.values() if observation.has_ended]
        superseded = await find_superseded(reader, domain, ended_ids)
        relations = relations_of(request, match.name)
        ends = await equal_relations(reader, domain, relations) if relations else []
        ids = {**ends_by_name(relations, ends), **({match.name: node.id} if node else {})}
        types_by_end = {subject_id: kind for row in ends for subject_id, kind in row.ends.items()}
        properties = with_own_aliases(request, match.name, entity.properties if entity else {})
        record = (entity.type, properties) if entity else (request.type or ENTITY, {**properties, "name": match.name})
        new_relations = [(relation.type, relation.properties) for relation in relations]
        context = Context(
            ontology=head.ontology,
            existing_node_types={**types_by_end, **({node.id: node.type} if node else {})},
            owners=await owners_of_new(reader, head, rows, [record], new_relations),
        )
        return Snapshot(
            match=match,
            node=node,
            known=known,
            observations=observations,
            superseded=superseded,
            related=ends,
            single_valued=await read_single_valued(reader, domain, new_relations_of(relations, ends), ids),
            deletions_by_end=attached,
            context=context,
        )

    async def _read_known(self, reader: Reader, head: Head, entity: NodeState) -> Sequence[CurrentObservation]:
        """Return the current observations to compare with new statements and replaced values."""
        if self.seen is not None and (self.seen.node, self.seen.seq) == (entity.id, head.seq):
            return self.seen.known
        values = (entity.properties.get(key) for key in self.request.properties)
        texts = [fact.observation.text for fact in self.request.facts]
        texts += [value for value in values if isinstance(value, str)]
        return await current_of(reader, self.domain, entity.id, texts)

    def _replaced_references(self) -> list[str]:
        return [*(reference for fact in self.request.facts for reference in fact.replaces), *self.request.ends]

    def _named_references(self, known: Sequence[CurrentObservation]) -> list[str]:
        """Return the ids and texts of observations that change or end, and the texts of new observations."""
        replaced = {*self._replaced_references()}
        replaced |= {pair.id for pair, settling in self.settlings.items() if settling.decision == "close"}
        texts = {fact.observation.text for fact in self.request.facts if fact.replaces}
        new = {fact.observation.text for fact in self.request.facts} - {observation.text for observation in known}
        return sorted(replaced | new | {observation.id for observation in known if observation.text in texts})
