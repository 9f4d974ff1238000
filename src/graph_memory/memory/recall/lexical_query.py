"""A question as a query of Neo4j's full-text index, in Lucene's syntax, in which nothing of the user's is syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

from graph_memory.memory.recall.bm25 import QUESTION_WORDS
from graph_memory.memory.recall.english import ALONE, STOP_WORDS, words

_LONGEST_TERM = 255
"""Characters of a token in Lucene."""
_LONGEST_TEXT = 20_000
_RUN = re.compile(rf"[{ALONE}]+|[^{ALONE}]+")
_IDEOGRAPH = re.compile(rf"[{ALONE}]")


def lexical_query(
    text: str, *, fields: Mapping[str, float], phrase_boost: float = 0.3, slop: int = 2, most_terms: int = 64
) -> str | None:
    """Return a query for the words of a text in fields with their boosts; None when there is nothing to look for.

    Words that only ask are left out, unless there are no others. Words that stand beside each other, at most `slop`
    words apart, count as a phrase too. Of a longer text the first `most_terms` different words count.
    """
    every = words(text[:_LONGEST_TEXT])
    asked = [word for word in every if word not in QUESTION_WORDS] or every
    told = list(dict.fromkeys(part for word in asked for part in _parts(word)))
    terms = list(islice(told, most_terms))
    if not terms:
        return None
    clauses = [quoted(term) for term in terms]
    if phrase_boost > 0:
        suffix = f"~{slop}^{_number(phrase_boost)}"
        clauses += [quoted(f"{first} {second}") + suffix for first, second in _pairs(asked, terms)]
    either = " ".join(clauses)
    return " ".join(f"{field}:({either})^{_number(boost)}" for field, boost in fields.items())


def _parts(word: str) -> Iterator[str]:
    """Give a word, or where Lucene takes each character for a word, these in pairs."""
    for run in _RUN.findall(word):
        if len(run) > 1 and _IDEOGRAPH.match(run):
            yield from (first + second for first, second in pairwise(run))
        else:
            yield run[:_LONGEST_TERM]


def _pairs(asked: Sequence[str], terms: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words that stand beside each other, but for those that the index leaves out, each pair once."""
    known = frozenset(terms)
    kept = [word for word in asked if word not in STOP_WORDS]
    found = dict.fromkeys(pair for pair in pairwise(kept) if pair[0] != pair[1])
    return [pair for pair in found if known.issuperset(pair)][: len(terms)]


def quoted(text: str) -> str:
    """Return text in quotes, in which Lucene reads nothing but a backslash and the quote itself."""
    return '"' + re.sub(r'([\\"])', r"\\\1", text) + '"'


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
