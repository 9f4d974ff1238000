"""Collects the names by which texts may mention a subject."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from graph_memory.memory.search.passages.prose import headings
from graph_memory.memory.search.passages.text_kinds import is_markdown
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.text.name_list import ALIASES, listed_names

MAX_NAME_LENGTH = 200
MAX_HEADINGS = 200
_NAMES = ("title", "name")


def names(subject: NodeState | ConnectionState | Mapping[str, object], text: str | None) -> list[str]:
    """Return a subject's names without duplicates: title, name, aliases, and headings of its content.

    First lines and types are not names, and observations have no names. The property `aliases` is a JSON list, or a
    comma-separated string. Only the first 200 headings are used.
    """
    if not isinstance(subject, (NodeState, ConnectionState)):
        return []
    names_by_key: dict[str, str] = {}
    for name in _candidate_names(subject, text):
        shown = " ".join(unicodedata.normalize("NFC", name).split())
        if any(char.isalnum() for char in shown) and len(shown) <= MAX_NAME_LENGTH:
            names_by_key.setdefault(unicodedata.normalize("NFKC", shown).casefold(), shown)
    return list(names_by_key.values())


def _candidate_names(subject: NodeState | ConnectionState, text: str | None) -> Iterator[str]:
    if isinstance(subject, NodeState) and subject.fields.title:
        yield subject.fields.title
    for key in _NAMES:
        if isinstance(value := subject.properties.get(key), str):
            yield value
    for key in ALIASES:
        yield from listed_names(subject.properties.get(key))
    content = subject.content
    if text and content is not None and content.is_text and is_markdown(content.format):
        for _, (_, heading) in zip(range(MAX_HEADINGS), headings(text), strict=False):
            yield heading
