"""Parses a Markdown note, as Obsidian and basic-memory write it: front matter, observations, relations and links."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import cast
from urllib.parse import unquote

from markdown_it.token import Token

from graph_memory.memory.transfer.formats.memories.exact_notes import ExactParts, is_exact, read_exact
from graph_memory.memory.transfer.formats.memories.markdown_parser import COMMENTS, markdown_parser
from graph_memory.memory.transfer.formats.values import IN_64_BITS
from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.yaml_io import read_yaml
from graph_memory.model.values.arguments import is_encodable
from graph_memory.model.values.properties import PropertyValue, check_properties

LINKS_TO = "links_to"
"""The relation type for links in running text."""
_AS_TEXT = frozenset({"title", "type", "permalink", "tags", "tag", "aliases", "alias"})
"""Keys of the front matter whose values are text, even if they look like numbers."""
_WORD = r"[^\W\d_](?:[^\s\[\](){}<>:;,.!?\"]|\.(?=\w))*"
_ONE_TO_THREE_WORDS = rf"{_WORD}(?: {_WORD}){{0,2}}"
_OBSERVATION = re.compile(rf"\[(?=[^\]]{{2,60}}\]){_ONE_TO_THREE_WORDS}\]\s+\S", re.DOTALL)
_TYPE = re.compile(rf"(?=.{{1,60}}$)({_ONE_TO_THREE_WORDS})(:{{0,2}})")
_CONTEXT = re.compile(r"\s*\(.*\)\s*", re.DOTALL)
_LINK = re.compile(r"\[\[([^\[\]\n]{1,1000})\]\]")
_ANCHOR = re.compile(r"[#^](?!\Z)")
_MAX_ANCHORS = 16
"""Maximum number of `#` and `^` in a link at which a reference to a heading or a block is assumed to begin."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")
_NO_LINES = range(0)
_OWN_SECTIONS = ("observations", "relations")
_TEXT_LEVEL = 7
"""The level of a line that is not a heading. It is lower than the level of any heading."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another note."""

    line: int
    type: str
    target: str
    """The name or path of the note as written, decoded, without an alias."""
    is_path: bool = False
    """Whether this is a Markdown link with a path, and not a `[[…]]` link."""

    @property
    def names(self) -> tuple[str, ...]:
        """The possible names of the linked note, longest first: as written, and without headings or blocks."""
        anchors = () if self.is_path else islice(_ANCHOR.finditer(self.target), _MAX_ANCHORS)
        shorter_names = [self.target[: anchor.start()] for anchor in anchors]
        return tuple(filter(None, map(_bare, (self.target, *reversed(shorter_names)))))

    @property
    def is_markdown_path(self) -> bool:
        """Whether the target ends in `.md`."""
        return self.target.lower().endswith(".md")


@dataclass(frozen=True, slots=True)
class NoteProblem:
    """An error in a note, with its line number."""

    line: int
    message: str


@dataclass(slots=True)
class Note:
    """The parsed parts of a note."""

    front: Mapping[str, object]
    """The front matter that can be stored."""
    unfit: Sequence[str] = ()
    """Front matter keys that cannot be stored, or have values that cannot be stored."""
    fault: NoteProblem | None = None
    observations: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    links: list[Link] = field(default_factory=list[Link])
    lines: Mapping[int, str] = field(default_factory=dict[int, str])
    """The lines of the text after the front matter, keyed by line number, counted from 0."""
    headings: Mapping[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    """The level and the text of each heading, keyed by line number."""
    taken: list[tuple[range, Link | None]] = field(default_factory=list[tuple[range, Link | None]])
    """The line ranges that contain only an observation or a relation. The link is that of the relation, else None."""
    exact: ExactParts | None = None
    """The parts of an exact note, or None for an ordinary note."""

    def body(self, has_target: Callable[[Link], bool] = lambda _: True) -> str:
        """Return the text without observations, and without relations for whose link `has_target` returns True."""
        if self.exact:
            return self.exact.text
        taken = {line for lines, link in self.taken if link is None or has_target(link) for line in lines}
        kept = {number: line for number, line in self.lines.items() if number not in taken}
        empty = _empty_sections(kept, self.headings) if taken else set[int]()
        return "\n".join(line for number, line in kept.items() if number not in empty).strip("\n")


@dataclass(frozen=True, slots=True)
class _Item:
    """An observation or link in a note, and the lines that contain only it."""

    value: tuple[int, str] | Link
    lines: range = _NO_LINES


def note_of(text: str) -> Note:
    """Return the parsed note. Unreadable front matter is reported as a problem, and remains in the text."""
    lines = _LINE_END.split(text)
    read, begin, fault = _parse_front_matter(lines)
    if is_exact(read) and (parts := read_exact(text.split("\n", begin)[-1])):
        links = [Link(0, kind, target) for kind, written in parts.links if (target := _target(written))]
        return Note(read, observations=[(0, text) for text in parts.observations], links=links, exact=parts)
    front = {key: value for key, value in read.items() if _is_storable(key, value)}
    tokens = markdown_parser().parse("\n" * begin + "\n".join(lines[begin:]))
    _pair_signs(tokens)
    kept = dict(enumerate(lines)) if fault else dict(enumerate(lines[begin:], begin))
    unfit = [key for key in read if key not in front]
    note = Note(front, unfit, fault, links=list(_links_of_properties(front)), lines=kept, headings=_headings(tokens))
    for item in _outside_comments(_items(tokens)):
        if isinstance(item.value, Link):
            note.links.append(item.value)
        else:
            note.observations.append(item.value)
        if item.lines:
            note.taken.append((item.lines, item.value if isinstance(item.value, Link) else None))
    return note


def front_matter_of(text: str) -> Note:
    """Return a note with only its front matter parsed."""
    front, _, fault = _parse_front_matter(_LINE_END.split(text))
    if is_exact(front):
        return Note(front, exact=ExactParts(""))
    return Note({key: value for key, value in front.items() if _is_storable(key, value)}, fault=fault)


def _parse_front_matter(lines: Sequence[str]) -> tuple[Mapping[str, object], int, NoteProblem | None]:
    """Return the front matter, its number of lines with the delimiters (0 if there is none), and its error, if any."""
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() in ("---", "...")), None)
    if lines[0].rstrip() != "---" or end is None:
        return {}, 0, None
    try:
        front = read_yaml("\n".join(["", *lines[1:end], ""]), "front matter", _AS_TEXT)
    except GraphError as error:
        line = cast("int", error.details["line"])
        return {}, end + 1, NoteProblem(min(line, end), error.message.removeprefix(f"front matter:{line}: "))
    if front is not None and not isinstance(front, dict):
        return {}, end + 1, NoteProblem(1, "expected `key: value` lines")
    return cast("Mapping[str, object]", front or {}), end + 1, None


