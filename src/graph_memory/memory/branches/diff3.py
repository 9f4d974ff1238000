"""Three texts merged line by line, after Khanna, Kunal and Pierce, "A Formal Investigation of Diff3" (2007)."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

MOST_PAIRS = 2_000_000
"""Pairs of equal lines that a comparison may come to: more could take minutes."""

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of the three texts: the lines that it has in each, and how many lines of each come before it."""

    base: Lines
    ours: Lines
    theirs: Lines
    before: tuple[int, int, int]

    @property
    def is_conflict(self) -> bool:
        """Whether both sides changed it, and not to the same."""
        return self.merged is None

    @property
    def merged(self) -> Lines | None:
        """The lines that it comes to, None when they are in conflict."""
        if self.theirs in (self.base, self.ours):
            return self.ours
        return self.theirs if self.ours == self.base else None


@dataclass(frozen=True, slots=True)
class MergedText:
    """The merged text, or where it could not be merged: None for the text, and the chunks that are in conflict."""

    text: str | None
    conflicts: tuple[Chunk, ...] = ()


def merge_texts(base: str, ours: str, theirs: str) -> MergedText | None:
    """Return the merge of two texts that both come from `base`; None when comparing them would take too long."""
    if theirs in (base, ours):
        return MergedText(ours)
    if ours == base:
        return MergedText(theirs)
    results = chunks(_lines(base), _lines(ours), _lines(theirs))
    if results is None:
        return None
    if conflicts := tuple(chunk for chunk in results if chunk.is_conflict):
        return MergedText(None, conflicts)
    return MergedText("\n".join(line for chunk in results for line in chunk.merged or ()))


def chunks(base: Lines, ours: Lines, theirs: Lines) -> list[Chunk] | None:
    """Return the texts cut into stretches that all three share and stretches that differ, alternating.

    None when comparing them would take too long.
    """
    counts, other = _matches(base, ours), _matches(base, theirs)
    if counts is None or other is None:
        return None
    shared = ((line, counts[line], other[line]) for line in range(len(base)) if line in counts and line in other)
    return list(_cut((base, ours, theirs), shared))


def _cut(texts: tuple[Lines, Lines, Lines], shared: Iterable[tuple[int, int, int]]) -> Iterator[Chunk]:
    """Cut three texts at the lines that they share, given by their places in each."""
    begin = here = (0, 0, 0)
    for place in shared:
        if place != here:
            yield from _chunk(texts, begin, here)
            yield from _chunk(texts, here, place)
            begin = place
        here = (place[0] + 1, place[1] + 1, place[2] + 1)
    yield from _chunk(texts, begin, here)
    yield from _chunk(texts, here, (len(texts[0]), len(texts[1]), len(texts[2])))


def _chunk(texts: Sequence[Lines], begin: tuple[int, int, int], end: tuple[int, int, int]) -> Iterator[Chunk]:
    if begin != end:
        base, ours, theirs = (text[first:last] for text, first, last in zip(texts, begin, end, strict=True))
        yield Chunk(base, ours, theirs, begin)


def _matches(base: Lines, other: Lines) -> dict[int, int] | None:
    """Return which lines of two texts are taken for the same, by their places; None when it would take too long."""
    head = _common(base, other)
    tail = _common(base[head:][::-1], other[head:][::-1])
    one, two = base[head : len(base) - tail], other[head : len(other) - tail]
    counts = Counter(two)
    if sum(counts[line] for line in one) > MOST_PAIRS:
        return None
    found = {place: place for place in range(head)}
    for block in difflib.SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks():
        found.update((head + block.a + place, head + block.b + place) for place in range(block.size))
    found.update((len(base) - place, len(other) - place) for place in range(tail, 0, -1))
    return found


def _common(lines: Lines, other: Lines) -> int:
    """Return how many lines two texts have in common at their beginnings."""
    both = zip(lines, other, strict=False)
    return next((place for place, (line, also) in enumerate(both) if line != also), min(len(lines), len(other)))


def _lines(text: str) -> Lines:
    """Return the lines, so that joining them again gives the text."""
    return tuple(text.split("\n"))
