"""Splits the fields and the content of a subject into passages.

A passage of content is identified by its text, not by its number. So a sentence inserted at the top of a long text does
not rename the unchanged passages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from graph_memory.memory.search.passages.packing import pack
from graph_memory.memory.search.passages.prose import headings, plain, shown_heading
from graph_memory.memory.search.passages.text_kinds import Document, is_markdown, split
from graph_memory.memory.search.passages.units import first_words, last_words
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.values.titles import LONGEST

MAX_SHORT_PROPERTY = 200
"""Maximum number of characters of a property that shares a passage with other properties of its subject. A query such
as "drugs under investigation" may need several of them.
"""
CONTEXT_WORDS = 60
"""Number of words before and after a passage in its window."""
_DIGITS = 12
_Packed = tuple[str, str, str, str]
"""The text, the head, and the words before and after it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a subject."""

    place: str
    """The source of the passage, unique within the subject: `title`, `tags`, `properties`, `property/NAME` for a long
    one, `summary`, or `text` of an observation. Passages of content and of fields with several passages end in a slash
    and digits of a hash of their text, such as `content/5f0c3b8e21d4`, so their places do not depend on other passages.
    """
    text: str
    """The text as it is in the source, without its head."""
    head: str
    """The title of the subject and the nearest heading or speaker, unless the text begins with them."""
    before: str
    """Up to 60 words before it in the same field or content."""
    after: str
    """Up to 60 words after it."""


def pieces(subject: NodeState | ConnectionState | Mapping[str, object], text: str | None) -> list[Piece]:
    """Return the passages of a subject in order. `text` is the content, or None if it is binary or missing.

    Nodes and connections are passed as states, observations as the stored fields of an event.
    """
    match subject:
        case NodeState():
            return list(_node_pieces(subject, text))
        case ConnectionState():
            return [*_property_pieces(subject, ""), *_content_pieces(subject, "", text)]
        case _:
            return list(_field("text", str(subject.get("_text", "")), ""))


def own_title(node: NodeState, text: str | None) -> str:
    """Return the title of a node: a field, a property, or the first top-level heading of its content.

    A title made from the first line does not count: every passage would change when a sentence is inserted at the top.
    """
    values = (node.fields.title, node.properties.get("title"), node.properties.get("name"))
    title = next((shown for value in values if value is not None and (shown := " ".join(str(value).split()))), "")
    if not title and text and node.content.is_text and is_markdown(node.content.format):
        title = next((heading for level, heading in headings(text) if level == 1), "")
    return title[:LONGEST].rstrip()


def locate(text: str, piece_text: str, hint: int) -> tuple[int, int] | None:
    """Return the range of a passage in a text, the nearest to `hint` if it occurs several times, or None.

    If the text is JSON, the passage may be written with escapes.
    """
    escaped = (json.dumps(piece_text, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True))
    for written in dict.fromkeys((piece_text, *escaped)):
        nearest = (text.rfind(written, 0, hint + len(written)), text.find(written, hint))
        if written and max(nearest) >= 0:
            start = min((number for number in nearest if number >= 0), key=lambda number: abs(number - hint))
            return start, start + len(written)
    return None


def _node_pieces(node: NodeState, text: str | None) -> Iterator[Piece]:
    title = own_title(node, text)
    is_in_content = title and not (node.fields.title or {"title", "name"} & node.properties.keys())
    if title and not is_in_content:
        yield Piece("title", title, "", "", "")
    if node.tags:
        yield Piece("tags", ", ".join(node.tags), title, "", "")
    yield from _property_pieces(node, title)
    yield from _field("summary", node.fields.content_summary or "", title)
    yield from _content_pieces(node, title, text)


def _property_pieces(subject: NodeState | ConnectionState, title: str) -> Iterator[Piece]:
    texts = {name: value for name, value in sorted(subject.properties.items()) if isinstance(value, str)}
    brief = {
        name: shown
        for name, value in texts.items()
        if len(value) <= MAX_SHORT_PROPERTY and (shown := " ".join(value.split()))
    }
    yield from _field(
        "properties",
        "\n".join(f"{_spell_name(name)}: {shown}" for name, shown in brief.items() if shown != title),
        title,
    )
    for name, value in texts.items():
        if len(value) > MAX_SHORT_PROPERTY:
            yield from _field(f"property/{name}", value, title)


def _spell_name(name: str) -> str:
    return name.replace("_", " ")


def _field(place: str, text: str, head: str) -> Iterator[Piece]:
    results = list(_pack_document(Document(text, plain(text)), head))
    if len(results) == 1:
        yield Piece(place, *results[0])
    else:
        yield from _make_pieces(place, results)


def _content_pieces(subject: NodeState | ConnectionState, title: str, text: str | None) -> Iterator[Piece]:
    content = subject.content
    if text and content is not None and content.is_text:
        yield from _make_pieces("content", _pack_document(split(text, content.format), title))


def _pack_document(document: Document, title: str) -> Iterator[_Packed]:
    """Yield the text, head and context of each passage."""
    text = document.text
    for section in document.sections:
        for start, end in pack(text, section.units):
            own = text[start:end]
            yield (
                own,
                _head(own, title, section.head),
                last_words(text, start, CONTEXT_WORDS),
                first_words(text, end, CONTEXT_WORDS),
            )


def _head(own: str, *parts: str) -> str:
    """Return the head: the distinct parts, except a part that equals the text's first line."""
    line = own[: 2 * LONGEST].partition("\n")[0]
    begins = shown_heading(line.lstrip("# \t"))
    return "\n".join(part for part in dict.fromkeys(parts) if part not in ("", begins))


def _make_pieces(field: str, results: Iterable[_Packed]) -> Iterator[Piece]:
    seen: Counter[str] = Counter()
    for own, head, before, after in results:
        digits = sha256(f"{head}\n{own}".encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
        seen[digits] += 1
        place = f"{field}/{digits}" if seen[digits] == 1 else f"{field}/{digits}-{seen[digits]}"
        yield Piece(place, own, head, before, after)
