"""Packs units into passages, so that an edit of the text changes only the passages around the edit.

The text itself determines where passages begin, not the end of the previous passage. Each unit has a rank: paragraphs
come before lines, and lines before sentences. Units of the same kind are ordered by a hash of their beginning. A unit
with the lowest rank within 48 words on either side begins a passage. If the range between two such units is too long,
it is cut from its beginning, at the unit with the lowest rank that leaves neither side too short.

Source: N. Bjørner, A. Blass, Y. Gurevich, Content-dependent chunking for differential compression, the local maximum
approach (2010).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise

from graph_memory.memory.search.passages.units import BoundaryLevel, TextRange

MAX_WORDS = 120
"""Maximum number of words of a passage."""
_MAX_BODY_WORDS = 114
"""Maximum number of words of a passage, not counting a repeated sentence."""
_MIN_WORDS = 25
"""Minimum number of words on either side of a cut, if possible."""
_REACH_WORDS = 48
"""Number of words on either side within which a unit must have the lowest rank. It must exceed the length of the
longest unit, because such a unit would otherwise always have the lowest rank."""
_PREFIX_LENGTH = 64
"""Number of characters that identify a unit. For a short unit, they include the characters after it."""

_Rank = tuple[BoundaryLevel, bytes]


def pack_units(text: str, units: Sequence[TextRange]) -> Iterator[tuple[int, int]]:
    """Yield the start and end offsets of a section's passages, in order.

    A passage that begins inside a paragraph repeats the previous sentence, if both fit.
    """
    word_offsets = list(accumulate((unit.words for unit in units), initial=0))
    if word_offsets[-1] <= MAX_WORDS:
        if units:
            yield units[0].start, units[-1].end
        return
    ranks = [_rank(text, unit) for unit in units]
    boundaries = [0, *_peak_indexes(ranks, word_offsets), len(units)]
    cuts = [cut for first, after in pairwise(boundaries) for cut in _cut_indexes(ranks, word_offsets, first, after)]
    for first, after in pairwise([*cuts, len(units)]):
        words = word_offsets[after] - word_offsets[first]
        repeats = (
            first > 0 and units[first].level >= BoundaryLevel.SENTENCE and words + units[first - 1].words <= MAX_WORDS
        )
        yield units[first - repeats].start, units[after - 1].end


def _rank(text: str, unit: TextRange) -> _Rank:
    beginning = text[unit.start : unit.start + _PREFIX_LENGTH]
    return unit.level, blake2b(beginning.encode(errors="surrogatepass"), digest_size=8).digest()


def _peak_indexes(ranks: Sequence[_Rank], word_offsets: Sequence[int]) -> Iterator[int]:
    """Yield the index of each unit whose rank is the lowest within `_REACH_WORDS` words.

    On a tie, the first unit counts as lower.
    """
    total = word_offsets[-1]
    next_lower = [total + _REACH_WORDS + 1] * len(ranks)
    previous_lower = [-_REACH_WORDS - 1] * len(ranks)
    lower: list[int] = []
    for unit, rank in enumerate(ranks):
        while lower and ranks[lower[-1]] > rank:
            next_lower[lower.pop()] = word_offsets[unit]
        if lower:
            previous_lower[unit] = word_offsets[lower[-1]]
        lower.append(unit)
    for unit in range(1, len(ranks)):
        offset = word_offsets[unit]
        is_lowest = offset - previous_lower[unit] > _REACH_WORDS and next_lower[unit] - offset > _REACH_WORDS
        if is_lowest and min(offset, total - offset) >= _MIN_WORDS:
            yield unit


def _cut_indexes(ranks: Sequence[_Rank], word_offsets: Sequence[int], first: int, after: int) -> Iterator[int]:
    """Yield the index of the first unit of each passage in a range of units."""
    yield first
    while (word_count := word_offsets[after] - word_offsets[first]) > _MAX_BODY_WORDS:
        low, high = _MIN_WORDS, _MAX_BODY_WORDS
        if word_count <= 2 * _MAX_BODY_WORDS:
            low, high = max(low, word_count - _MAX_BODY_WORDS), min(high, word_count - low)
        first = _best_cut(ranks, word_offsets, first, low, high)
        yield first


def _best_cut(ranks: Sequence[_Rank], word_offsets: Sequence[int], first: int, low: int, high: int) -> int:
    best = last_fitting = first + 1
    for unit in range(first + 1, len(ranks)):
        word_count = word_offsets[unit] - word_offsets[first]
        if word_count > _MAX_BODY_WORDS:
            break
        last_fitting = unit
        is_better = ranks[unit] <= ranks[best] or word_offsets[best] - word_offsets[first] < low
        if low <= word_count <= high and is_better:
            best = unit
    return best if low <= word_offsets[best] - word_offsets[first] <= high else last_fitting
