"""`session_start` and `session_end`: the knowledge for a new session, and the summary of a finished one."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.cleaning.health import find_contradictions, open_questions
from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.memory.entities.observations.current import has_observations
from graph_memory.memory.entity_graph.entity_queries import nodes_of
from graph_memory.memory.history.results import Sessions
from graph_memory.memory.recall.guide import GUIDE
from graph_memory.memory.recall.questions.open_work import due_date, work_facts
from graph_memory.memory.recall.recall import recall_with_guide
from graph_memory.memory.recall.recall_queries import is_empty
from graph_memory.memory.recall.rendering.wording import quote_label, render_facts
from graph_memory.memory.recall.request import MOST_TOKENS, recall_request
from graph_memory.memory.recall.results import Depth
from graph_memory.memory.search.candidate_ranking import rank_candidates
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.request import MIN_TOKENS, Filters, Request
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, load_counter, tokens_of
from graph_memory.memory.sessions.blocks import STANDARD, blocks_of
from graph_memory.memory.sessions.notes import DesiredNote, Note, NoteKind, find_notes, notes_of, read_notes, write_note
from graph_memory.memory.sessions.primer import Primer
from graph_memory.memory.sessions.recent_changes import read_changes
from graph_memory.memory.sessions.results import DEFAULT_TOKENS, Block, SessionEndResult, SessionStartResult
from graph_memory.model.errors import GraphError
from graph_memory.model.events import is_generated_id
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.subjects import SUMMARY as SUMMARY_TYPE
from graph_memory.model.subjects.subjects import SUMMARY_KEY, NodeState
from graph_memory.model.text.wording import format_day, printable, quote
from graph_memory.model.time.clock import in_utc, rfc3339
from graph_memory.model.values.arguments import invalid_argument, is_encodable
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

SUMMARY = NoteKind(SUMMARY_TYPE, SUMMARY_KEY, "A summary of a session: completed work and open questions")
_ENDED = "ended"
"""The property of a summary with the end of an earlier session as ISO 8601, by which summaries are sorted."""
MIN_TOKENS_OF_START = 400
MAX_SUMMARY_LENGTH = 300
"""Maximum number of characters of each summary in a list of sessions."""
_MAX_SUMMARIES = 20
"""Maximum number of summaries that are read to find the project's last summary."""
_MAX_LISTED = 5
_USER = "The user"
UNFINISHED = query("sessions/unfinished", str)
"""The ids of the nodes of given types whose status is not closed, newest first."""
_CHANGES_SHARE, _CHANGES_SHARE_WITH_PROJECT = 0.6, 0.3
"""The share of the remaining tokens for the newest changes: if no project is given, and if one is given."""
_GOALS = frozenset({"goal", "agentgoal", "goals", "objective", "milestone", "todo", "task"})
_FINISHED = frozenset({"answered", "abandoned", "cancelled", "closed", "completed", "done", "reached", "resolved"})
_QUESTIONS_SHARE = 0.4
"""The maximum share of a reply's tokens for open questions with their calls."""
_OTHER_TOKENS = 120
"""Number of tokens that a reply takes in addition to its text and questions: numbers, session, and two warnings."""
_INDEXING_SECONDS = 1.0
"""Maximum number of seconds for indexing new changes before a project is recalled."""
_SUMMARY_SHARE = 0.5
"""The share of the remaining tokens for the last summary."""
_PROJECT_SHARE = 0.7
"""The share of the remaining tokens for facts about the project."""


