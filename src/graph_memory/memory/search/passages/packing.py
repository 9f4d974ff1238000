"""Packs units into passages, so that a change of the text changes the passages around it and no others.

A passage begins where the text itself says so, and not where the one before it happened to end. Each unit has a rank:
paragraphs first, then lines, then sentences, and among equals a hash of how it begins. A unit that has the lowest rank
among those within 48 words on either side begins a passage, whatever stands elsewhere. What lies between two of these
and is too long for one passage is cut from its beginning, at the lowest rank that leaves neither side too short.

Source: N. Bjørner, A. Blass, Y. Gurevich, Content-dependent chunking for differential compression, the local maximum
approach (2010).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise

from graph_memory.memory.search.passages.units import Level, Unit

LONGEST = 120
"""Words of a passage."""
_BODY = 114
"""Words of a passage without the sentence that it repeats."""
_SHORTEST = 25
"""Words that a cut leaves on either side, where it can."""
_NEAR = 48
"""Words within which a unit must rank lowest. More than the longest unit, which would always rank lowest else."""
_BEGINNING = 64
"""Characters that a unit is told by: a short one by those after it too."""

_Rank = tuple[Level, bytes]


def pack(text: str, units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Give the first and the last character of each passage that the units of a section make, in order.

    A passage that begins inside a paragraph repeats the sentence before it, where both fit in.
    """
    places = list(accumulate((unit.words for unit in units), initial=0))
    if places[-1] <= LONGEST:
        if units:
            yield units[0].start, units[-1].end
        return
    ranks = [_rank(text, unit) for unit in units]
    marks = [0, *_peaks(ranks, places), len(units)]
    cuts = [cut for first, after in pairwise(marks) for cut in _cuts(ranks, places, first, after)]
    for first, after in pairwise([*cuts, len(units)]):
        words = places[after] - places[first]
        repeats = first > 0 and units[first].level >= Level.SENTENCE and words + units[first - 1].words <= LONGEST
        yield units[first - repeats].start, units[after - 1].end


def _rank(text: str, unit: Unit) -> _Rank:
    beginning = text[unit.start : unit.start + _BEGINNING]
    return unit.level, blake2b(beginning.encode(errors="surrogatepass"), digest_size=8).digest()


def _peaks(ranks: Sequence[_Rank], places: Sequence[int]) -> Iterator[int]:
    """Give the units that rank lowest among all within reach; the first of several that are the same."""
    total = places[-1]
    until = [total + _NEAR + 1] * len(ranks)
    since = [-_NEAR - 1] * len(ranks)
    lower: list[int] = []
    for unit, rank in enumerate(ranks):
        while lower and ranks[lower[-1]] > rank:
            until[lower.pop()] = places[unit]
        if lower:
            since[unit] = places[lower[-1]]
        lower.append(unit)
    for unit in range(1, len(ranks)):
        place = places[unit]
        is_lowest = place - since[unit] > _NEAR and until[unit] - place > _NEAR
        if is_lowest and min(place, total - place) >= _SHORTEST:
            yield unit


def _cuts(ranks: Sequence[_Rank], places: Sequence[int], first: int, after: int) -> Iterator[int]:
    """Give the first unit of each passage between two units."""
    yield first
    while (size := places[after] - places[first]) > _BODY:
        low, high = _SHORTEST, _BODY
        if size <= 2 * _BODY:
            low, high = max(low, size - _BODY), min(high, size - low)
        first = _best(ranks, places, first, low, high)
        yield first


def _best(ranks: Sequence[_Rank], places: Sequence[int], first: int, low: int, high: int) -> int:
    best = last = first + 1
    for unit in range(first + 1, len(ranks)):
        size = places[unit] - places[first]
        if size > _BODY:
            break
        last = unit
        is_better = ranks[unit] <= ranks[best] or places[best] - places[first] < low
        if low <= size <= high and is_better:
            best = unit
    return best if low <= places[best] - places[first] <= high else last
