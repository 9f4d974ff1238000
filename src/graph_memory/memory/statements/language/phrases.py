"""Compiles the phrase lists of a lexicon to patterns for plain texts. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

_GAP = r"(?:\w+ ){0,4}?"
_NEVER = re.compile(r"(?!)")


@lru_cache(maxsize=4_096)
def finder(phrases: str, *, is_written_apart: bool = True) -> re.Pattern[str]:
    """Return a pattern for any of the comma-separated phrases, whose words are separated by one space.

    `*` at the end of a word matches any ending. Between words, it matches up to four words, or up to four characters in
    a language without spaces between words.
    """
    values = [" ".join(part.split()) for part in phrases.split(",") if part.strip()]
    if not values:
        return _NEVER
    if not is_written_apart:
        return re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))))
    alternatives = "|".join(_pattern(phrase) for phrase in sorted(values, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")


def _pattern(phrase: str) -> str:
    return "".join(_GAP if word == "*" else f"{_word(word)} " for word in phrase.split()).removesuffix(" ")


def _word(word: str) -> str:
    return re.escape(word).replace(re.escape("*"), r"\w*")
