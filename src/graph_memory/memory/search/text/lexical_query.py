"""Converts a text to a full-text query in Lucene's syntax. No user input is interpreted as syntax."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from graph_memory.memory.search.text.analysers import ENGLISH, Analyser

_LONGEST_TERM = 255
"""Maximum number of characters of a token in Lucene."""
_LONGEST_TEXT = 20_000
_MAX_TERMS = 64


def lexical_query(
    text: str,
    analyser: Analyser = ENGLISH,
    *,
    fields: Mapping[str, float],
    phrase_boost: float = 0.3,
    slop: int = 2,
) -> str | None:
    """Return a full-text query for the words of a text, or None if it has no words.

    `fields` maps the fields to search to their boosts. `analyser` is the analyser of the index. Question words are
    omitted unless there are no other words. Adjacent words also count as a phrase if they are at most `slop` words
    apart. Only the first 64 distinct words of a long text are used.
    """
    words = analyser.words(text[:_LONGEST_TEXT])
    query_words = [word for word in words if word not in analyser.asking] or words
    search_units = dict.fromkeys(run[:_LONGEST_TERM] for word in query_words for run in analyser.search_units(word))
    terms = list(search_units)[:_MAX_TERMS]
    if not terms:
        return None
    clauses = [quote(term) for term in terms]
    if phrase_boost > 0:
        suffix = f"~{slop}^{_number(phrase_boost)}"
        clauses += [quote(f"{first} {second}") + suffix for first, second in _pairs(query_words, terms, analyser)]
    either = " ".join(clauses)
    return " ".join(f"{field}:({either})^{_number(boost)}" for field, boost in fields.items())


def _pairs(query_words: Sequence[str], terms: Sequence[str], analyser: Analyser) -> list[tuple[str, str]]:
    """Return the pairs of adjacent words, without duplicates. Stop words are ignored."""
    term_set = frozenset(terms)
    words = [word for word in query_words if word not in analyser.stop_words]
    pairs = dict.fromkeys(pair for pair in pairwise(words) if pair[0] != pair[1])
    return [pair for pair in pairs if term_set.issuperset(pair)][: len(terms)]


def quote(text: str) -> str:
    """Return the text in quotation marks, with backslashes and quotation marks escaped."""
    return '"' + re.sub(r'([\\"])', r"\\\1", text) + '"'


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
