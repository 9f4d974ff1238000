"""Lists of phrases of a lexicon, made into what finds them in plain texts. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

_GAP = r"(?:\w+ ){0,4}?"
_NEVER = re.compile(r"(?!)")


@lru_cache(maxsize=4_096)
def finder(phrases: str, *, is_written_apart: bool = True) -> re.Pattern[str]:
    """Return what finds one of the phrases, apart by commas, in words with a space between each.

    A `*` at the end of a word is any ending; between words it is up to four words, or letters where a language writes
    none apart.
    """
    values = [" ".join(part.split()) for part in phrases.split(",") if part.strip()]
    if not values:
        return _NEVER
    if not is_written_apart:
        return re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))))
    made = "|".join(_pattern(phrase) for phrase in sorted(values, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{made})(?!\w)")


def _pattern(phrase: str) -> str:
    return "".join(_GAP if word == "*" else f"{_word(word)} " for word in phrase.split()).removesuffix(" ")


def _word(word: str) -> str:
    return re.escape(word).replace(re.escape("*"), r"\w*")