def _is_storable(key: str, value: object) -> bool:
    """Return whether a key is reserved or is a valid property name, and all texts of its value are valid Unicode."""
    return fits_property(key.lstrip("_"), "") and all(map(is_encodable, _texts(value)))


def fits_property(key: str, value: PropertyValue) -> bool:
    """Return whether a property can have this key and this value."""
    try:
        check_properties({key: value})
    except GraphError:
        return False
    return True


def _items(tokens: Sequence[Token]) -> Iterator[_Item | Token]:
    """Yield observations, links and comment delimiters in the order of the text."""
    quotes, section = 0, ""
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            section = tokens[at + 1].content.strip().lower()
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "inline" and token.map:
            is_item = any(map(_is_bullet, tokens[max(at - 2, 0) : at]))
            list_item = _list_item(token, range(*token.map)) if is_item and not quotes else None
            if list_item is None and section == _OWN_SECTIONS[0] and _is_plain_item(tokens[at - 2 : at + 3]):
                list_item = _Item((token.map[0] + 1, token.content), range(*token.map))
            if list_item and not tokens[at - 1].type.startswith(("paragraph", "heading")):  # the text follows a comment
                list_item = _Item(list_item.value)
            if list_item:
                yield list_item
            is_relation = list_item is not None and isinstance(list_item.value, Link)
            for item in _links(token.children or [], token.map[0] + 1):
                if isinstance(item, Token) or not is_relation:
                    yield item


def _is_plain_item(tokens: Sequence[Token]) -> bool:
    """Return whether these tokens are an outermost list item with one paragraph, without a check box or a comment.

    Below the heading Observations, such an item is an observation without a category.
    """
    kinds = [token.type for token in tokens]
    if kinds != ["list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close"]:
        return False
    text, children = tokens[2].content, tokens[2].children or []
    is_hidden = any(child.type.startswith("comment") for child in children)
    return _is_bullet(tokens[0]) and tokens[0].level == 1 and not text.startswith("[") and not is_hidden


def _is_bullet(token: Token) -> bool:
    return token.type == "list_item_open" and token.markup in ("-", "*", "+")


def _list_item(token: Token, lines: range) -> _Item | None:
    """Return the observation or relation in a list item, or None for other items."""
    children = token.children or []
    if _OBSERVATION.match(token.content) and children[0].type == "text":
        text = _without_comments(token)
        return _Item((lines[0] + 1, text), _NO_LINES if len(text) < len(token.content) else lines)
    visible = _visible_tokens(children)
    if [kind for kind, _ in visible] not in (["text", "wikilink"], ["text", "wikilink", "text"]):
        return None
    relation, target = _relation_type(visible[0][1].strip()), _target(visible[1][1])
    context = visible[2][1].strip() if visible[2:] else ""
    if not relation or not target or (context and not _CONTEXT.fullmatch(context)):
        return None
    is_whole = not context and len(visible) == len(children)
    return _Item(Link(lines[0] + 1, relation, target), lines if is_whole else _NO_LINES)


def _visible_tokens(children: Sequence[Token]) -> list[tuple[str, str]]:
    """Return the types and contents of the tokens outside comments. Texts around a comment are joined."""
    visible: list[tuple[str, str]] = []
    for child in children:
        if child.type == "comment_sign" and child.meta["hides"]:
            break
        if visible and visible[-1][0] == child.type == "text":
            visible[-1] = child.type, visible[-1][1] + child.content
        elif child.type != "comment":
            visible.append((child.type, child.content))
    return visible


