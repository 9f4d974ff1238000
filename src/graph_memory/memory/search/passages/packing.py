"""Packs units into passages, so that an edit of the text only changes the passages around the edit.

Passages begin where the text itself determines it, not where the previous passage ended. Each unit has a rank:
paragraphs before lines before sentences, and among equals a hash of its beginning. A unit with the lowest rank within
48 words on either side begins a passage. A longer range between two such units is cut from its beginning, at the lowest
rank that leaves neither side too short.

Source: N. Bjørner, A. Blass, Y. Gurevich, Content-dependent chunking for differential compression, the local maximum
approach (2010).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise

from graph_memory.memory.search.passages.units import Level, Unit

MAX_WORDS = 120
"""Maximum number of words of a passage."""
_MAX_BODY_WORDS = 114
"""Maximum number of words of a passage without its repeated sentence."""
_MIN_WORDS = 25
"""Minimum number of words on either side of a cut, if possible."""
_REACH_WORDS = 48
"""Number of words on either side within which a unit must have the lowest rank. It exceeds the longest unit, which
would otherwise always have the lowest rank within reach.
"""
_PREFIX_LENGTH = 64
"""Number of characters that identify a unit. A short unit includes the characters after it."""

_Rank = tuple[Level, bytes]


def pack(text: str, units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Yield the first and last character of each passage of a section, in order.

    A passage that begins inside a paragraph repeats the previous sentence, if both fit.
    """
    places = list(accumulate((unit.words for unit in units), initial=0))
    if places[-1] <= MAX_WORDS:
        if units:
            yield units[0].start, units[-1].end
        return
    ranks = [_rank(text, unit) for unit in units]
    marks = [0, *_peaks(ranks, places), len(units)]
    cuts = [cut for first, after in pairwise(marks) for cut in _cuts(ranks, places, first, after)]
    for first, after in pairwise([*cuts, len(units)]):
        words = places[after] - places[first]
        repeats = first > 0 and units[first].level >= Level.SENTENCE and words + units[first - 1].words <= MAX_WORDS
        yield units[first - repeats].start, units[after - 1].end


def _rank(text: str, unit: Unit) -> _Rank:
    beginning = text[unit.start : unit.start + _PREFIX_LENGTH]
    return unit.level, blake2b(beginning.encode(errors="surrogatepass"), digest_size=8).digest()


def _peaks(ranks: Sequence[_Rank], places: Sequence[int]) -> Iterator[int]:
    """Yield each unit whose rank is lowest within reach. Of equal ranks, the first unit counts."""
    total = places[-1]
    until = [total + _REACH_WORDS + 1] * len(ranks)
    since = [-_REACH_WORDS - 1] * len(ranks)
    lower: list[int] = []
    for unit, rank in enumerate(ranks):
        while lower and ranks[lower[-1]] > rank:
            until[lower.pop()] = places[unit]
        if lower:
            since[unit] = places[lower[-1]]
        lower.append(unit)
    for unit in range(1, len(ranks)):
        place = places[unit]
        is_lowest = place - since[unit] > _REACH_WORDS and until[unit] - place > _REACH_WORDS
        if is_lowest and min(place, total - place) >= _MIN_WORDS:
            yield unit


def _cuts(ranks: Sequence[_Rank], places: Sequence[int], first: int, after: int) -> Iterator[int]:
    """Yield the first unit of each passage in a range of units."""
    yield first
    while (size := places[after] - places[first]) > _MAX_BODY_WORDS:
        low, high = _MIN_WORDS, _MAX_BODY_WORDS
        if size <= 2 * _MAX_BODY_WORDS:
            low, high = max(low, size - _MAX_BODY_WORDS), min(high, size - low)
        first = _best(ranks, places, first, low, high)
        yield first


def _best(ranks: Sequence[_Rank], places: Sequence[int], first: int, low: int, high: int) -> int:
    best = last = first + 1
    for unit in range(first + 1, len(ranks)):
        size = places[unit] - places[first]
        if size > _MAX_BODY_WORDS:
            break
        last = unit
        is_better = ranks[unit] <= ranks[best] or places[best] - places[first] < low
        if low <= size <= high and is_better:
            best = unit
    return best if low <= places[best] - places[first] <= high else last
