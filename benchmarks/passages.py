"""Passages of the sets of questions, as the product makes them, and the words around them in their sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from benchmarks.retrieval_data import Entry
from graph_memory.memory.search.passages.passages import CONTEXT_WORDS, SubjectPassage, split_subject
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.values.content import ContentRef
from graph_memory.model.values.fields import NodeFields

_TIME = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of an entry; `own` and `window` are searched by words, `text` by meaning."""

    owner: str
    text: str
    own: str
    window: str


def passages(entries: Sequence[Entry], *, before: int = CONTEXT_WORDS, after: int = CONTEXT_WORDS) -> Iterator[Passage]:
    """Give the passages of the contents of entries in order."""
    for _, sequence in groupby(entries, key=lambda entry: entry.sequence):
        yield from _with_windows([(entry, piece) for entry in sequence for piece in _content(entry)], before, after)


def _content(entry: Entry) -> list[SubjectPassage]:
    """Return the passages of an entry as a node: a document has its title, what was said begins with the speaker."""
    text = entry.text if entry.named else f"{entry.title}: {entry.text}"
    content = ContentRef(format="text", encoding="utf-8", size=len(text), sha256="")
    fields = NodeFields(title=entry.title if entry.named else None)
    node = NodeState(id=entry.id, type="Entry", created=_TIME, modified=_TIME, title="", content=content, fields=fields)
    return [piece for piece in split_subject(node, text) if piece.place.startswith("content/")]


def _with_windows(parts: Sequence[tuple[Entry, SubjectPassage]], before: int, after: int) -> Iterator[Passage]:
    headed = [f"{piece.head}: {piece.text}" if piece.head else piece.text for _, piece in parts]
    words = [
        piece.text.split() if entry.named else text.split() for (entry, piece), text in zip(parts, headed, strict=True)
    ]
    for place, ((entry, _), text) in enumerate(zip(parts, headed, strict=True)):
        ahead = (
            [word for part_words in words[max(0, place - before) : place] for word in part_words][-before:]
            if before
            else []
        )
        behind = [word for part_words in words[place + 1 : place + 1 + after] for word in part_words][:after]
        window = " ".join([*ahead, *text.split(), *behind])
        yield Passage(entry.id, text, f"{entry.date} {text}".strip(), window)
