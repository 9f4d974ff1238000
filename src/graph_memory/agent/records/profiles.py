"""Converts user profiles to stored text, and finds the entries relevant to a query. Does no I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar, cast, get_args

from graph_memory.agent.kinds import CommunicationStyle, ExpertiseLevel
from graph_memory.agent.records.writing import parsed_json
from graph_memory.agent.results import Correction, Feedback, UserProfile
from graph_memory.memory.entities.results import ObservationDetail
from graph_memory.memory.recall.rendering.wording import quote_label, render_name
from graph_memory.memory.search.text.analysers import ENGLISH
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import format_day, quote, suggestion
from graph_memory.model.values.arguments import invalid_argument, is_encodable

USER = "user"
"""The default name of the user."""
MAX_TEXT_CHARACTERS = 10_000
"""Maximum number of characters of a text in a profile."""
MAX_TEXTS = 100
"""Maximum number of preferred tools, and of custom instructions, in a profile."""
STYLES: Mapping[str, Sequence[str]] = {
    "communication_style": get_args(CommunicationStyle),
    "expertise_level": get_args(ExpertiseLevel),
}
"""The valid values of each profile property that does not accept free text."""
_CORRECTION_FIELDS = ("original", "corrected", "context")
_MAX_SHOWN_CHARACTERS = 300
"""Maximum number of characters of each text of an entry in a reply."""
_HALF = 0.5
_MIN_FIT = 0.01
"""The relevance of a preference that shares no term with a query about the user's preferences."""
_QUOTED_TEXT = r'"(?:[^"\\]|\\.)*"'
_CORRECTION = re.compile(
    rf"Corrected by the user: not ({_QUOTED_TEXT}), but ({_QUOTED_TEXT})\.(?: Context: ({_QUOTED_TEXT}))?", re.DOTALL
)
_FEEDBACK_PREFIX = "Feedback of the user: "


def check_text(argument: str, value: object) -> str:
    """Return the text without surrounding spaces.

    Raises INVALID_ARGUMENT if the value is not a string or is blank, and CONTENT_TOO_LARGE if it is too long.
    """
    if not isinstance(value, str) or not value.strip() or not is_encodable(value):
        raise invalid_argument(
            argument, f"{argument} is {quote(value)}, not a string with words", "Pass a string with words, or omit it."
        )
    if len(value) > MAX_TEXT_CHARACTERS:
        message = f"{argument} has {len(value):,} characters, over the limit of {MAX_TEXT_CHARACTERS:,}"
        raise GraphError(
            Code.CONTENT_TOO_LARGE,
            message,
            {"argument": argument, "hint": f"Shorten it to at most {MAX_TEXT_CHARACTERS:,} characters."},
        )
    return value.strip()


def check_choice(argument: str, value: object, valid: Sequence[str]) -> str:
    """Return the value if it is in `valid`. Raises INVALID_ARGUMENT if it is not."""
    if value not in valid:
        hint = suggestion(str(value), valid, f"Use {', '.join(valid)}.")
        raise invalid_argument(argument, f"{quote(value)} is not a valid {argument}", hint)
    return str(value)


def stored_texts(argument: str, values: object) -> str:
    """Encode a list of strings as JSON for storage.

    Raises INVALID_ARGUMENT if the value is not a list of at most 100 strings, and CONTENT_TOO_LARGE if a string is too
    long.
    """
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise invalid_argument(argument, f"{argument} is {quote(values)}, not a list", 'For one text, pass ["text"].')
    texts = [check_text(argument, value) for value in cast("Sequence[object]", values)]
    if len(texts) > MAX_TEXTS:
        message = f"{argument} contains {len(texts):,} texts, over the limit of {MAX_TEXTS:,}"
        raise invalid_argument(argument, message, f"Pass at most {MAX_TEXTS}.")
    return _json(list(dict.fromkeys(texts)))


def texts_of(value: object) -> tuple[str, ...] | None:
    """Return the texts stored in a property, or None if there are none. Invalid JSON is returned as one text."""
    if not isinstance(value, str) or not value.strip():
        return None
    values = parsed_json(value)
    return tuple(map(str, cast("list[Any]", values))) or None if isinstance(values, list) else (value,)


