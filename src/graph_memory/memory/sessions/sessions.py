"""`session_start` and `session_end`: the knowledge for a new session, and the summary of a finished one."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.cleaning.health import contradictions, open_questions
from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.memory.entities.observations.current import has_observations
from graph_memory.memory.entity_graph.entity_queries import nodes_of
from graph_memory.memory.history.results import Sessions
from graph_memory.memory.recall.guide import GUIDE
from graph_memory.memory.recall.questions.open_work import due_date, work_facts
from graph_memory.memory.recall.recall import guided
from graph_memory.memory.recall.recall_queries import is_empty
from graph_memory.memory.recall.rendering.wording import in_facts, label
from graph_memory.memory.recall.request import MOST_TOKENS, asked
from graph_memory.memory.recall.results import Depth
from graph_memory.memory.search.candidate_ranking import rank_candidates
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.request import MIN_TOKENS, Filters, Request
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, load_counter, tokens_of
from graph_memory.memory.sessions.blocks import STANDARD, blocks_of
from graph_memory.memory.sessions.notes import Kept, Note, Wanted, find_notes, notes_of, read_notes, write_note
from graph_memory.memory.sessions.primer import Primer
from graph_memory.memory.sessions.recent_changes import read_changes
from graph_memory.memory.sessions.results import Block, SessionEnded, SessionStarted
from graph_memory.model.errors import GraphError
from graph_memory.model.events import is_whole
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.subjects import SUMMARY as SUMMARY_TYPE
from graph_memory.model.subjects.subjects import SUMMARY_KEY, NodeState
from graph_memory.model.text.wording import day, quoted, shown
from graph_memory.model.values.arguments import fault, is_encodable
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

SUMMARY = Kept(SUMMARY_TYPE, SUMMARY_KEY, "What was done in a session, and what is open")
TOKENS = 1_500
"""Default token budget of a primer."""
LEAST_TOKENS = 400
LONGEST_SUMMARY = 300
"""Maximum number of characters of each summary in a list of sessions."""
_SUMMARIES = 20
"""Maximum number of summaries among which the last one is searched for."""
_LISTED = 5
_USER = "The user"
UNFINISHED = query("sessions/unfinished", str)
"""The ids of nodes of types whose status is not closed, newest first."""
_CHANGES, _CHANGES_BESIDE = 0.6, 0.3
"""The share of the remaining tokens for the newest changes; the same with a project."""
_GOALS = frozenset({"goal", "agentgoal", "goals", "objective", "milestone", "todo", "task"})
_REACHED = frozenset({"answered", "abandoned", "cancelled", "closed", "completed", "done", "reached", "resolved"})
_OF_QUESTIONS = 0.4
"""The share of a reply for questions with their calls."""
_BESIDE = 120
"""Number of tokens of a reply beside its text and questions: numbers, session, and a warning or two."""
_PATIENCE = 1.0
"""Seconds for which new changes are indexed before a project is recalled."""
_PART = 0.5
"""The share of the remaining tokens for the last summary."""
_OF_PROJECT = 0.7
"""The share of the remaining tokens for what is known about the project."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of `session_start`. Raises INVALID_ARGUMENT."""

    session_id: str | None
    project: str | None
    max_tokens: int = TOKENS

    def __post_init__(self) -> None:
        for argument, given in (("session_id", self.session_id), ("project", self.project)):
            if given is not None and not (isinstance(given, str) and given.strip() and is_encodable(given)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
                raise fault(argument, f"{argument} is {quoted(given)}", "Use a text, or omit it.")
        if type(self.max_tokens) is not int or not LEAST_TOKENS <= self.max_tokens <= MOST_TOKENS:
            hint = f"Use a whole number from {LEAST_TOKENS} to {MOST_TOKENS:,}."
            raise fault("max_tokens", f"max_tokens is {self.max_tokens!r}", hint)


async def session_start(core: Core, domain: str, given: Asked) -> SessionStarted:
    """Return the knowledge for the start of a session. See `Entities.session_start`."""
    count = await anyio.to_thread.run_sync(load_counter)
    session = given.session_id or core.origin.session
    corrections = [f"- {line}" for line in await core.corrections(core, None)]
    if await is_empty(core, domain):
        primer = Primer(count, given.max_tokens - count(GUIDE))
        primer.section(_USER, corrections)
        text = "\n".join([*primer.lines, *([""] if primer.lines else []), GUIDE])
        return SessionStarted(session_id=session, empty=True, text=text, tokens=count(text))
    ontology = await core.log.ontology(domain) or Ontology()
    asking = await open_questions(core, domain, _LISTED)
    against = (await contradictions(core, domain, ontology))[:_LISTED]
    questions, beside = _questions([*asking, *against], given.max_tokens)
    primer = Primer(lambda text: count(json.dumps(text, ensure_ascii=False)[1:-1]), given.max_tokens - beside)
    primer.section(_USER, corrections, primer.left // 4)
    unreadable: list[GraphError] = []
    lost_summaries: list[GraphError] = []
    blocks, last = await blocks_of(core, domain, unreadable), await _last_summary(core, domain, given, lost_summaries)
    for block in _ordered(blocks, given.project):
        head = block.label if block.label in STANDARD else f"Block {label(block.label)}"
        primer.quotation(head, block.text, "get_block")
    if last is not None:
        when, how = f"Summary as of {day(last.node.modified)}:", f"recall with focus {last.node.id}"
        primer.quotation("Last time", last.text, how, [when], _PART)
    lines = {one for one in (*(block.id for block in blocks), last and last.node.id) if one}
    changes = await read_changes(core, domain, given.project)
    goals = await _goals(core, domain, ontology)
    lines |= {goal.id for goal in goals if not goal.has_observations}
    telling = _Telling(core, domain, primer, lines)
    needed = primer.needed({"Goals": [goal.line(changes.new) for goal in goals]})
    of_changes = max(int((primer.left - needed) * (_CHANGES_BESIDE if given.project else _CHANGES)), 0)
    warnings = [f"{error.message}. It is omitted." for error in unreadable] + _warn_of_summaries(lost_summaries)
    warnings += await telling.of_project(given.project, needed + of_changes) if given.project else []
    goals = [goal for goal in goals if not (goal.has_observations and goal.id in telling.told)]
    warnings += await telling.recalled("What this memory holds", "shallow", None, primer.left // 2)
    lines |= changes.put(primer, of_changes, {goal.id for goal in goals})
    primer.section("Goals", [goal.line(changes.new) for goal in goals])
    warnings += await telling.recalled("Facts about what is used most", "medium", None, primer.left)
    started = SessionStarted(
        session_id=session,
        empty=False,
        text=primer.text,
        tokens=count(primer.text),
        left_out=primer.left_out + len(asking) + len(against) - len(questions),
        questions=tuple(questions) or None,
    )
    return with_warnings(started, warnings, given.max_tokens)


def with_warnings(started: SessionStarted, warnings: Sequence[str], most: int) -> SessionStarted:
    """Return the reply with the warnings that fit into a token budget.

    Long warnings are cut, and others count as left out.
    """
    kept: tuple[str, ...] = ()
    left_out = started.left_out or 0
    for warning in dict.fromkeys(warnings):
        lengths = (warning, *(f"{warning[:length]}…" for length in LENGTHS if length < len(warning)))
        tried = (started.model_copy(update={"warnings": (*kept, length)}) for length in lengths)
        texts = next((one.warnings for one in tried if tokens_of([one]) <= most), None)
        kept, left_out = (texts, left_out) if texts else (kept, left_out + 1)
    return started.model_copy(update={"warnings": kept or None, "left_out": left_out or None})


def _questions(findings: Sequence[Finding], most: int) -> tuple[Sequence[Finding], int]:
    """Return the questions that fit beside the text, and the number of tokens beside the text."""
    kept = fit_whole(lambda _, number: findings[:number], 1, len(findings), int(most * _OF_QUESTIONS), tokens_of)
    return kept, tokens_of(kept) + _BESIDE if kept else _BESIDE


def _ordered(blocks: Sequence[Block], project: str | None) -> list[Block]:
    """Return the blocks with texts. The block of the project comes directly after the standard ones."""
    told = [block for block in blocks if block.text]
    return sorted(told, key=lambda block: block.label not in ("persona", "human", "project", project))


async def _last_summary(core: Core, domain: str, given: Asked, unreadable: list[GraphError]) -> Note | None:
    """Return the last readable summary of this session, or of the project, or of any session.

    Adds the errors of unreadable summaries that it skips.
    """
    find_summaries = partial(find_notes, core.store, domain, SUMMARY)
    own = await find_summaries(keys=[given.session_id], limit=1) if given.session_id else []
    if note := await _first_readable(core, domain, own, unreadable):
        return note
    tried = {node.id for node in own}
    nodes = [node for node in await find_summaries(limit=_SUMMARIES) if node.id not in tried]
    if given.project:
        nodes.sort(key=lambda node: node.properties.get("project") != given.project)
    return await _first_readable(core, domain, nodes, unreadable)


async def _first_readable(
    core: Core, domain: str, nodes: Sequence[NodeState], unreadable: list[GraphError]
) -> Note | None:
    for node in nodes:
        if notes := await read_notes(core, core.store, domain, SUMMARY, [node], unreadable):
            return notes[0]
    return None


def _warn_of_summaries(unreadable: Sequence[GraphError]) -> list[str]:
    """Return one warning for all summaries that cannot be read, with the error of the first."""
    if not unreadable:
        return []
    others = len(unreadable) - 1
    noun = "summary" if others == 1 else "summaries"
    left_out = f"It and {others:,} other {noun} are omitted." if others else "It is omitted."
    return [f"{unreadable[0].message}. {left_out}"]


@dataclass(frozen=True, slots=True)
class _Telling:
    """Adds recalls to a primer, without the subjects that it already shows."""

    core: Core
    domain: str
    primer: Primer
    told: set[str]

    async def of_project(self, project: str, needed: int) -> Sequence[str]:
        """Add what is known about a project, if a matching subject is not shown yet. Returns warnings.

        New changes are indexed for a moment only, without vectors. Leaves `needed` tokens for other sections, and a
        share for other facts.
        """
        covered = await catch_up(self.core, self.domain, within=_PATIENCE, vectors=False, handful_within=0.0)
        scope = Scope(self.core, self.domain, None, covered, Filters(), self.domain)
        request = Request(query=project, mode="lexical", max_results=len(self.told) + 1)
        ranking = await rank_candidates(scope, request)
        notes: Sequence[str] = ()
        if not self.told.issuperset(ranked.owner for ranked in ranking.ranked):
            room = max(self.primer.left - needed, self.primer.left // 2)
            notes = await self.recalled(f"About {shown(project)}", "medium", project, int(room * _OF_PROJECT))
        notes = [*covered.warnings, *notes]
        if covered.behind:
            missing = f"The last {covered.behind:,} changes are not indexed yet, so their facts about {quoted(project)}"
            return [*notes, f"{missing} are missing. Use recall in a moment."]
        return notes if ranking.ranked else [*notes, f"Nothing is known about {quoted(project)} yet."]

    async def recalled(self, head: str, depth: Depth, query: str | None, room: int) -> Sequence[str]:
        """Add a recall within a token budget. Returns its warnings."""
        room -= self.primer.needed({head: []})
        if room < MIN_TOKENS:
            self.primer.left_out += 1
            return ()
        request = asked(depth, query, None, room, "prose", None, None, None, None)
        request = replace(request, told=frozenset(self.told), in_primer=True, waits=False)
        result, material = await guided(self.core, self.domain, request)
        if not (material.things or material.lists or material.counts):
            return ()
        lines = [line for line in str(result.content).splitlines() if line.strip()]
        is_known = lines[0] in self.primer.lines  # the note on quotation marks is shown once
        self.primer.section(head, lines[1:] if is_known else lines)
        self.told.update(material.told)
        return result.warnings or ()


@dataclass(frozen=True, slots=True)
class _Goal:
    """An unfinished goal: its title, status, due date and assignee."""

    id: str
    title: str
    facts: tuple[tuple[str, PropertyValue], ...]
    has_observations: bool

    def line(self, new: Collection[str]) -> str:
        """Return the line of the goal. `new` has the ids of records that are new since the last session."""
        about = ", ".join(filter(None, ("new" if self.id in new else "", in_facts(self.facts))))
        return f"- {label(self.title)}{f' ({about})' if about else ''}"


async def _goals(core: Core, domain: str, ontology: Ontology) -> list[_Goal]:
    """Return the unfinished goals by their due dates."""
    names = [type_.name for type_ in ontology.node_types if type_.name.casefold() in _GOALS]
    ids = await core.store.read(UNFINISHED, domain=domain, types=names, closed=sorted(_REACHED), limit=100)
    now = utc_now()
    left = [node for node in await nodes_of(core.store, domain, ids) if node.validity.ended_by(now) is None]
    left.sort(key=lambda node: due_date(node.properties.items()))
    goals: list[_Goal] = []
    for node in left[:_LISTED]:
        title = str(node.properties.get("name") or node.shown_title)
        facts = work_facts(node.properties.items())
        goals.append(_Goal(node.id, title, facts, await has_observations(core.store, domain, node.id)))
    return goals


async def with_summaries(core: Core, domain: str, found: Sessions) -> Sessions:
    """Return sessions with the summaries that `session_end` stored."""
    keys = [session.session for session in found.sessions if session.session is not None]
    read = partial(notes_of, core, core.store, domain, SUMMARY, unreadable=[])
    notes = await read(keys=keys, limit=len(keys)) if keys else []
    texts = {note.properties[SUMMARY.key]: _cut(note.text) for note in notes}
    sessions = (session.model_copy(update={"summary": texts.get(session.session or "")}) for session in found.sessions)
    return Sessions(sessions=tuple(sessions))


def _cut(summary: str) -> str:
    return summary if len(summary) <= LONGEST_SUMMARY else f"{summary[:LONGEST_SUMMARY].rstrip()}…"


async def session_end(
    core: Core, domain: str, summary: str, session_id: str | None, project: str | None
) -> SessionEnded:
    """Store the summary of a session. See `Entities.session_end`."""
    given = Asked(session_id, project)
    if not isinstance(summary, str) or not summary.strip() or not is_encodable(summary):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault("summary", "There is no summary", "Use a few lines: what was done, decided, and is open.")
    session = given.session_id or core.origin.session

    def decide(_: Note | None) -> Wanted:
        rendered = {SUMMARY.key: session, "project": project}
        is_named = session is not None and not is_whole(session)
        title = f"Session {session}" if is_named else f"Session of {utc_now():%Y-%m-%d %H:%M}"
        return Wanted(summary.strip(), title, {key: value for key, value in rendered.items() if value is not None})

    done = await write_note(core, domain, "session_end", SUMMARY, session, decide)
    asking = await open_questions(core, domain)
    return SessionEnded(session_id=session, id=done.id, changed=done.changed, open_questions=len(asking) or None)