def _without_comments(token: Token) -> str:
    text = token.content
    for child in reversed(token.children or []):
        if child.type == "comment":
            text = text[: child.meta["begin"]].rstrip() + text[child.meta["end"] :]
        elif child.type == "comment_sign" and child.meta["hides"]:
            text = text[: child.meta["begin"]]
    return text.strip()


def _relation_type(text: str) -> str:
    """Return the relation type before a link, or "" if the words look like a sentence.

    A type has at most three words and no punctuation. It starts with a capital only if it has only capitals, or if a
    colon follows.
    """
    match = _TYPE.fullmatch(text)
    if match is None or (match[1][0].isupper() and not match[1].isupper() and not match[2]):
        return ""
    return match[1]


def _links(children: Sequence[Token], line: int) -> Iterator[_Item | Token]:
    for child in children:
        if child.type == "comment_sign":
            yield child
        elif child.type == "wikilink" and (target := _target(child.content)):
            yield _Item(Link(line, LINKS_TO, target))
        elif child.type in ("link_open", "image") and (target := _linked_path(child)):
            yield _Item(Link(line, LINKS_TO, target, is_path=True))
        line += child.type in ("softbreak", "hardbreak")


def _outside_comments(items: Iterable[_Item | Token]) -> Iterator[_Item]:
    is_hidden = False
    for item in items:
        if isinstance(item, Token):
            is_hidden = item.meta["hides"] if item.meta["hides"] is not None else is_hidden
        elif not is_hidden:
            yield item


def _pair_signs(tokens: Sequence[Token]) -> None:
    """Record in each comment delimiter whether it hides the text after it. A comment without an end hides nothing."""
    opening: Token | None = None
    for sign in (child for token in tokens for child in token.children or () if child.type == "comment_sign"):
        if opening is None:
            opening = sign if sign.content in COMMENTS else None
        elif sign.content == COMMENTS[opening.content]:
            opening.meta["hides"], sign.meta["hides"], opening = True, False, None


def _target(written: str) -> str:
    """Return the name of the note in a `[[…]]` link, or "" if the link leads to a heading or block in the same note."""
    name = written.split("|")[0].rstrip("\\").strip().removeprefix("memory://")
    return "" if name.startswith(("#", "^")) else name


def _linked_path(token: Token) -> str:
    """Return the path in a Markdown link or image, or "" for a web address or a link within the same note."""
    url = str(token.attrs.get("href" if token.type == "link_open" else "src", ""))
    path = url.removeprefix("memory://").partition("#")[0].partition("?")[0]
    return "" if _SCHEME.match(path) else unquote(path).strip()


def _bare(name: str) -> str:
    name = name.strip()
    return name[:-3] if name.lower().endswith(".md") else name


def _links_of_properties(front: Mapping[str, object]) -> Iterator[Link]:
    for name, value in front.items():
        for text in _texts(value) if name not in _AS_TEXT else ():
            yield from (Link(1, name, target) for written in _LINK.findall(text) if (target := _target(written)))


def _texts(value: object) -> Iterator[str]:
    """Yield the texts of a value. Yields an unquoted link, which YAML parses as nested lists, as `[[x]]`."""
    match value:
        case str():
            yield value
        case [[str() as name]]:
            yield f"[[{name}]]"
        case list():
            for item in cast("list[object]", value):
                yield from _texts(item)
        case _:
            pass


def to_property_value(value: object) -> PropertyValue | None:
    """Return a front matter value as a property value, with lists as text, or None for empty or nested values."""
    match value:
        case int():
            return value if value in IN_64_BITS else str(value)
        case float():
            return value if math.isfinite(value) else None
        case str():
            return value
        case list():
            texts = [text if (text := next(_texts([item]), None)) else item for item in cast("list[object]", value)]
            is_flat = all(isinstance(text, str | int | float) for text in texts)
            return ", ".join(map(str, texts)) or None if is_flat else None
        case _:
            return None


def names_of(value: object) -> list[str]:
    """Return tags or aliases as a list. Splits a string at commas."""
    values = value.split(",") if isinstance(value, str) else _texts(value)
    return [name for text in values if (name := text.strip())]


def _headings(tokens: Sequence[Token]) -> dict[int, tuple[int, str]]:
    """Return the level and the text of each heading, keyed by line number."""
    return {
        token.map[0]: (int(token.tag[1:]), tokens[at + 1].content.strip().lower())
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.map and token.level == 0
    }


def _empty_sections(kept: dict[int, str], headings: Mapping[int, tuple[int, str]]) -> set[int]:
    """Return the lines of the headings whose whole section became observations and relations."""
    empty: set[int] = set()
    after = 0
    for number in reversed(kept):
        level, text = headings.get(number, (_TEXT_LEVEL if kept[number].strip() else 0, ""))
        if text in _OWN_SECTIONS and after <= level:
            empty.add(number)
        elif level:
            after = level
    return empty
