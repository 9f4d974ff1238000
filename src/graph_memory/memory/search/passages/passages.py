"""Splits a subject's fields and content into passages.

A passage of content is identified by its text, not by its number. Inserting a sentence at the top of a long text
therefore does not change the other passages' identifiers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from graph_memory.memory.search.passages.packing import pack_units
from graph_memory.memory.search.passages.prose import headings, shown_heading, split_plain_text
from graph_memory.memory.search.passages.text_kinds import Document, is_markdown, split_text
from graph_memory.memory.search.passages.units import first_words, last_words
from graph_memory.model.subjects.subjects import DIFFERENT, ConnectionState, NodeState
from graph_memory.model.values.titles import LONGEST

MAX_SHORT_PROPERTY = 200
"""Maximum number of characters of a property that shares a passage with its subject's other properties. A query such as
"drugs under investigation" may need several of them."""
CONTEXT_WORDS = 60
"""Number of words of context on each side of a passage."""
_DIGITS = 12
_Packed = tuple[str, str, str, str]
"""A passage's text and head, the words before it, and the words after it."""


@dataclass(frozen=True, slots=True)
class SubjectPassage:
    """A passage of a subject."""

    place: str
    """The source of the passage, unique within the subject: `title`, `tags`, `properties`, `property/NAME` for a long
    property, `summary`, or `text` of an observation. Passages of content and of fields with several passages end with a
    slash and digits of a hash of their text, such as `content/5f0c3b8e21d4`, so that their places do not depend on
    other passages."""
    text: str
    """The passage's text as it occurs in the source, without the head."""
    head: str
    """The subject's title and the nearest heading or speaker, unless the text begins with them."""
    before: str
    """Up to 60 words before the passage in the same field or content."""
    after: str
    """Up to 60 words after the passage in the same field or content."""


def split_subject(
    subject: NodeState | ConnectionState | Mapping[str, object], text: str | None
) -> list[SubjectPassage]:
    """Return a subject's passages in order. `text` is the content, or None if it is binary or missing.

    Nodes and connections are passed as states, and observations as an event's stored fields.
    """
    match subject:
        case NodeState():
            return list(_node_pieces(subject, text))
        case ConnectionState():
            return [*_property_pieces(subject, ""), *_content_pieces(subject, "", text)]
        case _:
            return list(_field_pieces("text", str(subject.get("_text", "")), ""))


def own_title(node: NodeState, text: str | None) -> str:
    """Return a node's title from a field, a property, or its content's first top-level heading.

    Returns an empty string if there is none. The first line is not used as a title, because inserting a sentence at the
    top would then change every passage.
    """
    values = (node.fields.title, node.properties.get("title"), node.properties.get("name"))
    title = next((shown for value in values if value is not None and (shown := " ".join(str(value).split()))), "")
    if not title and text and node.content.is_text and is_markdown(node.content.format):
        title = next((heading for level, heading in headings(text) if level == 1), "")
    return title[:LONGEST].rstrip()


def locate(text: str, piece_text: str, hint: int) -> tuple[int, int] | None:
    """Return the start and end of a passage in a text, or None if the passage does not occur.

    If the passage occurs several times, return the occurrence nearest to `hint`. In JSON text, the passage may contain
    escapes.
    """
    escaped = (json.dumps(piece_text, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True))
    for spelling in dict.fromkeys((piece_text, *escaped)):
        nearest_starts = (text.rfind(spelling, 0, hint + len(spelling)), text.find(spelling, hint))
        if spelling and max(nearest_starts) >= 0:
            start = min((number for number in nearest_starts if number >= 0), key=lambda number: abs(number - hint))
            return start, start + len(spelling)
    return None


def _node_pieces(node: NodeState, text: str | None) -> Iterator[SubjectPassage]:
    title = own_title(node, text)
    is_in_content = title and not (node.fields.title or {"title", "name"} & node.properties.keys())
    if title and not is_in_content:
        yield SubjectPassage("title", title, "", "", "")
    if node.tags:
        yield SubjectPassage("tags", ", ".join(node.tags), title, "", "")
    yield from _property_pieces(node, title)
    yield from _field_pieces("summary", node.fields.content_summary or "", title)
    yield from _content_pieces(node, title, text)


def _property_pieces(subject: NodeState | ConnectionState, title: str) -> Iterator[SubjectPassage]:
    texts = {
        name: value
        for name, value in sorted(subject.properties.items())
        if isinstance(value, str) and name != DIFFERENT
    }
    short_properties = {
        name: shown
        for name, value in texts.items()
        if len(value) <= MAX_SHORT_PROPERTY and (shown := " ".join(value.split()))
    }
    yield from _field_pieces(
        "properties",
        "\n".join(f"{name.replace('_', ' ')}: {shown}" for name, shown in short_properties.items() if shown != title),
        title,
    )
    for name, value in texts.items():
        if len(value) > MAX_SHORT_PROPERTY:
            yield from _field_pieces(f"property/{name}", value, title)


def _field_pieces(place: str, text: str, head: str) -> Iterator[SubjectPassage]:
    packed_passages = list(_pack_document(Document(text, split_plain_text(text)), head))
    if len(packed_passages) == 1:
        yield SubjectPassage(place, *packed_passages[0])
    else:
        yield from _make_pieces(place, packed_passages)


def _content_pieces(subject: NodeState | ConnectionState, title: str, text: str | None) -> Iterator[SubjectPassage]:
    content = subject.content
    if text and content is not None and content.is_text:
        yield from _make_pieces("content", _pack_document(split_text(text, content.format), title))


def _pack_document(document: Document, title: str) -> Iterator[_Packed]:
    """Yield the text, head and context of each passage."""
    text = document.text
    for section in document.sections:
        for start, end in pack_units(text, section.units):
            passage_text = text[start:end]
            yield (
                passage_text,
                _make_head(passage_text, title, section.head),
                last_words(text, start, CONTEXT_WORDS),
                first_words(text, end, CONTEXT_WORDS),
            )


def _make_head(passage_text: str, *parts: str) -> str:
    """Return the head: the distinct parts, except a part that equals the text's first line."""
    first_line = passage_text[: 2 * LONGEST].partition("\n")[0]
    first_heading = shown_heading(first_line.lstrip("# \t"))
    return "\n".join(part for part in dict.fromkeys(parts) if part not in ("", first_heading))


def _make_pieces(field: str, packed_passages: Iterable[_Packed]) -> Iterator[SubjectPassage]:
    occurrences: Counter[str] = Counter()
    for passage_text, head, before, after in packed_passages:
        text_hash = sha256(f"{head}\n{passage_text}".encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
        occurrences[text_hash] += 1
        place = (
            f"{field}/{text_hash}" if occurrences[text_hash] == 1 else f"{field}/{text_hash}-{occurrences[text_hash]}"
        )
        yield SubjectPassage(place, passage_text, head, before, after)
