"""Lists of sessions with their change counts. The counts include compacted changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import cast

from pydantic import Field

from graph_memory.model.results import Result, Timestamp
from graph_memory.model.values.plain import parse_json_strictly

MAX_NAMED_SESSIONS = 1_000
"""Maximum number of sessions stored by name. Changes of earlier sessions are counted by source and actor."""


def merge_sessions(sessions: Iterable[SessionSummary], others: Iterable[SessionSummary]) -> list[SessionSummary]:
    """Return all sessions, latest change first. Sessions with the same name, source and actor are merged."""
    summaries: dict[tuple[str | None, str, str | None], SessionSummary] = {}
    for session in (*sessions, *others):
        key = (session.session, session.source, session.actor)
        summaries[key] = _merge_pair(summaries[key], session) if key in summaries else session
    return sorted(summaries.values(), key=lambda session: session.last_seq, reverse=True)


def limit_sessions(sessions: Sequence[SessionSummary], limit: int = MAX_NAMED_SESSIONS) -> list[SessionSummary]:
    """Return the first `limit` sessions. The others are merged into a nameless session per source and actor."""
    return merge_sessions(
        sessions[:limit], (session.model_copy(update={"session": None}) for session in sessions[limit:])
    )


def sessions_to_json(sessions: Iterable[SessionSummary]) -> str:
    """Return sessions as JSON text, without their summaries and the titles of their subjects."""
    return json.dumps(
        [session.model_copy(update={"about": (), "summary": None}).to_dict() for session in sessions],
        ensure_ascii=False,
    )


def sessions_from_json(text: str | None) -> list[SessionSummary]:
    """Parse sessions from JSON text. None means no sessions. Raises ValueError or TypeError if the text is invalid."""
    return [
        SessionSummary.model_validate(entry)
        for entry in cast("list[object]", parse_json_strictly((text or "[]").encode()))
    ]


def _merge_pair(summary: SessionSummary, other: SessionSummary) -> SessionSummary:
    """Merge two summaries of the same session. A subject that changed in both is counted twice."""
    later = summary if summary.last_seq >= other.last_seq else other
    return later.model_copy(
        update={
            "began": min(summary.began, other.began),
            "first_seq": min(summary.first_seq, other.first_seq),
            "changes": summary.changes + other.changes,
            "subjects": summary.subjects + other.subjects,
        }
    )


class SessionSummary(Result):
    """A session, with the times, counts and subjects of its changes in a domain."""

    session: str | None = Field(default=None, description="Id of the session")
    source: str = Field(description="Whether an agent or a user made the changes")
    actor: str | None = None
    began: Timestamp = Field(description="Time of the first change in the session")
    ended: Timestamp = Field(description="Time of the last change in the session")
    changes: int = Field(description="Number of changes")
    subjects: int = Field(description="Number of changed subjects")
    about: tuple[str, ...] = Field(description="Titles of the subjects that were changed last")
    summary: str | None = Field(default=None, description="The summary that was stored with session_end")
    first_seq: int = Field(description="Log number of the first change")
    last_seq: int = Field(description="Log number of the last change")
