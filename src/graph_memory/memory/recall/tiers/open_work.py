"""Open tasks and goals, for questions such as "What is open, what is next?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from graph_memory.memory.recall.finding import find
from graph_memory.memory.recall.request import Request
from graph_memory.memory.recall.retrieval import Scope
from graph_memory.memory.recall.tiers.phrases import SAYING_NOTHING
from graph_memory.memory.recall.tiers.reading import ToldRow, told_of
from graph_memory.model.kinds import Kind
from graph_memory.model.properties import PropertyValue
from graph_memory.model.times import read_span


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OPEN = _set_of(
    "open next todo todos pending outstanding due overdue unfinished remaining upcoming deadlines undecided unresolved "
    "offen ouvert ouverts pendiente pendientes aperto aperti"
)
_WORK = _set_of("task goal todo action issue bug ticket milestone deadline step reminder objective")
_BESIDE = (
    _OPEN
    | _WORK
    | {f"{word}s" for word in _WORK}
    | _set_of("still left and which should must need needs soon until when who whose by them each has have")
    | _set_of("was ist sind noch alles quoi qui est sont encore qué que está están queda todavía cosa è sono ancora")
)
_ABOUT = re.compile(
    r"^(?:what|which|who|list|show|anything|everything)\b.*"
    r"(?:\b(?:is|are|still|any|all) (?:still )?(?:open|due|overdue|pending|outstanding)\b"
    r"|\bto ?-?do\b|\bdo(?:es)? next\b"
    r"|\b(?:open|pending|outstanding|unfinished|remaining|next) (?:tasks?|goals?|todos?|issues?|steps?|work)\b"
    r"|\bha(?:s|ve) to (?:finish|do)\b)",
    re.IGNORECASE,
)
"""A question about open work that also names something else."""
_STATUS = frozenset({"status", "state"})
_DUE = frozenset({"due", "due_date", "due_on", "due_at", "deadline", "target_date"})
_ASSIGNEE = frozenset({"assignee", "assigned_to", "owner", "responsible"})
_QUERY = "status open todo pending active planned blocked due deadline task goal"
_OVERDUE = re.compile(r"\b(?:overdue|past due|past (?:its|their) due date|überfällig\w*)\b", re.IGNORECASE)
_HAS_YEAR = re.compile(r"\b\d{4}\b")
"""What a due date has that does not depend on the day on which it was written."""
_HITS = 100
_LAST = "~"
CLOSED = _set_of(
    "answered closed done resolved settled complete completed finished cancelled canceled dropped archived"
)
"""Values of `status` and `state` that say that nothing remains to be done."""


def asks_for_open_work(question: str) -> bool:
    """Return whether a question asks what is open or next, and names nothing else."""
    words = re.findall(r"\w+", question.lower().replace("to do", "todo").replace("to-do", "todo"))
    return not _OPEN.isdisjoint(words) and all(word in _BESIDE or word in SAYING_NOTHING for word in words)


def is_closed(facts: Iterable[Sequence[PropertyValue]]) -> bool:
    """Return whether properties, as pairs of key and value, have a status that says that nothing remains to be done."""
    return any(key in _STATUS and str(value).casefold() in CLOSED for key, value in facts)


def mentions_open_work(question: str) -> bool:
    """Return whether a question asks for open work, perhaps of somebody or for something."""
    return _ABOUT.search(question.strip()) is not None


def asks_for_overdue_work(question: str) -> bool:
    """Return whether a question asks only for open work whose due date is over."""
    return _OVERDUE.search(question) is not None


def is_overdue(facts: Iterable[Sequence[PropertyValue]], now: datetime) -> bool:
    """Return whether the due date among properties is over. A day is over when the next one begins."""
    due = due_date(facts)
    try:
        return _HAS_YEAR.search(due) is not None and read_span(due, now).ends <= now
    except (ValueError, OverflowError):
        return False


async def open_work(scope: Scope) -> list[ToldRow]:
    """Return the tasks and goals that are open, by their due dates; those without one are last."""
    hits = await find(scope, Request(_QUERY, mode="lexical", filters=scope.filters, max_results=_HITS))
    rows = await told_of(scope, Kind.NODE, [hit.owner for hit in hits.ranked[:_HITS]])
    found = [row for row in rows.values() if _is_work(row) and not is_closed(row.facts)]
    return sorted(found, key=lambda row: (due_date(row.facts), row.id))


def _is_work(row: ToldRow) -> bool:
    """Return whether a node is a task or goal by its type, or has a status and a due date."""
    words = re.findall(r"[A-Z]?[a-z]+", row.type)
    has_status = any(key in _STATUS for key, _ in row.facts)
    return any(word.lower() in _WORK for word in words) or (has_status and due_date(row.facts) != _LAST)


def due_date(facts: Iterable[Sequence[PropertyValue]]) -> str:
    """Return the due date among properties, such that those without one are sorted last."""
    return next((str(value) for key, value in facts if key in _DUE and value), _LAST)


def work_facts(facts: Iterable[tuple[str, PropertyValue]]) -> tuple[tuple[str, PropertyValue], ...]:
    """Return the properties that say how a task or goal stands: its status, due date and assignee."""
    told = list(facts)
    return tuple(fact for keys in (_STATUS, _DUE, _ASSIGNEE) for fact in told if fact[0] in keys)
