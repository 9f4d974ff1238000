"""The smallest parts of a text that a passage is made of: sentences, lines, and parts of those that are too long.

Own code, since the libraries that were tried do not fit: pysbd takes a few seconds for a megabyte and has had no
release since 2021, uniseg takes half a minute, and semantic-text-splitter takes a run without blanks for one word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

LONGEST_UNIT = 45
"""Words of a unit: a longer sentence or line is cut."""
_CLAUSE = 20
"""Words after which a sentence that is too long may be cut at a comma or the like."""

_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"  # Japanese, Chinese
)
WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]{{1,16}}")
"""A word. In scripts without spaces each character is one; so are every 16 characters of a run without blanks."""
_LONGEST_WORD = 17
_LINE = re.compile(r"[^\n]+")
_CLAUSE_END = tuple(",;:)]}、，；：—")
_END = re.compile(
    r"""(?<![.!?…])[.!?…]++["'”’»)\]*_]*+(?=\s++(\S))|[؟۔।॥]++(?=\s)|[。！？｡]++[」』”’）]*+""",
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'“])(?:[^\W\d_]|\d{1,3}|mrs?|ms|dr|prof|st|jr|sr|vs|cf|ca|fig|no|vol|e\.g|i\.e|z\.B|al|approx)\.$",
    re.IGNORECASE,
)
_LOOK_AROUND = 16


class Level(IntEnum):
    """How good it is to begin a passage at a unit: the lowest is the best."""

    PARAGRAPH = 0
    """A paragraph, a definition, a row, a turn."""
    LINE = 1
    """A line of code or data, an item of a list."""
    SENTENCE = 2
    PART = 3
    """The rest of a sentence or line that is too long."""


class Unit(NamedTuple):
    """A part of a text, from one character to another, with no blanks at its ends."""

    start: int
    end: int
    words: int
    level: Level


@dataclass(frozen=True, slots=True)
class Section:
    """Units that stand under one head: a heading, a speaker, the header of a table, a signature."""

    head: str
    units: list[Unit]


def last_words(text: str, end: int, most: int) -> str:
    """Return up to so many words before a place in a text."""
    part = text[max(0, end - most * _LONGEST_WORD) : end]
    matches = list(WORD.finditer(part))[-most:]
    return part[matches[0].start() :].rstrip() if matches else ""


def first_words(text: str, start: int, most: int) -> str:
    """Return up to so many words after a place in a text."""
    part = text[start : start + most * _LONGEST_WORD]
    matches = list(WORD.finditer(part))[:most]
    return part[: matches[-1].end()].lstrip() if matches else ""


def sentences(text: str, start: int, end: int, level: Level) -> Iterator[Unit]:
    """Give the sentences of a part of a text; the first of them begins at this level."""
    for sentence_start, sentence_end in sentence_ranges(text, start, end):
        for unit in units(text, sentence_start, sentence_end, level):
            yield unit
            level = Level.SENTENCE


def _is_abbreviated(before: str, _: str) -> bool:
    return _ABBREVIATION.search(before) is not None


def sentence_ranges(
    text: str, start: int, end: int, goes_on: Callable[[str, str], bool] = _is_abbreviated
) -> Iterator[tuple[int, int]]:
    """Give where the sentences of a part of a text begin and end.

    A point ends none before a word in lower case, nor where `goes_on` says so of the characters up to it and after it.
    """
    for match in _END.finditer(text, start, end):
        if match[1] is not None:
            stop = match.start() + 1
            before, after = text[max(start, stop - _LOOK_AROUND) : stop], text[stop : stop + _LOOK_AROUND].lstrip()
            if match[1].islower() or (match[0] == "." and goes_on(before, after)):
                continue
        yield start, match.end()
        start = match.end()
    yield start, end


def units(text: str, start: int, end: int, level: Level) -> Iterator[Unit]:
    """Give a sentence or line as one unit, or as several where it is too long; nothing for blanks."""
    words: list[tuple[int, int]] = []
    for match in WORD.finditer(text, start, end):
        words.append(match.span())
        if len(words) > LONGEST_UNIT:
            after = _cut(text, words)
            yield Unit(words[0][0], words[after - 1][1], after, level)
            words, level = words[after:], Level.PART
    if words:
        yield Unit(words[0][0], words[-1][1], len(words), level)


def _cut(text: str, words: Sequence[tuple[int, int]]) -> int:
    """Return the word that the next part begins with: after a clause, else between two words, else anywhere."""
    latest = len(words) - 1
    for after in range(latest, _CLAUSE, -1):
        if text[words[after - 1][1] - 1] in _CLAUSE_END:
            return after
    for after in range(latest, _CLAUSE, -1):
        if words[after - 1][1] < words[after][0]:
            return after
    return latest


def lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give the ranges of the lines that are not empty."""
    return (match.span() for match in _LINE.finditer(text, start, end))


def one_section(found: Iterable[Unit], head: str = "") -> list[Section]:
    """Return units under one head."""
    return [Section(head, list(found))]
