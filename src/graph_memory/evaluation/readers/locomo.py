"""LoCoMo: conversations between two people, with questions labelled by turn (github.com/snap-research/locomo)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from graph_memory.evaluation.cases import Haystack, Question, Session, Turn, ask_last, with_caption
from graph_memory.evaluation.readers.fields import Record

_ADVERSARIAL = "5"
KINDS = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", _ADVERSARIAL: "adversarial"}
_TURN_ID = re.compile(r"D\d+:\d+")


def is_locomo(record: Record) -> bool:
    """Return whether the record is a LoCoMo conversation."""
    return "conversation" in record and "qa" in record


def read_haystack(record: Record) -> Haystack:
    """Return a conversation with its questions. Image captions are part of their turns. Raises UnreadableSource."""
    sessions = list(_sessions(record.record("conversation")))
    texts = {turn.id: turn.text for session in sessions for turn in session.turns}
    session_of = {turn.id: session.id for session in sessions for turn in session.turns}
    questions = [_question(pair, texts, session_of) for pair in record.records("qa")]
    return Haystack(record.text("sample_id"), ask_last(sessions, questions))


def _sessions(conversation: Record) -> Iterator[Session]:
    for number in count(1):
        name = f"session_{number}"
        if f"{name}_date_time" not in conversation:
            return
        date = conversation.text(f"{name}_date_time")
        yield Session(name, [_turn(turn, date) for turn in conversation.records(name)])


def _turn(turn: Record, date: str) -> Turn:
    text = with_caption(turn.text("text"), turn.text("blip_caption", ""))
    return Turn(turn.text("dia_id"), text, date, turn.text("speaker"))


def _question(pair: Record, texts: dict[str, str], session_of: dict[str, str]) -> Question:
    """Return a question. Labels of nonexistent turns count as turns without evidence.

    Adversarial questions have no answer. Their labels list turns that do not answer them, and are ignored.
    """
    category = pair.text("category", "")
    labels = () if category == _ADVERSARIAL else pair.texts("evidence")
    turns = list(dict.fromkeys(_TURN_ID.findall(" ".join(labels))))
    existing_turns = [turn for turn in turns if turn in texts]
    return Question(
        KINDS.get(category, category or "unknown"),
        pair.statement("question"),
        frozenset(turns),
        frozenset(session_of[turn] for turn in existing_turns),
        tuple(texts[turn] for turn in existing_turns),
    )