@dataclass(frozen=True, slots=True)
class StartRequest:
    """The arguments of `session_start`. Raises INVALID_ARGUMENT if a string is blank or `max_tokens` is invalid."""

    session_id: str | None
    project: str | None
    max_tokens: int = DEFAULT_TOKENS
    without_types: frozenset[str] = frozenset()
    """Node types that are excluded from changes and recalls."""

    def __post_init__(self) -> None:
        for argument, value in (("session_id", self.session_id), ("project", self.project)):
            if value is not None and not (isinstance(value, str) and value.strip() and is_encodable(value)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
                raise invalid_argument(
                    argument, f"{argument} cannot be {quote(value)}", "Pass a non-blank string, or omit it."
                )
        if type(self.max_tokens) is not int or not MIN_TOKENS_OF_START <= self.max_tokens <= MOST_TOKENS:
            hint = f"Use a whole number from {MIN_TOKENS_OF_START} to {MOST_TOKENS:,}."
            raise invalid_argument("max_tokens", f"max_tokens cannot be {self.max_tokens!r}", hint)


async def session_start(core: Core, domain: str, request: StartRequest) -> SessionStartResult:
    """Return the knowledge for the start of a session. See `Entities.session_start`."""
    count = await anyio.to_thread.run_sync(load_counter)
    session = request.session_id or core.origin.session
    corrections = [f"- {line}" for line in await core.corrections(core, None)]
    if await is_empty(core, domain):
        primer = Primer(count, request.max_tokens - count(GUIDE))
        primer.add_section(_USER, corrections)
        text = "\n".join([*primer.lines, *([""] if primer.lines else []), GUIDE])
        return SessionStartResult(session_id=session, empty=True, text=text, tokens=count(text))
    ontology = await core.log.ontology(domain) or Ontology()
    open_questions_found = await open_questions(core, domain, _MAX_LISTED)
    contradictions_found = (await find_contradictions(core, domain, ontology))[:_MAX_LISTED]
    questions, other_tokens = _fit_questions([*open_questions_found, *contradictions_found], request.max_tokens)
    primer = Primer(lambda text: count(json.dumps(text, ensure_ascii=False)[1:-1]), request.max_tokens - other_tokens)
    primer.add_section(_USER, corrections, primer.left // 4)
    unreadable: list[GraphError] = []
    lost_summaries: list[GraphError] = []
    blocks, last = await blocks_of(core, domain, unreadable), await _last_summary(core, domain, request, lost_summaries)
    for block in _sort_blocks(blocks, request.project):
        head = block.label if block.label in STANDARD else f"Block {quote_label(block.label)}"
        primer.add_quotation(head, block.text, "get_block")
    if last is not None:
        when, how = f"Summary as of {format_day(_end_of(last.node))}:", f"recall with focus {last.node.id}"
        primer.add_quotation("Last time", last.text, how, [when], _SUMMARY_SHARE)
    shown_ids = {node for node in (*(block.id for block in blocks), last and last.node.id) if node}
    changes = await read_changes(core, domain, request.project, request.session_id, request.without_types)
    goals = await _read_goals(core, domain, ontology)
    shown_ids |= {goal.id for goal in goals if not goal.has_observations}
    recaller = _Recaller(core, domain, primer, shown_ids, request.without_types)
    tokens_for_goals = primer.count_sections({"Goals": [goal.line(changes.new) for goal in goals]})
    share = _CHANGES_SHARE_WITH_PROJECT if request.project else _CHANGES_SHARE
    tokens_for_changes = max(int((primer.left - tokens_for_goals) * share), 0)
    warnings = [f"{error.message}. It is omitted." for error in unreadable] + _warn_of_summaries(lost_summaries)
    if request.project:
        warnings += await recaller.add_project(request.project, tokens_for_goals + tokens_for_changes)
    goals = [goal for goal in goals if not (goal.has_observations and goal.id in recaller.shown_ids)]
    warnings += await recaller.add_recall("What this memory holds", "shallow", None, primer.left // 2)
    shown_ids |= changes.add_to(primer, tokens_for_changes, {goal.id for goal in goals})
    primer.add_section("Goals", [goal.line(changes.new) for goal in goals])
    warnings += await recaller.add_recall("Facts about the most used entities", "medium", None, primer.left)
    started = SessionStartResult(
        session_id=session,
        empty=False,
        text=primer.text,
        tokens=count(primer.text),
        left_out=primer.left_out + len(open_questions_found) + len(contradictions_found) - len(questions),
        questions=tuple(questions) or None,
    )
    return with_warnings(started, warnings, request.max_tokens)


def with_warnings(started: SessionStartResult, warnings: Sequence[str], max_tokens: int) -> SessionStartResult:
    """Return the reply with the warnings that fit into a token budget.

    Long warnings are cut. Warnings that do not fit are only counted.
    """
    fitting_warnings: tuple[str, ...] = ()
    left_out = started.left_out or 0
    for warning in dict.fromkeys(warnings):
        lengths = (warning, *(f"{warning[:length]}…" for length in LENGTHS if length < len(warning)))
        candidates = (started.model_copy(update={"warnings": (*fitting_warnings, length)}) for length in lengths)
        texts = next((candidate.warnings for candidate in candidates if tokens_of([candidate]) <= max_tokens), None)
        fitting_warnings, left_out = (texts, left_out) if texts else (fitting_warnings, left_out + 1)
    return started.model_copy(update={"warnings": fitting_warnings or None, "left_out": left_out or None})


def _fit_questions(findings: Sequence[Finding], max_tokens: int) -> tuple[Sequence[Finding], int]:
    """Return the questions that fit into the reply, and the reply's number of tokens without its text."""
    kept = fit_whole(
        lambda _, number: findings[:number], 1, len(findings), int(max_tokens * _QUESTIONS_SHARE), tokens_of
    )
    return kept, tokens_of(kept) + _OTHER_TOKENS if kept else _OTHER_TOKENS


def _sort_blocks(blocks: Sequence[Block], project: str | None) -> list[Block]:
    """Return the blocks that have text. The project's block follows the standard blocks."""
    blocks_with_text = [block for block in blocks if block.text]
    return sorted(blocks_with_text, key=lambda block: block.label not in (*STANDARD, project))


async def _last_summary(core: Core, domain: str, request: StartRequest, unreadable: list[GraphError]) -> Note | None:
    """Return the last readable summary of this session, or of the project, or of any session, or None.

    Skips unreadable summaries, and adds their errors to `unreadable`.
    """
    find_summaries = partial(find_notes, core.store, domain, SUMMARY)
    of_session = await find_summaries(keys=[request.session_id], limit=1) if request.session_id else []
    if note := await _first_readable(core, domain, of_session, unreadable):
        return note
    tried_ids = {node.id for node in of_session}
    nodes = [node for node in await find_summaries(limit=_MAX_SUMMARIES) if node.id not in tried_ids]
    if request.project:
        nodes.sort(key=lambda node: node.properties.get("project") != request.project)
    return await _first_readable(core, domain, nodes, unreadable)


async def _first_readable(
    core: Core, domain: str, nodes: Sequence[NodeState], unreadable: list[GraphError]
) -> Note | None:
    for node in nodes:
        if notes := await read_notes(core, core.store, domain, SUMMARY, [node], unreadable):
            return notes[0]
    return None


def _warn_of_summaries(unreadable: Sequence[GraphError]) -> list[str]:
    """Return one warning about all unreadable summaries, with the first error. If there are none, return no warning."""
    if not unreadable:
        return []
    others = len(unreadable) - 1
    noun = "summary" if others == 1 else "summaries"
    left_out = f"It and {others:,} other {noun} are omitted." if others else "It is omitted."
    return [f"{unreadable[0].message}. {left_out}"]


@dataclass(frozen=True, slots=True)
class _Recaller:
    """Adds recalls to a primer, without the subjects that it already shows."""

    core: Core
    domain: str
    primer: Primer
    shown_ids: set[str]
    without_types: frozenset[str]

    async def add_project(self, project: str, needed: int) -> Sequence[str]:
        """Add facts about a project, if a matching subject is not shown yet. Returns warnings.

        Waits only briefly for the word index, and not for vectors. Leaves `needed` tokens for other sections, and a
        share of the remaining tokens for other facts.
        """
        coverage_of_index = await catch_up(
            self.core, self.domain, within=_INDEXING_SECONDS, vectors=False, handful_within=0.0
        )
        scope = Scope(self.core, self.domain, None, coverage_of_index, Filters(), self.domain)
        request = Request(query=project, mode="lexical", max_results=len(self.shown_ids) + 1)
        ranking = await rank_candidates(scope, request)
        notes: Sequence[str] = ()
        if not self.shown_ids.issuperset(ranked.owner for ranked in ranking.ranked):
            room = max(self.primer.left - needed, self.primer.left // 2)
            notes = await self.add_recall(f"About {printable(project)}", "medium", project, int(room * _PROJECT_SHARE))
        notes = [*coverage_of_index.warnings, *notes]
        if behind := coverage_of_index.behind:
            missing = f"The last {behind:,} changes are not indexed yet, so their facts about {quote(project)}"
            return [*notes, f"{missing} are missing. Use recall in a moment."]
        return notes if ranking.ranked else [*notes, f"Nothing is known about {quote(project)} yet."]

    async def add_recall(self, head: str, depth: Depth, query: str | None, room: int) -> Sequence[str]:
        room -= self.primer.count_sections({head: []})
        if room < MIN_TOKENS:
            self.primer.left_out += 1
            return ()
        request = recall_request(depth, query, None, room, "prose", None, None, None, None)
        request = replace(request, reported=frozenset(self.shown_ids), in_primer=True, waits_for_index=False)
        request = replace(request, without_types=self.without_types)
        result, material = await recall_with_guide(self.core, self.domain, request)
        if not (material.items or material.lists or material.counts):
            return ()
        lines = [line for line in str(result.content).splitlines() if line.strip()]
        is_known = lines[0] in self.primer.lines  # the note on quotation marks is shown once
        self.primer.add_section(head, lines[1:] if is_known else lines)
        self.shown_ids.update(material.reported)
        return result.warnings or ()


@dataclass(frozen=True, slots=True)
class _Goal:
    id: str
    title: str
    facts: tuple[tuple[str, PropertyValue], ...]
    has_observations: bool

    def line(self, new: Collection[str]) -> str:
        """Return the goal as a line of the primer.

        `new` contains the ids of the records created since the last session.
        """
        about = ", ".join(filter(None, ("new" if self.id in new else "", render_facts(self.facts))))
        return f"- {quote_label(self.title)}{f' ({about})' if about else ''}"


async def _read_goals(core: Core, domain: str, ontology: Ontology) -> list[_Goal]:
    """Return the unfinished goals, ordered by due date."""
    names = [declared.name for declared in ontology.node_types if declared.name.casefold() in _GOALS]
    ids = await core.store.read(UNFINISHED, domain=domain, types=names, closed=sorted(_FINISHED), limit=100)
    now = utc_now()
    current = [node for node in await nodes_of(core.store, domain, ids) if node.validity.end_if_past(now) is None]
    current.sort(key=lambda node: due_date(node.properties.items()))
    goals: list[_Goal] = []
    for node in current[:_MAX_LISTED]:
        title = str(node.properties.get("name") or node.shown_title)
        facts = work_facts(node.properties.items())
        goals.append(_Goal(node.id, title, facts, await has_observations(core.store, domain, node.id)))
    return goals


async def with_summaries(core: Core, domain: str, sessions_found: Sessions) -> Sessions:
    """Return the sessions with the summaries that `session_end` stored."""
    keys = [session.session for session in sessions_found.sessions if session.session is not None]
    read = partial(notes_of, core, core.store, domain, SUMMARY, unreadable=[])
    notes = await read(keys=keys, limit=len(keys)) if keys else []
    texts = {note.properties[SUMMARY.key]: _shorten(note.text) for note in notes}
    sessions = (
        session.model_copy(update={"summary": texts.get(session.session or "")}) for session in sessions_found.sessions
    )
    return Sessions(sessions=tuple(sessions))


def _shorten(summary: str) -> str:
    return summary if len(summary) <= MAX_SUMMARY_LENGTH else f"{summary[:MAX_SUMMARY_LENGTH].rstrip()}…"


def _end_of(summary: NodeState) -> datetime:
    """Return the time at which a summary's session ended, or else the time at which the summary was last changed."""
    try:
        return in_utc(datetime.fromisoformat(str(summary.properties.get(_ENDED))))
    except ValueError:
        return summary.modified


async def session_end(
    core: Core, domain: str, summary: str, session_id: str | None, project: str | None, ended: datetime | None = None
) -> SessionEndResult:
    """Store the summary of a session. See `Entities.session_end`."""
    request = StartRequest(session_id, project)
    if not isinstance(summary, str) or not summary.strip() or not is_encodable(summary):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument(
            "summary", "summary is blank", "Write a few lines: completed work, decisions, open questions."
        )
    session = request.session_id or core.origin.session
    now = utc_now()

    def decide(before: Note | None) -> DesiredNote:
        end = now if ended is None and before is not None and _ENDED in before.properties else ended
        properties = {SUMMARY.key: session, "project": project, _ENDED: end and rfc3339(in_utc(end))}
        is_named = session is not None and not is_generated_id(session)
        title = f"Session {session}" if is_named else f"Session of {now:%Y-%m-%d %H:%M}"
        return DesiredNote(
            summary.strip(), title, {key: value for key, value in properties.items() if value is not None}
        )

    written = await write_note(core, domain, "session_end", SUMMARY, session, decide)
    questions = await open_questions(core, domain)
    return SessionEndResult(
        session_id=session, summary_id=written.id, changed=written.changed, open_questions=len(questions) or None
    )
