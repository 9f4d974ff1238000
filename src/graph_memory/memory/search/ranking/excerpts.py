"""Chooses which part of a passage to show: the part with the most words of the query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.memory.search.text.bm25 import Query

CUT = "…"
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The shown range of a text, and the shown text with marks where it was cut."""

    start: int
    end: int
    text: str


def choose_excerpt(text: str, question: Query, characters: int) -> Excerpt:
    """Return an excerpt of at most `characters` characters in whole words, with as many query terms as possible."""
    if len(text) <= characters:
        return Excerpt(0, len(text), text)
    spans = [match.span() for match in _WORD.finditer(text)]
    if not spans:
        return Excerpt(0, characters, text[:characters])
    matches = [_match_term(text[start:end], question) for start, end in spans]
    first, last = _widen(spans, *_find_densest(spans, matches, characters), characters)
    start, end = spans[first][0], min(spans[last][1], spans[first][0] + characters)
    before, after = CUT if first > 0 else "", CUT if end < len(text.rstrip()) else ""
    return Excerpt(start, end, f"{before}{text[start:end]}{after}")


def _match_term(word: str, question: Query) -> str:
    return next((term for term in question.analyser.terms(word) if term in question.terms), "")


def _find_densest(spans: Sequence[tuple[int, int]], matches: Sequence[str], characters: int) -> tuple[int, int]:
    """Return the indexes of the first and last word of the range with the most distinct terms.

    If several ranges have equally many, return the first of them.
    """
    match_positions = [position for position, match in enumerate(matches) if match]
    best, term_count = (0, 0), 0
    for index, first in enumerate(match_positions):
        terms: set[str] = set()
        last = first
        for position in match_positions[index:]:
            if spans[position][1] - spans[first][0] > characters:
                break
            terms.add(matches[position])
            last = position
        if len(terms) > term_count:
            best, term_count = (first, last), len(terms)
    return best


def _widen(spans: Sequence[tuple[int, int]], first: int, last: int, characters: int) -> tuple[int, int]:
    """Extend a range of words on alternating sides, up to a length of `characters` characters."""
    is_before = True
    while True:
        remaining = characters - (spans[last][1] - spans[first][0])
        has_before = first > 0 and spans[first][0] - spans[first - 1][0] <= remaining
        has_after = last + 1 < len(spans) and spans[last + 1][1] - spans[last][1] <= remaining
        if has_before and (is_before or not has_after):
            first -= 1
        elif has_after:
            last += 1
        else:
            return first, last
        is_before = not is_before
