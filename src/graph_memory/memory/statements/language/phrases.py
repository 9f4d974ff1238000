"""Compiles a lexicon's phrase lists into patterns for plain texts."""

from __future__ import annotations

import re
from functools import lru_cache

_GAP = r"(?:\w+ ){0,4}?"
_NEVER = re.compile(r"(?!)")


@lru_cache(maxsize=4_096)
def compile_phrases(phrases: str, *, has_spaces: bool = True) -> re.Pattern[str]:
    """Return a pattern for any of the comma-separated phrases, whose words are separated by one space.

    `*` at the end of a word matches any ending. Between words, it matches up to four words. In a language without
    spaces between words, it matches up to four characters.
    """
    phrase_list = sorted((" ".join(part.split()) for part in phrases.split(",") if part.strip()), key=len, reverse=True)
    if not phrase_list:
        return _NEVER
    if not has_spaces:
        return re.compile("|".join(map(re.escape, phrase_list)))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(_pattern, phrase_list))})(?!\w)")


def _pattern(phrase: str) -> str:
    parts = (_GAP if word == "*" else re.escape(word).replace(r"\*", r"\w*") + " " for word in phrase.split())
    return "".join(parts).removesuffix(" ")
