"""Finds observations and properties that a new value makes doubtful. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from graph_memory.memory.statements.language.folding import plain, words_only
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.language.phrases import finder
from graph_memory.memory.statements.language.stems import stem_of
from graph_memory.memory.statements.statement import statement
from graph_memory.memory.statements.statement_verdict import LONGEST, Doubt, Known
from graph_memory.memory.statements.values.values import values_of
from graph_memory.model.text.wording import shown
from graph_memory.model.values.properties import PropertyValue

_SCORE = 0.9
"""The score of such a doubt, higher than most doubts between two statements."""
_SHORTEST, _FEWEST = 4, 2
"""Minimum number of characters, or of words, of a value that is searched for. Shorter values occur too often."""

_CHANGES, _GUARDS = frozenset({"change", "now", "correction"}), frozenset({"wish", "claim", "stand_in", "past"})
_TIMES = frozenset({"clock", "day", "days", "month", "weekday", "weekdays", "year"})
_DIGITS, _POINT = re.compile(r"\d+(?:[.,]\d+)*"), re.compile(r"[.,]")
_BETWEEN_DIGITS, _LONG_NUMBER = re.compile(r"(?:(?<=\d)|^)[ ./()+-]+(?=\d)"), 6
"""Separators between digits, and the minimum number of digits of a number that is compared without them."""
_HUMP, _SHORTEST_WORD = re.compile(r"_|(?<=[a-z])(?=[A-Z])"), 3
"""Word boundaries in property names, and the minimum number of characters of a word that is searched for."""


def outdated(
    before: Mapping[str, PropertyValue], after: Mapping[str, PropertyValue], known: Sequence[Known]
) -> dict[str, list[Doubt]]:
    """Return the doubtful statements that contain the old value of a changed property, by property name."""
    there = [one for one in known if len(one.text) <= LONGEST]
    found: dict[str, list[Doubt]] = {}
    for key, value in after.items():
        was, now = before.get(key), value
        if isinstance(was, str) and isinstance(now, str) and _is_telling(was):
            text = f"{shown(key)} was {shown(was)}"
            found[key] = [
                Doubt(one, _SCORE, text) for one in there if names(one.text, was) and not names(one.text, now)
            ]
    return {key: doubts for key, doubts in found.items() if doubts}


def find_contradicted_properties(text: str, properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the keys of properties whose stored value a statement contradicts."""
    numbers, stated = _other_numbers(text, properties), _other_stated(text, properties)
    return [key for key in properties if key in numbers or key in stated]


def _other_stated(text: str, properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the properties for which a statement gives another value: `her e-mail is ida@example.org`."""
    one = statement(text, language_of(text))
    if one.stated is None or not one.cues.isdisjoint(_GUARDS):
        return []
    what = one.stated.what
    return [
        key
        for key, value in properties.items()
        if isinstance(value, str) and what == frozenset(stem_of(word, one.language) for word in _words_of(key))
        if not names(text, value)
    ]


def _other_numbers(text: str, properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the numeric properties for which a statement of change gives another number."""
    one = statement(text, language_of(text))
    if one.is_question or one.cues.isdisjoint(_CHANGES) or not one.cues.isdisjoint(_GUARDS):
        return []
    amounts = {value.amount for value in one.values if value.kind not in _TIMES}
    if not amounts:
        return []
    said = amounts | {_POINT.sub("", match) for match in _DIGITS.findall(text)}
    return [
        key
        for key, value in properties.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and f"{value}".removesuffix(".0") not in said
        if any(stem_of(word, one.language) in one.stems for word in _words_of(key))
    ]


def _words_of(key: str) -> list[str]:
    return [word for word in words_only(plain(_HUMP.sub(" ", key))).split() if len(word) >= _SHORTEST_WORD]


def names(text: str, value: str) -> bool:
    """Return whether a value occurs in a text: in whole words without case and accents, or as a date or number."""
    language = language_of(text)
    pattern = finder(words_only(plain(value)), is_written_apart=language.is_written_apart)
    if pattern.search(words_only(plain(text))) is not None:
        return True
    return _is_same_value(text, value) or _is_same_number(text, value)


def _is_same_value(text: str, value: str) -> bool:
    """Return whether a text has the same date in another spelling."""
    language = language_of(text)
    values, rest = values_of(value, language)
    is_date = not rest.strip() and any(value.kind == "day" for value in values)
    return is_date and {*values} <= {*statement(text, language).values}


def _is_same_number(text: str, value: str) -> bool:
    """Return whether a text has the same long number, such as a telephone number, with other separators."""
    digits = _BETWEEN_DIGITS.sub("", value)
    return len(digits) >= _LONG_NUMBER and digits.isdigit() and digits in _BETWEEN_DIGITS.sub("", text)


def _is_telling(value: str) -> bool:
    words = words_only(plain(value))
    return len(words) >= _SHORTEST or len(words.split()) >= _FEWEST
