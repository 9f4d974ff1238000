"""Finds observations and properties that a new value contradicts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.language.phrases import compile_phrases
from graph_memory.memory.statements.language.stems import stem_of
from graph_memory.memory.statements.statement import Statement, parse_statement
from graph_memory.memory.statements.statement_verdict import MAX_LENGTH, CurrentObservation, PossibleReplacement
from graph_memory.memory.statements.values.values import values_of
from graph_memory.model.text.wording import printable
from graph_memory.model.values.properties import PropertyValue

_SCORE = 0.9
"""The score of a statement with an old property value. Most possible replacements have lower scores."""
_MIN_CHARACTERS, _MIN_WORDS = 4, 2
"""Minimum number of characters, or of words, in an old value that is searched for. Shorter values occur too often.
"""

_CHANGE_CUES, _DOUBT_CUES = frozenset({"change", "now", "correction"}), frozenset({"wish", "claim", "stand_in", "past"})
_TIME_KINDS = frozenset({"clock", "day", "days", "month", "weekday", "weekdays", "year"})
_DIGITS, _SEPARATOR = re.compile(r"\d+(?:[.,]\d+)*"), re.compile(r"[.,]")
_BETWEEN_DIGITS, _LONG_NUMBER = re.compile(r"(?:(?<=\d)|^)[ ./()+-]+(?=\d)"), 6
"""Separators between digits, and the minimum number of digits of a number that is compared without them."""
_WORD_BOUNDARY, _MIN_WORD_LENGTH = re.compile(r"_|(?<=[a-z])(?=[A-Z])"), 3
"""Word boundaries in property names, and the minimum number of characters of a word that is searched for."""


def find_possibly_outdated(
    before: Mapping[str, PropertyValue], after: Mapping[str, PropertyValue], known: Sequence[CurrentObservation]
) -> dict[str, list[PossibleReplacement]]:
    """Return the statements that contain a property's old value but not its new value, keyed by property name."""
    short_enough = [observation for observation in known if len(observation.text) <= MAX_LENGTH]
    outdated_by_key: dict[str, list[PossibleReplacement]] = {}
    for key, new_value in after.items():
        old_value = before.get(key)
        if isinstance(old_value, str) and isinstance(new_value, str) and _is_specific(old_value):
            text = f"{printable(key)} was {printable(old_value)}"
            outdated_by_key[key] = [
                PossibleReplacement(observation, _SCORE, text)
                for observation in short_enough
                if contains_value(observation.text, old_value) and not contains_value(observation.text, new_value)
            ]
    return {key: replacements for key, replacements in outdated_by_key.items() if replacements}


def find_contradicted_properties(text: str, properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the keys of the properties that a statement contradicts."""
    statement = parse_statement(text, language_of(text))
    if not statement.cues.isdisjoint(_DOUBT_CUES):
        return []
    contradicted = {
        *_contradicted_numbers(text, statement, properties),
        *_contradicted_texts(text, statement, properties),
    }
    return [key for key in properties if key in contradicted]


def _contradicted_texts(text: str, statement: Statement, properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the string properties for which a statement gives another value, as in `her e-mail is ida@example.org`."""
    if statement.stated is None:
        return []
    stems = statement.stated.stems
    return [
        key
        for key, value in properties.items()
        if isinstance(value, str) and stems == frozenset(stem_of(word, statement.language) for word in _words_of(key))
        if not contains_value(text, value)
    ]


def _contradicted_numbers(text: str, statement: Statement, properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the numeric properties that have changed according to a statement."""
    if statement.is_question or statement.cues.isdisjoint(_CHANGE_CUES):
        return []
    amounts = {value.amount for value in statement.values if value.kind not in _TIME_KINDS}
    if not amounts:
        return []
    numbers = amounts | {_SEPARATOR.sub("", match) for match in _DIGITS.findall(text)}
    return [
        key
        for key, value in properties.items()
        if isinstance(value, (int, float))
        and not isinstance(value, bool)
        and f"{value}".removesuffix(".0") not in numbers
        if any(stem_of(word, statement.language) in statement.stems for word in _words_of(key))
    ]


def _words_of(key: str) -> list[str]:
    return [
        word for word in words_only(fold_text(_WORD_BOUNDARY.sub(" ", key))).split() if len(word) >= _MIN_WORD_LENGTH
    ]


def contains_value(text: str, value: str) -> bool:
    """Return whether a value occurs in a text as whole words, ignoring case and accents, or as a date or number."""
    language = language_of(text)
    pattern = compile_phrases(words_only(fold_text(value)), has_spaces=language.has_spaces_between_words)
    if pattern.search(words_only(fold_text(text))) is not None:
        return True
    return _has_same_date(text, value) or _has_same_number(text, value)


def _has_same_date(text: str, value: str) -> bool:
    """Return whether a text contains the same date in another spelling."""
    language = language_of(text)
    values, remaining_text = values_of(value, language)
    is_date = not remaining_text.strip() and any(part.kind == "day" for part in values)
    return is_date and {*values} <= {*parse_statement(text, language).values}


def _has_same_number(text: str, value: str) -> bool:
    """Return whether a text contains the same long number with other separators, as in telephone numbers."""
    number_digits = _BETWEEN_DIGITS.sub("", value)
    return (
        len(number_digits) >= _LONG_NUMBER
        and number_digits.isdigit()
        and number_digits in _BETWEEN_DIGITS.sub("", text)
    )


def _is_specific(value: str) -> bool:
    words = words_only(fold_text(value))
    return len(words) >= _MIN_CHARACTERS or len(words.split()) >= _MIN_WORDS
