"""The content of a question set: conversations to store, and questions with labelled evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

_TIME_FORMATS = ("%Y/%m/%d %H:%M", "%I:%M %p on %d %B, %Y", "%B-%d-%Y", "%b %d, %Y, %H:%M:%S")
"""The time formats of LongMemEval (without the weekday), LoCoMo, BEAM and HaluMem."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message in a conversation. `date` is the time as written in the file, or empty."""

    id: str
    text: str
    date: str = ""
    speaker: str = ""
    """A human speaker's name. Messages between a user and an assistant have none."""
    is_agent: bool = False

    @property
    def at(self) -> datetime | None:
        """The time of the turn in UTC, or None if it is unknown."""
        return parse_time(self.date)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its labelled evidence. If it has no labels, only tokens and times are measured."""

    kind: str
    text: str
    turns: frozenset[str] = frozenset()
    """Ids of the turns that answer the question."""
    sessions: frozenset[str] = frozenset()
    """Ids of the sessions that answer the question."""
    evidence: tuple[str, ...] = ()
    """Texts that answer the question: whole turns, or memory points."""
    outdated: tuple[str, ...] = ()
    """Texts that the evidence replaces. A reply must not state them as current."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that an agent learns from a session, and the texts of the facts it replaces."""

    text: str
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """A session's turns, the facts learned from it, and the questions asked after it."""

    id: str
    turns: Sequence[Turn]
    facts: Sequence[Fact] = ()
    questions: Sequence[Question] = ()


@dataclass(frozen=True, slots=True)
class Haystack:
    """The sessions of one conversation, oldest first. `user` is the entity that its facts are about."""

    name: str
    sessions: Sequence[Session]
    user: str = ""

    @property
    def questions(self) -> Sequence[Question]:
        """All questions, in the order in which they are asked."""
        return [question for session in self.sessions for question in session.questions]

    def select(self, numbers: Collection[int]) -> Haystack:
        """Return the haystack with only the questions at these positions, without sessions after the last question."""
        sessions: list[Session] = []
        position = session_count = 0
        for session in self.sessions:
            selected = [question for number, question in enumerate(session.questions, position) if number in numbers]
            position += len(session.questions)
            sessions.append(replace(session, questions=selected))
            session_count = len(sessions) if selected else session_count
        return replace(self, sessions=sessions[:session_count])


def ask_last(sessions: Sequence[Session], questions: Sequence[Question]) -> list[Session]:
    """Return the sessions, with all questions assigned to the last session."""
    *earlier_sessions, last_session = sessions or [Session("empty", ())]
    return [*earlier_sessions, replace(last_session, questions=questions)]


def with_caption(text: str, caption: str) -> str:
    """Return a message's text with the caption of its image."""
    return f"{text} ({caption})" if caption else text


def parse_time(text: str) -> datetime | None:
    """Parse a time in any question set's format, as UTC. Returns None if the format is unknown."""
    without_weekday = re.sub(r"\s*\([A-Za-z]{2,9}\)", "", text[:100]).strip()
    for form in _TIME_FORMATS:
        try:
            return datetime.strptime(without_weekday, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
