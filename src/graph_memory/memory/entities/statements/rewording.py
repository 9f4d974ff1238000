"""A statement in the words that a lexicon has first: numbers as digits, phrases as the first that says the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, cast

import text_to_num

from graph_memory.memory.entities.statements.folding import plain
from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.phrases import finder

_digits: Callable[[str, str], str] = cast("Any", text_to_num).alpha2digit  # it has no types
_COUNTED = re.compile(r"(\d\S*(?:\s+[^\W\d_]+)?)")
"""A number in digits, with the word that it counts, which may be a million."""
_HYPHEN = re.compile(r"(?<=[^\W\d])-(?=\w)|(?<=\w)-(?=[^\W\d])")


@lru_cache(maxsize=16_384)
def reworded(text: str, language: Lexicon) -> str:
    """Return a plain text whose numbers are digits, and whose phrases are the first that says the same.

    Numbers in words are read by text2num, in the languages that it knows.
    """
    clean = plain(_in_digits(text, language.number_code) if language.number_code else text)
    if language.is_written_apart:
        clean = _HYPHEN.sub(" ", clean)
    phrases, first = _phrases(language)
    clean = phrases.sub(lambda match: first[match[0]], clean)
    if language.particles:
        clean = _particle(language).sub(r"\1_", clean)
    rates = _rates(language)
    return rates.sub(lambda match: f"{match[1] or ''} {language.rate_words[match[2]]}", clean) if rates else clean


def _in_digits(text: str, code: str) -> str:
    parts = _COUNTED.split(text)
    return "".join(part if place % 2 else _digits(part, code) for place, part in enumerate(parts))


@lru_cache(maxsize=32)
def _particle(language: Lexicon) -> re.Pattern[str]:
    """Return what finds the part of a verb that ends a clause; it is marked, so that it is no preposition."""
    return re.compile(rf"\b({'|'.join(language.particles.split())})\b(?=\s*(?:$|[.,;:!?)]|und\b|en\b))")


@lru_cache(maxsize=32)
def _rates(language: Lexicon) -> re.Pattern[str] | None:
    """Return what finds how often a number is meant: `3 times a day`, `20 h/week`."""
    names = "|".join(language.rate_words)
    return re.compile(rf"(?:/ ?|\bper |(?<=\d)((?: ?[^\W\d_]+)?) an? )({names})\b") if names else None


@lru_cache(maxsize=32)
def _phrases(language: Lexicon) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return what finds phrases, and for each the first of its group; for words too, where the first is no word."""
    first: dict[str, str] = {}
    for line in language.synonyms.strip().splitlines():
        chosen, *others = (phrase.strip() for phrase in line.split(","))
        is_every = not (language.is_written_apart and chosen.isalpha())
        first |= {other: chosen for other in others if is_every or not other.isalpha()}
    return finder(",".join(first), is_written_apart=language.is_written_apart), first
