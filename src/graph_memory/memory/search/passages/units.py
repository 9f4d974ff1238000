"""The smallest parts of passages: sentences, lines, and parts of long sentences or lines.

No suitable library exists: pysbd takes seconds per megabyte and has had no release since 2021, uniseg takes half a
minute, and semantic-text-splitter treats characters without spaces as one word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

MAX_UNIT_WORDS = 45
"""Maximum number of words of a unit. Longer sentences and lines are cut."""
_MIN_CLAUSE_WORDS = 20
"""Number of words after which a long sentence can be cut at a comma or a similar mark."""

_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"  # Japanese, Chinese
)
WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]{{1,16}}")
"""A word. In scripts without spaces, each character is a word. In other scripts, a long sequence without white space is
split into words of 16 characters."""
_MAX_WORD_LENGTH = 17
_LINE = re.compile(r"[^\n]+")
_CLAUSE_END = tuple(",;:)]}、，；：—")
_END = re.compile(
    r"""(?<![.!?…])[.!?…]++["'”’»)\]*_]*+(?=\s++(\S))|[؟۔।॥]++(?=\s)|[。！？｡]++[」』”’）]*+""",
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'“])(?:[^\W\d_]|\d{1,3}|mrs?|ms|dr|prof|st|jr|sr|vs|cf|ca|fig|no|vol|e\.g|i\.e|z\.B|al|approx)\.$",
    re.IGNORECASE,
)
_CONTEXT_LENGTH = 16


class BoundaryLevel(IntEnum):
    """How suitable a unit is as the start of a passage. Lower levels are more suitable."""

    PARAGRAPH = 0
    """The start of a paragraph, a definition, a row or a turn."""
    LINE = 1
    """A line of code or data, or a list item."""
    SENTENCE = 2
    PART = 3
    """The second or a later part of a long sentence or line."""


class TextRange(NamedTuple):
    """A text range that neither starts nor ends with white space."""

    start: int
    end: int
    words: int
    level: BoundaryLevel


@dataclass(frozen=True, slots=True)
class Section:
    """Units under the same head: a heading, a speaker, a table header or a signature."""

    head: str
    units: list[TextRange]


def last_words(text: str, end: int, limit: int) -> str:
    """Return the text of up to `limit` words before a position."""
    part = text[max(0, end - limit * _MAX_WORD_LENGTH) : end]
    matches = list(WORD.finditer(part))[-limit:]
    return part[matches[0].start() :].rstrip() if matches else ""


def first_words(text: str, start: int, limit: int) -> str:
    """Return the text of up to `limit` words after a position."""
    part = text[start : start + limit * _MAX_WORD_LENGTH]
    matches = list(WORD.finditer(part))[:limit]
    return part[: matches[-1].end()].lstrip() if matches else ""


def sentence_units(text: str, start: int, end: int, level: BoundaryLevel) -> Iterator[TextRange]:
    """Yield the sentences in a text range. The first sentence has the level `level`."""
    for sentence_start, sentence_end in sentence_ranges(text, start, end):
        for unit in split_into_units(text, sentence_start, sentence_end, level):
            yield unit
            level = BoundaryLevel.SENTENCE


def _is_abbreviated(before: str, _: str) -> bool:
    return _ABBREVIATION.search(before) is not None


def sentence_ranges(
    text: str, start: int, end: int, is_continued: Callable[[str, str], bool] = _is_abbreviated
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the sentences between two positions of a text.

    A full stop does not end a sentence before a lower-case word, or if `is_continued` returns True for the text before
    and after it.
    """
    for match in _END.finditer(text, start, end):
        if match[1] is not None:
            stop = match.start() + 1
            before = text[max(start, stop - _CONTEXT_LENGTH) : stop]
            after = text[stop : stop + _CONTEXT_LENGTH].lstrip()
            if match[1].islower() or (match[0] == "." and is_continued(before, after)):
                continue
        yield start, match.end()
        start = match.end()
    yield start, end


def split_into_units(text: str, start: int, end: int, level: BoundaryLevel) -> Iterator[TextRange]:
    """Yield a sentence or line as one unit, or as several units if it is too long. Blank text has no units."""
    words: list[tuple[int, int]] = []
    for match in WORD.finditer(text, start, end):
        words.append(match.span())
        if len(words) > MAX_UNIT_WORDS:
            after = _choose_cut(text, words)
            yield TextRange(words[0][0], words[after - 1][1], after, level)
            words, level = words[after:], BoundaryLevel.PART
    if words:
        yield TextRange(words[0][0], words[-1][1], len(words), level)


def _choose_cut(text: str, words: Sequence[tuple[int, int]]) -> int:
    """Return the index of the word that begins the next part: after a clause if possible, otherwise after a space."""
    latest = len(words) - 1
    for after in range(latest, _MIN_CLAUSE_WORDS, -1):
        if text[words[after - 1][1] - 1] in _CLAUSE_END:
            return after
    for after in range(latest, _MIN_CLAUSE_WORDS, -1):
        if words[after - 1][1] < words[after][0]:
            return after
    return latest


def line_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the non-empty lines."""
    return (match.span() for match in _LINE.finditer(text, start, end))
