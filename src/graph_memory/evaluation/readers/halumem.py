"""HaluMem: dialogues, the facts to learn from each session, and their updates (github.com/MemTensor/HaluMem)."""

from __future__ import annotations

import re

from graph_memory.evaluation.cases import Fact, Haystack, Question, Session, Turn
from graph_memory.evaluation.readers.fields import Record

UPDATE = "update"
"""The kind of questions about an updated fact."""
_NAME = re.compile(r"Name:\s*([^;\n]{1,200})")
_INTERFERENCE = "interference"


def is_halumem(record: Record) -> bool:
    """Return whether the record is a HaluMem user."""
    return "persona_info" in record and "sessions" in record


def read_haystack(record: Record) -> Haystack:
    """Return a user's sessions, oldest first. Raises UnreadableSource.

    Memory points are a session's facts, except interference, which a memory should not learn. As in HaluMem's own
    evaluation, the text of a point that updates other points is also a question. Sessions added as noise contain only
    dialogues.
    """
    name = _NAME.search(record.text("persona_info"))
    user = name[1].strip() if name else record.text("uuid")
    sessions = [_session(session, number) for number, session in enumerate(record.records("sessions"), 1)]
    return Haystack(record.text("uuid"), sessions, user)


def _session(session: Record, number: int) -> Session:
    turns = [
        Turn(f"{number}/{position}", turn.text("content"), turn.text("timestamp", ""),
             is_agent=turn.text("role") == "assistant")
        for position, turn in enumerate(session.records("dialogue"), 1)
    ]  # fmt: skip
    facts: list[Fact] = []
    if session.values.get("is_generated_qa_session") is not True:
        for point in session.records("memory_points"):
            replaces = point.texts("original_memories") if str(point.values.get("is_update")) == "True" else ()
            if point.text("memory_source", "") != _INTERFERENCE:
                facts.append(Fact(point.statement("memory_content"), replaces))
    updates = [
        Question(UPDATE, fact.text, evidence=(fact.text,), outdated=fact.replaces) for fact in facts if fact.replaces
    ]
    return Session(f"session {number}", turns, facts, [*updates, *map(_question, session.records("questions"))])


def _question(question: Record) -> Question:
    evidence = tuple(point.statement("memory_content") for point in question.records("evidence"))
    return Question(question.text("question_type", "unknown"), question.statement("question"), evidence=evidence)
