"""A merge of three texts line by line, after Khanna, Kunal and Pierce, "A Formal Investigation of Diff3" (2007)."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

MAX_PAIRS = 2_000_000
"""Maximum number of pairs of equal lines in a comparison. More pairs could take minutes to compare."""

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A block of lines in the three texts. `before` contains the number of preceding lines in each text."""

    base: Lines
    ours: Lines
    theirs: Lines
    before: tuple[int, int, int]

    @property
    def is_conflict(self) -> bool:
        """Whether both sides changed the block differently."""
        return self.merged is None

    @property
    def merged(self) -> Lines | None:
        """The merged lines, or None if the sides are in conflict."""
        if self.theirs in (self.base, self.ours):
            return self.ours
        return self.theirs if self.ours == self.base else None


@dataclass(frozen=True, slots=True)
class MergedText:
    """The merged text. If chunks are in conflict, the text is None, and `conflicts` contains these chunks."""

    text: str | None
    conflicts: tuple[Chunk, ...] = ()


def merge_texts(base: str, ours: str, theirs: str) -> MergedText | None:
    """Return the merge of two texts that come from `base`, or None if comparing them would take too long."""
    if theirs in (base, ours):
        return MergedText(ours)
    if ours == base:
        return MergedText(theirs)
    chunks = split_into_chunks(_split_lines(base), _split_lines(ours), _split_lines(theirs))
    if chunks is None:
        return None
    if conflicts := tuple(chunk for chunk in chunks if chunk.is_conflict):
        return MergedText(None, conflicts)
    return MergedText("\n".join(line for chunk in chunks for line in chunk.merged or ()))


def split_into_chunks(base: Lines, ours: Lines, theirs: Lines) -> list[Chunk] | None:
    """Return alternating shared and differing chunks, or None if comparing the lines would take too long."""
    our_line_of, their_line_of = _match_lines(base, ours), _match_lines(base, theirs)
    if our_line_of is None or their_line_of is None:
        return None
    shared = (
        (line, our_line_of[line], their_line_of[line])
        for line in range(len(base))
        if line in our_line_of and line in their_line_of
    )
    return list(_cut_into_chunks((base, ours, theirs), shared))


def _cut_into_chunks(texts: tuple[Lines, Lines, Lines], shared: Iterable[tuple[int, int, int]]) -> Iterator[Chunk]:
    """Cut three texts at the lines that they share. `shared` has the position of each such line in every text."""
    block_begin = block_end = (0, 0, 0)
    for position in shared:
        if position != block_end:
            yield from _make_chunk(texts, block_begin, block_end)
            yield from _make_chunk(texts, block_end, position)
            block_begin = position
        block_end = (position[0] + 1, position[1] + 1, position[2] + 1)
    yield from _make_chunk(texts, block_begin, block_end)
    yield from _make_chunk(texts, block_end, (len(texts[0]), len(texts[1]), len(texts[2])))


def _make_chunk(texts: Sequence[Lines], begin: tuple[int, int, int], end: tuple[int, int, int]) -> Iterator[Chunk]:
    if begin != end:
        base, ours, theirs = (text[first:last] for text, first, last in zip(texts, begin, end, strict=True))
        yield Chunk(base, ours, theirs, begin)


def _match_lines(base: Lines, other: Lines) -> dict[int, int] | None:
    """Map the positions of shared lines in `base` to those in `other`. Returns None if too many pairs are equal."""
    prefix_length = _common_prefix_length(base, other)
    suffix_length = _common_prefix_length(base[prefix_length:][::-1], other[prefix_length:][::-1])
    base_middle = base[prefix_length : len(base) - suffix_length]
    other_middle = other[prefix_length : len(other) - suffix_length]
    line_counts = Counter(other_middle)
    if sum(line_counts[line] for line in base_middle) > MAX_PAIRS:
        return None
    matches = {position: position for position in range(prefix_length)}
    for block in difflib.SequenceMatcher(None, base_middle, other_middle, autojunk=False).get_matching_blocks():
        matches.update(
            (prefix_length + block.a + position, prefix_length + block.b + position) for position in range(block.size)
        )
    matches.update((len(base) - position, len(other) - position) for position in range(suffix_length, 0, -1))
    return matches


def _common_prefix_length(lines: Lines, other: Lines) -> int:
    line_pairs = zip(lines, other, strict=False)
    return next(
        (position for position, (line, other_line) in enumerate(line_pairs) if line != other_line),
        min(len(lines), len(other)),
    )


def _split_lines(text: str) -> Lines:
    return tuple(text.split("\n"))
