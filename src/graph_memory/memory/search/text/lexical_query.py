"""A question as a query of Neo4j's full-text index, in Lucene's syntax, in which nothing of the user's is syntax."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise

from graph_memory.memory.search.text.analysers import ENGLISH, Analyser

_LONGEST_TERM = 255
"""Characters of a token in Lucene."""
_LONGEST_TEXT = 20_000


def lexical_query(
    text: str,
    analyser: Analyser = ENGLISH,
    *,
    fields: Mapping[str, float],
    phrase_boost: float = 0.3,
    slop: int = 2,
    most_terms: int = 64,
) -> str | None:
    """Return a query for the words of a text in fields with their boosts; None when there is nothing to look for.

    The words are those of the analyser whose index is searched.

    Words that only ask are left out, unless there are no others. Words that stand beside each other, at most `slop`
    words apart, count as a phrase too. Of a longer text the first `most_terms` different words count.
    """
    every = analyser.words(text[:_LONGEST_TEXT])
    requests = [word for word in every if word not in analyser.asking] or every
    lines = list(dict.fromkeys(run[:_LONGEST_TERM] for word in requests for run in analyser.runs(word)))
    terms = list(islice(lines, most_terms))
    if not terms:
        return None
    clauses = [quoted(term) for term in terms]
    if phrase_boost > 0:
        suffix = f"~{slop}^{_number(phrase_boost)}"
        clauses += [quoted(f"{first} {second}") + suffix for first, second in _pairs(requests, terms, analyser)]
    either = " ".join(clauses)
    return " ".join(f"{field}:({either})^{_number(boost)}" for field, boost in fields.items())


def _pairs(requests: Sequence[str], terms: Sequence[str], analyser: Analyser) -> list[tuple[str, str]]:
    """Return the words that stand beside each other, but for those that the index leaves out, each pair once."""
    known = frozenset(terms)
    kept = [word for word in requests if word not in analyser.stop_words]
    found = dict.fromkeys(pair for pair in pairwise(kept) if pair[0] != pair[1])
    return [pair for pair in found if known.issuperset(pair)][: len(terms)]


def quoted(text: str) -> str:
    """Return text in quotes, in which Lucene reads nothing but a backslash and the quote itself."""
    return '"' + re.sub(r'([\\"])', r"\\\1", text) + '"'


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
