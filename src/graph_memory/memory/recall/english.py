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


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, and nothing in the place of a stop word."""
    found = _WORD.findall(text)
    if text.isascii():
        return [_term(word) for word in found]
    return [_term(part) for word in found for part in parts(word)]


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
def _term(word: str) -> str:
    return stem(_plain(word))


def _plain(word: str) -> str:
    return _POSSESSIVE.sub("", word.lower())
