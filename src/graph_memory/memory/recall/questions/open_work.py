"""Open tasks and goals, for questions such as "What is open, what is next?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.recall.questions.phrases import SAYING_NOTHING, Period
from graph_memory.memory.recall.recall_queries import RecallRow, fetch_rows
from graph_memory.memory.search.candidate_ranking import MAX_WIDTH, rank_candidates
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.retrieval.retrieval import Scope, find_by_words
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quote
from graph_memory.model.time.times import Span, read_span
from graph_memory.model.values.properties import PropertyValue


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OPEN = _word_set(
    "open next todo todos pending outstanding due overdue unfinished remaining upcoming deadlines undecided unresolved "
    "offen ouvert ouverts pendiente pendientes aperto aperti"
)
_WORK = _word_set("task goal todo action issue bug ticket milestone deadline step reminder objective")
_ALLOWED_WORDS = (
    _OPEN
    | _WORK
    | {f"{word}s" for word in _WORK}
    | _word_set("still left and which should must need needs soon until when who whose by them each has have")
    | _word_set("was ist sind noch alles quoi qui est sont encore qué que está están queda todavía cosa è sono ancora")
)
_WORK_QUESTION = re.compile(
    r"^(?:what|which|who|list|show|anything|everything)\b.*"
    r"(?:\b(?:is|are|still|any|all) (?:still )?(?:open|due|overdue|pending|outstanding)\b"
    r"|\bto ?-?do\b|\bdo(?:es)? next\b"
    r"|\b(?:open|pending|outstanding|unfinished|remaining|next) (?:tasks?|goals?|todos?|issues?|steps?|work)\b"
    r"|\bha(?:s|ve) to (?:finish|do)\b)",
    re.IGNORECASE,
)
"""A question about open work that also has another topic."""
_STATUS = frozenset({"status", "state"})
_DUE = frozenset({"due", "due_date", "due_on", "due_at", "deadline", "target_date"})
_ASSIGNEE = frozenset({"assignee", "assigned_to", "owner", "responsible"})
_QUERY = "status open todo pending active planned blocked due deadline task goal"
_OVERDUE = re.compile(r"\b(?:overdue|past due|past (?:its|their) due date|überfällig\w*)\b", re.IGNORECASE)
_ASKS_WHEN_DUE = re.compile(r"\b(?:due|overdue|deadlines?|fällig\w*|überfällig\w*)\b", re.IGNORECASE)
_HAS_YEAR = re.compile(r"\b\d{4}\b")
"""A year. A due date with a year does not depend on the day on which it was written."""
_HITS = 100
_NO_DUE_DATE = "~"
"""A sort key that is higher than every due date."""
_MAX_EXAMPLES = 3
"""Maximum number of unreadable due dates that a note lists."""
CLOSED = _word_set(
    "answered closed done resolved settled complete completed finished cancelled canceled dropped archived"
)
"""Values of `status` and `state` that mark work as completed."""


@dataclass(frozen=True, slots=True)
class OpenWork:
    """The tasks and goals of a domain."""

    open: Sequence[RecallRow]
    """The open tasks and goals, sorted by due date. Work without a due date comes last."""
    closed: Sequence[RecallRow] = ()
    is_all: bool = True
    """Whether the two lists contain all tasks and goals of the domain."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The open work that a question asks for."""

    rows: Sequence[RecallRow]
    excluded: frozenset[str] = frozenset()
    """The ids of all other tasks and goals, which are not part of the answer."""
    notes: Sequence[str] = field(default_factory=tuple[str, ...])


def asks_for_open_work(question: str) -> bool:
    """Return whether a question asks for open or next tasks in general, without naming a topic."""
    words = re.findall(r"\w+", question.lower().replace("to do", "todo").replace("to-do", "todo"))
    return not _OPEN.isdisjoint(words) and all(word in _ALLOWED_WORDS or word in SAYING_NOTHING for word in words)


def is_closed(facts: Iterable[Sequence[PropertyValue]]) -> bool:
    """Return whether the properties, given as pairs of key and value, include a status such as `done`."""
    return any(key in _STATUS and str(value).casefold() in CLOSED for key, value in facts)


def mentions_open_work(question: str) -> bool:
    """Return whether a question asks for open work, possibly only of one person or for one purpose."""
    return _WORK_QUESTION.search(question.strip()) is not None


def asks_for_overdue_work(question: str) -> bool:
    """Return whether a question asks only for open work whose due date has passed."""
    return _OVERDUE.search(question) is not None


def due_period(question: str, period: Period | None, now: datetime) -> Period | None:
    """Return `period` if the question asks for due dates in this period, otherwise None."""
    if period is None or _ASKS_WHEN_DUE.search(question):
        return period
    is_ahead = any(end is not None and end > now for end in (period.since, period.until))
    return period if is_ahead else None


