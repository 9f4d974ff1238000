"""Passages of the sets of questions: sentences packed to 120 words, and the words around them in their sequence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from benchmarks.retrieval_data import Entry

PASSAGE = 120
"""Words of a passage at most, unless a sentence alone has more."""
WINDOW = 60
"""Words of the window before and after a passage."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of an entry; `own` and `window` are searched by words, `text` by meaning."""

    owner: str
    text: str
    own: str
    window: str


def passages(entries: Sequence[Entry], *, before: int = WINDOW, after: int = WINDOW) -> Iterator[Passage]:
    """Give the passages of entries in order."""
    for _, sequence in groupby(entries, key=lambda entry: entry.sequence):
        yield from _with_windows([(entry, part) for entry in sequence for part in packed(entry.text)], before, after)


def packed(text: str) -> list[str]:
    """Return the sentences of a text in parts of up to `PASSAGE` words, each beginning with the last of the former."""
    parts: list[list[str]] = [[]]
    for sentence in _SENTENCE.split(text.strip()):
        if parts[-1] and sum(len(each.split()) for each in (*parts[-1], sentence)) > PASSAGE:
            parts.append(parts[-1][-1:] if len(parts[-1]) > 1 else [])
        parts[-1].append(sentence)
    return [" ".join(part) for part in parts]


def _with_windows(parts: Sequence[tuple[Entry, str]], before: int, after: int) -> Iterator[Passage]:
    words = [f"{entry.title}: {part}".split() if not entry.named else part.split() for entry, part in parts]
    for place, (entry, part) in enumerate(parts):
        ahead = [word for each in words[max(0, place - before) : place] for word in each][-before:] if before else []
        behind = [word for each in words[place + 1 : place + 1 + after] for word in each][:after]
        text = f"{entry.title}: {part}"
        window = " ".join([*ahead, *text.split(), *behind])
        yield Passage(entry.id, text, f"{entry.date} {text}".strip(), window)
