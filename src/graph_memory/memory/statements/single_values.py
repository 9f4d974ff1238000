"""Attributes that have one value at a time, such as a home, a manager or an e-mail address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.language.stems import stems_of
from graph_memory.memory.statements.values.literals import Kind, folded_text, split_tokens

_CAPITAL = re.compile(r"\b[A-ZÀ-ÞА-ЯЁ][\w.-]*")
_TITLES = r"(?:(?:the|le|la|el|il|o|a|der|die|dem|dr|mr|mrs|ms|herr|frau)\.? )*"
_MAX_PHRASE_LENGTH = 40
"""Maximum number of characters of the words for an attribute before `is`."""
_MAX_VALUE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class SingleValue:
    """The value of an attribute that has one value at a time."""

    stems: frozenset[str]
    """The stems of the words for the attribute, as in `manager is` or `lives in`."""
    phrase: str
    name: str
    """The value: a name, an address, a number or a date."""


def find_single_values(text: str, language: Lexicon) -> tuple[SingleValue, ...]:
    """Return the names in a text that are values of single-valued attributes."""
    capitals = {word for match in _CAPITAL.findall(text) for word in words_only(fold_text(match)).split()}
    if not capitals:
        return ()
    verbs, attribute = _name_patterns(language)
    clean = fold_text(text)
    matches = [*verbs.finditer(words_only(clean)), *attribute.finditer(clean)]
    return tuple(
        SingleValue(stems, phrase, value)
        for phrase, value in (match.groups() for match in matches)
        if value in capitals and (stems := frozenset(stems_of(words_only(phrase), language)))
    )


def parse_attribute_value(text: str, language: Lexicon) -> SingleValue | None:
    """Parse a text that states only one attribute's value, such as `her e-mail is ida@example.org`, or return None."""
    match = _attribute_pattern(language).fullmatch(text.strip())
    if match is None:
        return None
    phrase, value = match.groups()
    value_tokens = split_tokens(value, language)
    words = (fold_text(token.text) for token in value_tokens if token.kind is Kind.WORD)
    if all(token.kind is Kind.WORD for token in value_tokens) or not language.common_words.issuperset(words):
        return None
    stems = frozenset(stems_of(words_only(fold_text(phrase)), language))
    return SingleValue(stems, phrase, folded_text(value).casefold()) if stems else None


@lru_cache(maxsize=32)
def _attribute_pattern(language: Lexicon) -> re.Pattern[str]:
    copulas = "|".join(language.copulas.split()) or "(?!)"
    return re.compile(
        rf"([^:;.!?]{{1,{_MAX_PHRASE_LENGTH}}}?)(?:\s+(?:{copulas})|:)\s+(.{{1,{_MAX_VALUE_LENGTH}}}?)", re.IGNORECASE
    )


@lru_cache(maxsize=32)
def _name_patterns(language: Lexicon) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a pattern for names after a verb, and a pattern for names after `is`."""
    verbs = "|".join(re.escape(fold_text(part)) for part in language.holds_one.split(","))
    copulas = "|".join(language.copulas.split()) or "(?!)"
    return (
        re.compile(rf"\b({verbs}) {_TITLES}(\w+)" if language.holds_one else "(?!)"),
        re.compile(rf"^([^:,;.!?]{{1,{_MAX_PHRASE_LENGTH}}}?)(?: (?:{copulas})|:) {_TITLES}(\w+)"),
    )