def _due_span(facts: Iterable[Sequence[PropertyValue]], now: datetime) -> Span | None:
    """Return the time span of the due date among the properties, or None if there is no valid due date.

    The span of a day ends when the next day begins.
    """
    due = due_date(facts)
    try:
        return read_span(due, now) if _HAS_YEAR.search(due) is not None else None
    except (ValueError, OverflowError):
        return None


def select_by_due_date(work: OpenWork, period: Period | None, now: datetime, *, overdue: bool) -> Selection:
    """Select the open work that is overdue, that is due in a period, or both."""
    due_span_by_id = {row.id: _due_span(row.facts, now) for row in work.open}

    def is_selected(span: Span | None) -> bool:
        is_in_period = span is not None and (period is None or period.has(span.start, span.last))
        return span is not None and is_in_period and (not overdue or span.end <= now)

    rows = [row for row in work.open if is_selected(due_span_by_id[row.id])]
    unreadable = [row for row in work.open if due_span_by_id[row.id] is None and due_date(row.facts) != _NO_DUE_DATE]
    condition = " and ".join(["overdue"] * overdue + ["due in that time"] * (period is not None))
    notes = [] if rows else [_none_note(condition, work, has_unreadable=bool(unreadable))]
    notes += [_unreadable_note(unreadable)] if unreadable else []
    excluded = {row.id for row in (*work.open, *work.closed)} - {row.id for row in rows}
    return Selection(rows, frozenset(excluded), tuple(notes))


def _none_note(condition: str, work: OpenWork, *, has_unreadable: bool) -> str:
    if not work.is_all:
        return (
            f"None of the {len(work.open):,} open tasks and goals that were found is {condition}. There may be others."
        )
    return f"No open task or goal {'with a readable due date ' if has_unreadable else ''}is {condition}."


def _unreadable_note(rows: Sequence[RecallRow]) -> str:
    examples = ", ".join(f"{quote(row.shown_title)} ({quote(due_date(row.facts))})" for row in rows[:_MAX_EXAMPLES])
    more = f" and {len(rows) - _MAX_EXAMPLES:,} more" if len(rows) > _MAX_EXAMPLES else ""
    return f"The due dates of these open tasks or goals cannot be read: {examples}{more}. Use the form 2026-12-31."


async def find_work(scope: Scope) -> OpenWork:
    """Find the tasks and goals: nodes whose type is a kind of work, and nodes with words such as `status` and `due`."""
    hits = await rank_candidates(scope, Request(_QUERY, mode="lexical", filters=scope.filters, max_results=_HITS))
    by_type, is_complete = await _ids_by_type(scope)
    rows = await fetch_rows(scope, Kind.NODE, [*dict.fromkeys((*by_type, *(hit.owner for hit in hits.ranked)))])
    work_rows = sorted(filter(_is_work, rows.values()), key=lambda row: (due_date(row.facts), row.id))
    closed_rows = [row for row in work_rows if is_closed(row.facts)]
    return OpenWork([row for row in work_rows if not is_closed(row.facts)], closed_rows, hits.is_all and is_complete)


async def _ids_by_type(scope: Scope) -> tuple[list[str], bool]:
    """Return the ids of the nodes whose type is a kind of work by its name, and whether the list is complete."""
    ontology = await scope.core.log.ontology(scope.domain)
    types = tuple(kind.name for kind in ontology.node_types if _names_work(kind.name)) if ontology else ()
    if not types:
        return [], True
    hits = await find_by_words(replace(scope, filters=replace(scope.filters, types=types)), "", MAX_WIDTH)
    return [hit.unit for hit in hits], len(hits) < MAX_WIDTH


def _names_work(type_name: str) -> bool:
    return any(word.lower() in _WORK for word in re.findall(r"[A-Z]?[a-z]+", type_name))


def _is_work(row: RecallRow) -> bool:
    """Return whether a node is a task or goal by its type, or has both a status and a due date."""
    has_status = any(key in _STATUS for key, _ in row.facts)
    return _names_work(row.type) or (has_status and due_date(row.facts) != _NO_DUE_DATE)


def due_date(facts: Iterable[Sequence[PropertyValue]]) -> str:
    """Return the due date among properties as a sort key. Properties without a due date sort last."""
    return next((str(value) for key, value in facts if key in _DUE and value), _NO_DUE_DATE)


def work_facts(facts: Iterable[tuple[str, PropertyValue]]) -> tuple[tuple[str, PropertyValue], ...]:
    """Return the properties that describe the state of a task or goal: status, due date and assignee."""
    pairs = list(facts)
    return tuple(fact for keys in (_STATUS, _DUE, _ASSIGNEE) for fact in pairs if fact[0] in keys)
