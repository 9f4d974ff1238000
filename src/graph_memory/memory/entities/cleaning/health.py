"""`graph_health` and `find_orphans`: suggested improvements to a graph, each with the call to make next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.core import Core
from graph_memory.memory.entities.cleaning.misplaced import find_misplaced_facts
from graph_memory.memory.entities.cleaning.results import Finding, GraphHealth, Orphan, Orphans
from graph_memory.memory.entities.cleaning.similar import duplicates_among
from graph_memory.memory.entities.cleaning.survey import SurveyRow, check_list_limit, survey
from graph_memory.memory.entities.names.similar_names import SAME
from graph_memory.memory.entities.remember_results import OBSERVATION_CHOICES, question_id
from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.graph.premises import lost_premises
from graph_memory.memory.inference.contradictions import TYPE
from graph_memory.memory.inference.inference import EDGES, MAX_EDGES, EdgeRow
from graph_memory.memory.recall.recall_queries import TYPE_COUNTS
from graph_memory.memory.search.access_store import accesses_of
from graph_memory.model.events import Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import ReadyCall
from graph_memory.model.subjects.kinds import Kind, type_subject
from graph_memory.model.subjects.subjects import ENTITY
from graph_memory.model.text.wording import quote
from graph_memory.ontologies import standard_names
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

STALE = timedelta(days=180)
"""An entity that was neither changed nor used for this long is stale."""
HUB = 100
"""Minimum number of relations for an entity to be reported as a hub."""
MAX_QUESTIONS = 1_000


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """An open question from `remember`: whether a new observation supersedes a known one."""

    entity: str
    new: str
    new_text: str
    known: str
    known_text: str

    @property
    def finding(self) -> Finding:
        """A `graph_health` finding for the question, with the `decide` call that answers it."""
        reason = f"{quote(self.new_text)} may replace {quote(self.known_text)}"
        call = ReadyCall(tool="decide", arguments={"id": question_id(self.new, self.known)})
        choices = dict(OBSERVATION_CHOICES)
        return Finding(kind="open_question", about=(self.entity,), reason=reason, call=call, choices=choices)


QUESTIONS = query("entities/questions", QuestionRow)
USED_CONNECTION_TYPES = query("entities/used_types", str)


async def find_orphans(core: Core, domain: str, limit: int) -> Orphans:
    """Return entities without relations. See `Entities.find_orphans`."""
    limit = check_list_limit(limit)
    rows, _ = await survey(core, domain)
    results = orphans_among(rows)
    orphans = [
        Orphan(name=row.name, type=row.type, observations=row.observations, call=orphan_call(row))
        for row in results[:limit]
    ]
    return Orphans(orphans=tuple(orphans), found=len(results))


def orphans_among(rows: Iterable[SurveyRow]) -> list[SurveyRow]:
    """Return the entities without relations, fewest observations first."""
    return sorted((row for row in rows if not row.relations), key=lambda row: (row.observations, row.name))


def orphan_call(row: SurveyRow) -> ReadyCall:
    """Return the next call for an entity without relations: deletion if it is empty, otherwise `find_similar`."""
    if not row.observations and not row.described:
        return ReadyCall(tool="delete_entities", arguments={"entityNames": [row.name]})
    return ReadyCall(tool="find_similar", arguments={"name": row.name})


async def graph_health(core: Core, domain: str, limit: int) -> GraphHealth:
    """Return suggested improvements to a graph. See `Entities.graph_health`."""
    limit = check_list_limit(limit)
    rows, counts = await survey(core, domain)
    ontology = await core.log.ontology(domain) or Ontology()
    findings_by_check = [
        await _find_duplicates(core, domain, rows),
        [_orphan_finding(row) for row in orphans_among(rows)],
        await _find_stale(core, domain, rows),
        await find_contradictions(core, domain, ontology),
        [_hub_finding(row) for row in sorted(rows, key=lambda row: -row.relations) if row.relations >= HUB],
        await _find_lost_premises(core, domain, ontology),
        await _find_unused_types(core, domain, ontology),
        await open_questions(core, domain),
        await find_misplaced_facts(core, domain),
    ]
    kinds = {findings[0].kind: findings for findings in findings_by_check if findings}
    return GraphHealth(
        entities=counts.entities,
        observations=counts.observations,
        relations=counts.relations,
        healthy=not kinds,
        counts={kind: len(findings) for kind, findings in kinds.items()},
        findings=tuple(finding for kind in kinds.values() for finding in kind[:limit]),
        left_out=max(counts.entities - len(rows), 0),
    )


async def _find_duplicates(core: Core, domain: str, rows: Sequence[SurveyRow]) -> list[Finding]:
    return [
        Finding(
            kind="duplicate",
            about=duplicate.names,
            reason="; ".join(duplicate.reasons),
            call=duplicate.call,
            question=duplicate.question,
        )
        for duplicate in await duplicates_among(core, domain, rows, SAME)
    ]


def _orphan_finding(row: SurveyRow) -> Finding:
    reason = f"no relations, {row.observations} observation{'' if row.observations == 1 else 's'}"
    return Finding(kind="orphan", about=(row.name,), reason=reason, call=orphan_call(row))


async def _find_stale(core: Core, domain: str, rows: Sequence[SurveyRow]) -> list[Finding]:
    """Return a finding for each entity that was neither changed nor used within `STALE`, oldest change first."""
    before = utc_now() - STALE
    old_rows = sorted((row for row in rows if row.changed < before), key=lambda row: row.changed)
    accesses = await accesses_of(core, domain, [row.id for row in old_rows])
    return [_stale_finding(row) for row in old_rows if row.id not in accesses or accesses[row.id].last < before]


def _stale_finding(row: SurveyRow) -> Finding:
    reason = f"neither changed nor used since {row.changed.date().isoformat()}: still true?"
    call = ReadyCall(tool="open_nodes", arguments={"names": [row.name]})
    return Finding(kind="stale", about=(row.name,), reason=reason, call=call)


def _hub_finding(row: SurveyRow) -> Finding:
    reason = f"{row.relations:,} relations: is it several entities in one, or too general to be useful?"
    call = ReadyCall(tool="recall", arguments={"focus": [row.id], "max_tokens": 500})
    return Finding(kind="hub", about=(row.name,), reason=reason, call=call)


async def find_contradictions(core: Core, domain: str, ontology: Ontology) -> list[Finding]:
    """Return a finding for each `contradicts` connection, or none if the ontology lacks that type."""
    if ontology.find_connection_type(TYPE) is None:
        return []
    rows = await core.store.read(EDGES, domain=domain, types=[TYPE], limit=MAX_EDGES)
    reason = "a contradicts connection: they cannot both be true. Correct the wrong one, then delete the connection"
    ends = await _read_ends(core, domain, rows)
    return [_deletable_connection("contradiction", row, reason, ends) for row in rows]


async def _find_lost_premises(core: Core, domain: str, ontology: Ontology) -> list[Finding]:
    """Return a finding for each inferred connection with a premise that was deleted or has ended."""
    types = sorted({declared.name for declared in ontology.connection_types if declared.transitive})
    rows = await core.store.read(EDGES, domain=domain, types=types, limit=MAX_EDGES) if types else []
    inferred = {row.id: row for row in rows if row.method == "inferred"}
    lost = {
        subject_id: premises
        for subject_id, premises in (await lost_premises(core, domain, list(inferred))).items()
        if premises
    }
    ends = await _read_ends(core, domain, [inferred[subject_id] for subject_id in lost])
    return [
        _deletable_connection(
            "lost_premise",
            inferred[subject_id],
            f"{inferred[subject_id].type} was inferred from {', '.join(premises)}, which was deleted or has ended",
            ends,
        )
        for subject_id, premises in lost.items()
    ]


@dataclass(frozen=True, slots=True)
class _End:
    """An endpoint of a connection: the node's title, and whether the node is an entity."""

    title: str
    is_entity: bool