def stored_correction(correction: Mapping[str, object]) -> str:
    """Return the text of an observation that stores the correction.

    Raises INVALID_ARGUMENT if a field is unknown or missing, or if both texts are equal, and CONTENT_TOO_LARGE if a
    text is too long.
    """
    hint = 'Pass two different texts, as in {"original": "npm", "corrected": "pnpm", "context": "installing packages"}.'
    if not isinstance(correction, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument("correction", f"correction is {quote(correction)}, not an object", hint)
    if unknown := [str(key) for key in correction if key not in _CORRECTION_FIELDS]:
        raise invalid_argument(
            "correction",
            f"correction contains the unknown key {quote(unknown[0])}",
            f"Valid keys are {', '.join(_CORRECTION_FIELDS)}.",
        )
    original, corrected = (check_text(f"correction.{key}", correction.get(key)) for key in _CORRECTION_FIELDS[:2])
    if original == corrected:
        raise invalid_argument("correction", "original and corrected are the same text", hint)
    text = f"Corrected by the user: not {_json(original)}, but {_json(corrected)}."
    if (context := correction.get("context")) is None:
        return text
    return f"{text} Context: {_json(check_text('correction.context', context))}"


def stored_feedback(text: str) -> str:
    """Return the text of an observation that stores the feedback.

    Raises INVALID_ARGUMENT if the feedback is blank, and CONTENT_TOO_LARGE if it is too long.
    """
    return f"{_FEEDBACK_PREFIX}{check_text('feedback', text)}"


def corrections_of(observations: Iterable[ObservationDetail]) -> list[Correction]:
    """Return the corrections among the observations, newest first."""
    corrections = [
        Correction(id=observation.id, time=observation.ts, source=observation.source, **texts)
        for observation in observations
        if (texts := _parsed_correction(observation.text))
    ]
    return sorted(corrections, key=lambda correction: correction.time, reverse=True)


def _parsed_correction(text: str) -> dict[str, Any] | None:
    """Return the fields of the correction that the text states, or None if the text is not a correction."""
    if (match := _CORRECTION.fullmatch(text)) is None:
        return None
    texts = {key: parsed_json(part) for key, part in zip(_CORRECTION_FIELDS, match.groups(), strict=True) if part}
    return None if None in texts.values() else texts


def feedback_of(observations: Iterable[ObservationDetail]) -> list[Feedback]:
    """Return the feedback among the observations, newest first."""
    entries = [
        Feedback(id=entry.id, text=entry.text.removeprefix(_FEEDBACK_PREFIX), time=entry.ts, source=entry.source)
        for entry in observations
        if entry.text.startswith(_FEEDBACK_PREFIX)
    ]
    return sorted(entries, key=lambda feedback: feedback.time, reverse=True)


_STATED_FIELDS = {
    "communication_style": "Communication style",
    "expertise_level": "Expertise level",
    "preferred_tools": "Preferred tools",
    "custom_instructions": "Instructions",
}


def stated_fields(profile: UserProfile, time: datetime) -> list[Feedback]:
    """Return a list with one preference that states the profile's fields, or an empty list if all fields are empty."""
    values = {name: getattr(profile, field) for field, name in _STATED_FIELDS.items()}
    texts = [
        f"{name}: {value if isinstance(value, str) else '; '.join(value)}" for name, value in values.items() if value
    ]
    return [Feedback(text=f"{'. '.join(texts)}.", time=time)] if texts else []


def preferences_of(observations: Iterable[ObservationDetail]) -> list[Feedback]:
    """Return the observations that are neither corrections nor feedback, newest first."""
    preferences = [
        Feedback(id=entry.id, text=entry.text, time=entry.ts, source=entry.source)
        for entry in observations
        if not entry.text.startswith(_FEEDBACK_PREFIX) and not _parsed_correction(entry.text)
    ]
    return sorted(preferences, key=lambda preference: preference.time, reverse=True)


E = TypeVar("E", Correction, Feedback)
_UNSPECIFIC_TERMS = frozenset(map(ENGLISH.stem_of, ("user", "prefer", "like", "love", "dislike", "hate")))
"""Terms that most preferences contain, so they are ignored."""
_USER_WORDS = frozenset(["user", "i", "i'd", "i'm", "me", "my", "mine", "their"])
"""Words in a query that refer to a user without a name."""
_PREFERENCE_TERMS = _UNSPECIFIC_TERMS - {USER} | frozenset(
    map(ENGLISH.stem_of, ("favourite", "favorite", "rather", "taste", "instruction"))
)
"""Terms that mark a query as a question about preferences."""
_HOW_SHOULD = frozenset(["how", "should"])
"""Words of a query that ask about preferences if the query contains all of them."""


@dataclass(frozen=True)
class UserEntry(Generic[E]):
    """A correction or a preference, with the user's name."""

    user: str
    entry: E

    @cached_property
    def terms_by_text(self) -> Sequence[frozenset[str]]:
        """The terms of each text: the preference, or a correction's original, context and corrected text."""
        entry = self.entry
        texts = (entry.original, entry.context, entry.corrected) if isinstance(entry, Correction) else (entry.text,)
        return [terms for text in texts if text and (terms := _terms(text) - _UNSPECIFIC_TERMS)]

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of all texts of the entry."""
        return frozenset[str]().union(*self.terms_by_text)

    def rate_fit(self, query: frozenset[str]) -> float:
        """Rate how relevant the entry is to the terms of a query, from 0 (not at all) to 2.

        The entry is relevant if it contains at least half of the query's terms, or if the query contains more than half
        of the terms of one of the entry's texts.
        """
        covered = len(query & self.terms) / len(query) if query else 0.0
        best = max((len(query & part) / len(part) for part in self.terms_by_text), default=0.0)
        return covered + best if covered >= _HALF or best > _HALF else 0.0

    def render(self) -> str:
        """Render the entry as one line, with its day and the user's name. The default user's name is omitted."""
        entry = self.entry
        if not isinstance(entry, Correction):
            prefix = "" if self.user == USER else f"{render_name(self.user)}: "
            return f"{prefix}{quote_label(entry.text, _MAX_SHOWN_CHARACTERS)} ({format_day(entry.time)})"
        subject = "The user" if self.user == USER else render_name(self.user)
        context = f" Context: {quote_label(entry.context, _MAX_SHOWN_CHARACTERS)}." if entry.context else ""
        original, corrected = (quote_label(text, _MAX_SHOWN_CHARACTERS) for text in (entry.original, entry.corrected))
        change = f"not {original}, but {corrected}"
        return f"{subject} corrected this before ({format_day(entry.time)}): {change}.{context}"


def fitting_entries(entries: Sequence[UserEntry[E]], query: str | None, limit: int) -> list[UserEntry[E]]:
    """Return the entries relevant to the query, best first. If `query` is None, return the newest entries.

    A question about a user's preferences, such as "What do I like?", matches all preferences of that user. A query that
    only mentions the user matches the preferences that share a term with it.
    """
    newest = sorted(entries, key=lambda user_entry: user_entry.entry.time, reverse=True)
    if query is None:
        return newest[:limit]
    question = _Question.of(query)
    rated_entries = [
        (rating, entry) for entry in newest if (rating := max(entry.rate_fit(question.terms), question.rate_fit(entry)))
    ]
    return [entry for _, entry in sorted(rated_entries, key=lambda pair: -pair[0])][:limit]


@dataclass(frozen=True, slots=True)
class _Question:
    """A query that may be about a user."""

    words: frozenset[str]
    terms: frozenset[str]
    asks_preferences: bool

    @classmethod
    def of(cls, query: str) -> _Question:
        words = ENGLISH.words(query[:MAX_TEXT_CHARACTERS])
        asks_preferences = any(ENGLISH.stem_of(word) in _PREFERENCE_TERMS for word in words) or {*words} >= _HOW_SHOULD
        return cls(frozenset(words), _terms(query) - _UNSPECIFIC_TERMS, asks_preferences)

    def rate_fit(self, user_entry: UserEntry[E]) -> float:
        """Rate how relevant a preference is to this query about its user. See `UserEntry.rate_fit`."""
        is_about_user = _USER_WORDS & self.words or {*ENGLISH.words(user_entry.user)} <= self.words
        if isinstance(user_entry.entry, Correction) or not is_about_user:
            return 0.0
        shared = len(self.terms & user_entry.terms) / (len(self.terms) or 1)
        return (shared + _MIN_FIT) * _HALF if shared or self.asks_preferences else 0.0


def _terms(text: str) -> frozenset[str]:
    """Return the terms in a text, without stop words and question words."""
    words = [word for word in ENGLISH.words(text[:MAX_TEXT_CHARACTERS]) if word not in ENGLISH.asking]
    return frozenset(filter(None, (ENGLISH.stem(part) for word in words for part in ENGLISH.parts(word))))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
