"""What a subject gives to search: the passages of its fields and of its content.

A passage of content is known by what it says and not by its number, so a sentence put on top of a long text renames
none of those that stay the same.
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

BRIEF = 200
"""Characters up to which a property stands in one passage with the others of its subject: what is known of a thing lies
in several of them, and none of them alone answers a question for "drugs under investigation"."""
AROUND = 60
"""Words before and after a passage that its window has."""
_DIGITS = 12
_Packed = tuple[str, str, str, str]
"""The text, the head, and what stands before and after."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One passage of one subject."""

    place: str
    """What it is a passage of, unique within the subject: `title`, `tags`, `properties`, a long one as `property/NAME`,
    `summary`, `text` of an observation. Each passage of the content, and of a field that has several, has a slash and
    digits of its own words after it, such as `content/5f0c3b8e21d4`, so it keeps its place when others come and go."""
    text: str
    """Its own words, as they stand there, without its head."""
    head: str
    """The title of the subject, and the nearest heading or the speaker; nothing that is its first line."""
    before: str
    """Up to 60 words before it in the same field or content."""
    after: str
    """Up to 60 words after it."""


def pieces(subject: NodeState | ConnectionState | Mapping[str, object], text: str | None) -> list[Piece]:
    """Return the passages of a subject, in order, given the text of its content; None where that is binary or none.

    A node and a connection are given as states, an observation as what an event keeps of it.
    """
    match subject:
        case NodeState():
            return list(_node_pieces(subject, text))
        case ConnectionState():
            return [*_property_pieces(subject, ""), *_content_pieces(subject, "", text)]
        case _:
            return list(_field("text", str(subject.get("_text", "")), ""))


def own_title(node: NodeState, text: str | None) -> str:
    """Return the title that a node bears: given, a property, or the first heading of its content at the highest level.

    The title that is made of the first line is none: each sentence on top would change what all passages begin with.
    """
    values = (node.fields.title, node.properties.get("title"), node.properties.get("name"))
    found = next((shown for value in values if value is not None and (shown := " ".join(str(value).split()))), "")
    if not found and text and node.content.is_text and is_markdown(node.content.format):
        found = next((heading for level, heading in headings(text) if level == 1), "")
    return found[:LONGEST].rstrip()


def located(text: str, piece_text: str, hint: int) -> tuple[int, int] | None:
    """Return the characters of a content that a passage is made of, the nearest to `hint` where it stands there twice.

    None when it is not there. In JSON, what was said may stand with escapes.
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
    brief = {name: shown for name, value in texts.items() if len(value) <= BRIEF and (shown := " ".join(value.split()))}
    yield from _field(
        "properties", "\n".join(f"{_words(name)}: {shown}" for name, shown in brief.items() if shown != title), title
    )
    for name, value in texts.items():
        if len(value) > BRIEF:
            yield from _field(f"property/{name}", value, title)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _field(place: str, text: str, head: str) -> Iterator[Piece]:
    results = list(_packed(Document(text, plain(text)), head))
    if len(results) == 1:
        yield Piece(place, *results[0])
    else:
        yield from _placed(place, results)


def _content_pieces(subject: NodeState | ConnectionState, title: str, text: str | None) -> Iterator[Piece]:
    content = subject.content
    if text and content is not None and content.is_text:
        yield from _placed("content", _packed(split(text, content.format), title))


def _packed(document: Document, title: str) -> Iterator[_Packed]:
    """Give the text, head and surroundings of each passage."""
    text = document.text
    for section in document.sections:
        for start, end in pack(text, section.units):
            own = text[start:end]
            yield own, _head(own, title, section.head), last_words(text, start, AROUND), first_words(text, end, AROUND)


def _head(own: str, *parts: str) -> str:
    """Return those parts of a head that the first line of the text is not already, each once."""
    line = own[: 2 * LONGEST].partition("\n")[0]
    begins = shown_heading(line.lstrip("# \t"))
    return "\n".join(part for part in dict.fromkeys(parts) if part not in ("", begins))


def _placed(field: str, results: Iterable[_Packed]) -> Iterator[Piece]:
    seen: Counter[str] = Counter()
    for own, head, before, after in results:
        digits = sha256(f"{head}\n{own}".encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
        seen[digits] += 1
        place = f"{field}/{digits}" if seen[digits] == 1 else f"{field}/{digits}-{seen[digits]}"
        yield Piece(place, own, head, before, after)