async def _read_ends(core: Core, domain: str, rows: Sequence[EdgeRow]) -> Mapping[str, _End]:
    ids = {end for row in rows for end in (row.from_id, row.to_id)}
    events = await states_of(core, domain, sorted(ids))
    titles = {str(event["_subject"]): (event, str(event.get("name") or event.get("_title") or "")) for event in events}
    return {
        node: _End(title or node, bool(title) and state.get(ENTITY) is not None)
        for node, (state, title) in titles.items()
    }


def _deletable_connection(kind: str, row: EdgeRow, reason: str, ends: Mapping[str, _End]) -> Finding:
    """Return a finding that suggests deleting a connection. Relations between entities are deleted by name."""
    start, end = (ends.get(node, _End(node, is_entity=False)) for node in (row.from_id, row.to_id))
    call = ReadyCall(tool="delete_connection", arguments={"connection_id": row.id})
    if start.is_entity and end.is_entity:
        relation = {"from": start.title, "to": end.title, "relationType": row.type}
        call = ReadyCall(tool="delete_relations", arguments={"relations": [relation]})
    return Finding(kind=kind, about=(start.title, end.title), reason=reason, call=call)


async def _find_unused_types(core: Core, domain: str, ontology: Ontology) -> list[Finding]:
    """Return a finding for each type without records. Unused standard connection types are not reported."""
    counts = await core.store.read(TYPE_COUNTS, domain=domain, most=1)
    used = {row.type for row in counts if row.nodes}
    names = [declared.name for declared in ontology.connection_types if declared.name not in standard_names()]
    used_names = set(await core.store.read(USED_CONNECTION_TYPES, domain=domain, types=names))
    names_by_subject = {
        type_subject(Kind.NODE_TYPE, declared.name): declared.name
        for declared in ontology.node_types
        if declared.name not in used
    }
    names_by_subject |= {type_subject(Kind.CONNECTION_TYPE, name): name for name in names if name not in used_names}
    events = map(Event.from_row, await read_in_parts(core.store, LAST_EVENTS, domain, subjects=list(names_by_subject)))
    return [_unused_finding(names_by_subject[event.draft.subject], event) for event in events]


def _unused_finding(name: str, event: Event) -> Finding:
    """Return the finding about an unused type.

    Its call reverts the declaration. If the type was changed after its declaration, the call shows its log instead.
    """
    call = ReadyCall(tool="memory_log", arguments={"subject": event.draft.subject})
    if event.draft.op is Op.CREATE:
        call = ReadyCall(tool="memory_revert", arguments={"event_ids": [event.seq], "dry_run": True})
    kind = str(event.draft.kind).replace("_", " ")
    reason = f"a {kind} without records: use it, or revert its declaration (event {event.seq})"
    return Finding(kind="unused_type", about=(name,), reason=reason, call=call)


async def open_questions(core: Core, domain: str, limit: int = MAX_QUESTIONS) -> list[Finding]:
    """Return a finding for each open question from `remember`, latest first."""
    return [row.finding for row in await core.store.read(QUESTIONS, domain=domain, limit=limit)]
