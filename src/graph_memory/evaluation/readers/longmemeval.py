"""LongMemEval: one history of chat sessions per question (github.com/xiaowu0162/LongMemEval)."""

from __future__ import annotations

from dataclasses import replace

from graph_memory.evaluation.cases import Haystack, Question, Session, Turn, ask_last
from graph_memory.evaluation.readers.fields import Record, as_list, as_records
from graph_memory.memory.transfer.formats.records import UnreadableSource

_ABSTENTION = "_abs"


def is_longmemeval(record: Record) -> bool:
    """Return whether the record is a LongMemEval question."""
    return "haystack_sessions" in record


def read_haystack(record: Record) -> Haystack:
    """Return the history of a question, oldest session first. Raises UnreadableSource.

    The publishers do not evaluate retrieval for abstention questions, so these have no labels here.
    """
    ids, dates = record.texts("haystack_session_ids"), record.texts("haystack_dates")
    histories = as_list(record.values.get("haystack_sessions"), record.at("haystack_sessions"))
    if not len(ids) == len(dates) == len(histories):
        message = f"{len(histories)} sessions have {len(ids)} ids and {len(dates)} dates"
        raise UnreadableSource(record.at("haystack_sessions"), message, "Each session needs one of each.")
    sessions: list[Session] = []
    gold: dict[str, str] = {}
    for number, (id_, date, history) in enumerate(zip(ids, dates, histories, strict=True), 1):
        place = replace(record.place, element=f"{record.place.element or 'record'}: session {number}, turn")
        turns: list[Turn] = []
        for position, turn in enumerate(as_records(history, place), 1):
            text = turn.text("content")
            turns.append(Turn(f"{number}/{position}", text, date, is_agent=turn.text("role") == "assistant"))
            if turn.values.get("has_answer") is True:
                gold[turns[-1].id] = text
        sessions.append(Session(id_, turns))
    sessions.sort(key=lambda session: session.turns[0].at.isoformat() if session.turns and session.turns[0].at else "")
    name = record.text("question_id")
    question = Question(record.text("question_type", "unknown"), record.statement("question"))
    if name.endswith(_ABSTENTION):
        question = replace(question, kind="abstention")
    else:
        labelled = frozenset(record.texts("answer_session_ids"))
        question = replace(question, turns=frozenset(gold), sessions=labelled, evidence=tuple(gold.values()))
    return Haystack(name, ask_last(sessions, [question]))
