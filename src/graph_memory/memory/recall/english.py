"""Words as Neo4j's analyser `english` makes them: Lucene's tokenizer, possessives, stop words and the Porter stemmer.

It is meant for scores, not for exact agreement: where Unicode's rules for words are finer than a regular expression,
Lucene may cut differently.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import Any, cast

import snowballstemmer

# Lucene, EnglishAnalyzer.ENGLISH_STOP_WORDS_SET.
_STOP = """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
    was will with
"""
STOP_WORDS = frozenset(re.findall(r"\w+", _STOP))
_WORD = re.compile(r"\w+(?:(?:(?<=[^\W\d])['’.:·](?=[^\W\d])|(?<=\d)['’.,;](?=\d))\w+)*")
ALONE = "\u3005\u3007\u3041-\u309f\u3400-\u9fff\uf900-\ufaff"
"""Ideographs and hiragana, each of which Lucene takes for a word."""
_PART = re.compile(rf"[{ALONE}]|[^{ALONE}]+")
_POSSESSIVE = re.compile(r"['’]s$")
_stemmed: Callable[[str], str] = cast("Any", snowballstemmer).stemmer("porter").stemWord  # it has no types
_one_at_a_time = Lock()
"""The stemmer keeps the word at hand in itself."""


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without possessives."""
    return [_plain(word) for word in _WORD.findall(text)]


def terms(text: str, of: Callable[[str], str] | None = None) -> list[str]:
    """Return the terms of a text in order, and nothing in the place of a stop word; `of` may know terms of its own."""
    found = _WORD.findall(text)
    if not text.isascii():
        found = [part for word in found for part in ((word,) if word.isascii() else parts(word))]
    return list(map(of or term_of, found))


def parts(word: str) -> list[str]:
    """Return a word, or what Lucene makes of one that has ideographs or hiragana."""
    return _PART.findall(word)


def stem(word: str) -> str:
    """Return the term of a word that `words` gives, or nothing for a stop word."""
    if word in STOP_WORDS:
        return ""
    with _one_at_a_time:
        return _stemmed(word)


@lru_cache(maxsize=65_536)
def term_of(word: str) -> str:
    """Return the term of a word as it stands in a text, or nothing for a stop word."""
    return stem(_plain(word))


@lru_cache(maxsize=65_536)
def is_nothing(word: str) -> bool:
    """Say whether a word as it stands in a text has no term: stop words, and what the stemmer leaves nothing of."""
    return (plain := _plain(word)) in STOP_WORDS or plain == "s"


def _plain(word: str) -> str:
    return _POSSESSIVE.sub("", word.lower())
