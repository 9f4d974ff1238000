"""Sessions whose changes were compacted: counted, and kept as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import cast

from pydantic import Field

from graph_memory.model.results import Result, Timestamp
from graph_memory.model.values.plain import parse_json_strictly

MOST = 1_000
"""Sessions that are told apart; the changes of those before are counted by source and actor."""


def merged(one: Iterable[SessionSummary], other: Iterable[SessionSummary]) -> list[SessionSummary]:
    """Return sessions with those of the same name put together, the one that wrote last first."""
    found: dict[tuple[str | None, str, str | None], SessionSummary] = {}
    for session in (*one, *other):
        key = (session.session, session.source, session.actor)
        found[key] = _together(found[key], session) if key in found else session
    return sorted(found.values(), key=lambda session: session.last_seq, reverse=True)


def folded(sessions: Sequence[SessionSummary], most: int = MOST) -> list[SessionSummary]:
    """Return the last of the sessions, and of the others what their sources and actors did."""
    return merged(sessions[:most], (one.model_copy(update={"session": None}) for one in sessions[most:]))


def sessions_text(sessions: Iterable[SessionSummary]) -> str:
    """Return sessions as text, without the titles of what they were about and their summaries."""
    return json.dumps(
        [one.model_copy(update={"about": (), "summary": None}).to_dict() for one in sessions], ensure_ascii=False
    )


def sessions_from(text: str | None) -> list[SessionSummary]:
    """Return the sessions of a text. Raises ValueError and TypeError for one that holds none."""
    return [
        SessionSummary.model_validate(one) for one in cast("list[object]", parse_json_strictly((text or "[]").encode()))
    ]


def _together(one: SessionSummary, other: SessionSummary) -> SessionSummary:
    """Return two parts of a session as one. A thing that both changed is counted twice."""
    late = one if one.last_seq >= other.last_seq else other
    return late.model_copy(
        update={
            "began": min(one.began, other.began),
            "first_seq": min(one.first_seq, other.first_seq),
            "changes": one.changes + other.changes,
            "subjects": one.subjects + other.subjects,
        }
    )


class SessionSummary(Result):
    """The changes that one session made in a domain."""

    session: str | None = None
    source: str
    actor: str | None = None
    began: Timestamp
    ended: Timestamp = Field(description="Time of its last change")
    changes: int
    subjects: int = Field(description="How many things it changed")
    about: tuple[str, ...] = Field(description="Titles of what it last changed")
    summary: str | None = Field(default=None, description="What session_end kept of it")
    first_seq: int
    last_seq: int
