"""The part of a passage that is shown: where the words of a question stand thickest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.memory.search.text.bm25 import Query

CUT = "…"
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Characters of a text that are shown, and that text with a sign where something was cut off."""

    start: int
    end: int
    shown: str


def excerpt(text: str, question: Query, characters: int) -> Excerpt:
    """Return about so many characters of a text, whole words of it, around the most of the terms that are asked for."""
    if len(text) <= characters:
        return Excerpt(0, len(text), text)
    spans = [match.span() for match in _WORD.finditer(text)]
    if not spans:
        return Excerpt(0, characters, text[:characters])
    matches = [_matched(text[start:end], question) for start, end in spans]
    first, last = _widened(spans, *_thickest(spans, matches, characters), characters)
    start, end = spans[first][0], min(spans[last][1], spans[first][0] + characters)
    before, after = CUT if first > 0 else "", CUT if end < len(text.rstrip()) else ""
    return Excerpt(start, end, f"{before}{text[start:end]}{after}")


def _matched(word: str, question: Query) -> str:
    """Return the term that a word stands for, nothing where it is none of those."""
    return next((term for term in question.analyser.terms(word) if term in question.terms), "")


def _thickest(spans: Sequence[tuple[int, int]], matches: Sequence[str], characters: int) -> tuple[int, int]:
    """Return the first and last word of a stretch that holds the most different terms; of equal ones the first."""
    places = [place for place, match in enumerate(matches) if match]
    best, kept = (0, 0), 0
    for number, first in enumerate(places):
        held: set[str] = set()
        last = first
        for place in places[number:]:
            if spans[place][1] - spans[first][0] > characters:
                break
            held.add(matches[place])
            last = place
        if len(held) > kept:
            best, kept = (first, last), len(held)
    return best


def _widened(spans: Sequence[tuple[int, int]], first: int, last: int, characters: int) -> tuple[int, int]:
    """Return a stretch with as many words before and after it as there is room for, in turns."""
    is_before = True
    while True:
        room = characters - (spans[last][1] - spans[first][0])
        has_before = first > 0 and spans[first][0] - spans[first - 1][0] <= room
        has_after = last + 1 < len(spans) and spans[last + 1][1] - spans[last][1] <= room
        if has_before and (is_before or not has_after):
            first -= 1
        elif has_after:
            last += 1
        else:
            return first, last
        is_before = not is_before
