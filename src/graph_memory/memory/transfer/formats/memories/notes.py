"""One Markdown note, as Obsidian and basic-memory write them: front matter, observations, relations and links. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from graph_memory.memory.transfer.formats.records import Place, Unfit
from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.yaml_io import read_yaml

LINKS_TO = "links_to"
"""The type of relations that a link in running text makes."""
_FENCE = re.compile(r"\s*(```|~~~)")
_OBSERVATION = re.compile(r"\s{0,3}[-*+] (\[(?![ xX\-]\])[^\[\]\n]{1,100}\](?!\() \S.*)")
_RELATION = re.compile(r"\s{0,3}[-*+] ([^\[\]\n`]{1,200}?) ?\[\[([^\[\]\n]{1,1000})\]\]\s*(?:\((.*)\))?\s*")
_LINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,1000})\]\]|(!?)\[[^\[\]\n]{0,1000}\]\(([^()\s]{1,1000}\.md)(?:#[^()\s]*)?\)")
_WHOLE_LINK = re.compile(r"\[\[([^\[\]\n]{1,1000})\]\]")
_ATTACHMENT = re.compile(r"\.(?!md$)[a-z0-9]{1,5}$", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]*`")
_OWN_HEADING = re.compile(r"#{1,6} (observations|relations)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another note: as it is written, without a heading in it and without another name for it."""

    line: int
    type: str
    target: str


@dataclass(slots=True)
class Note:
    """A note that was read."""

    front: Mapping[str, object]
    observations: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    links: list[Link] = field(default_factory=list[Link])
    body: str = ""
    """The text without the front matter, and without the lines that became observations or relations."""


def note_of(text: str, place: Place) -> Note:
    """Return what is in a note. Raises Unfit for front matter that cannot be read."""
    front, begin, lines = _front(text.splitlines(), place)
    note = Note(front)
    note.links += _links_of_properties(front)
    kept: list[str] = []
    is_code = False
    for number, line in enumerate(lines, begin):
        is_code ^= bool(_FENCE.match(line))
        if is_code or not _took(note, number, line):
            kept.append(line)
    note.body = "\n".join(_without_empty_sections(kept)).strip("\n")
    return note


def _front(lines: list[str], place: Place) -> tuple[Mapping[str, object], int, list[str]]:
    """Return the front matter, the number of the first line after it, and the lines from there."""
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if not lines or lines[0].rstrip() != "---" or end is None:
        return {}, 1, lines
    try:
        found = read_yaml("\n".join(["", *lines[1:end]]), place.file)
    except GraphError as error:
        raise Unfit(f"The front matter cannot be read: {error.message}", error.hint) from error
    if found is not None and not isinstance(found, dict):
        raise Unfit("The front matter is no list of names and values")
    return cast("Mapping[str, object]", found or {}), end + 2, lines[end + 1 :]


def _took(note: Note, number: int, line: str) -> bool:
    """Take an observation, a relation or links out of a line; say whether nothing of the line is left."""
    if found := _OBSERVATION.fullmatch(line):
        note.observations.append((number, found[1].rstrip()))
        note.links += _links(number, line)
        return True
    plain = _CODE.sub("", line)
    if (found := _RELATION.fullmatch(plain)) and (target := _target(found[2])) and found[1].strip():
        note.links.append(Link(number, found[1].strip().rstrip(":"), target))
        return found[3] is None
    note.links += _links(number, plain)
    return False


def _links(number: int, line: str) -> Iterator[Link]:
    for found in _LINK.finditer(line):
        target = _target(found[2] or found[4])
        if target and "://" not in target:
            yield Link(number, LINKS_TO, target)


def _target(written: str) -> str:
    """Return which note a link names; nothing for a heading of the same note, and for a picture or another file."""
    name = written.split("|")[0].split("#")[0].split("^")[0].strip().removeprefix("memory://")
    return "" if _ATTACHMENT.search(name) else name.removesuffix(".md").removeprefix("./")


def _links_of_properties(front: Mapping[str, object]) -> Iterator[Link]:
    for name, value in front.items():
        for text in _texts(value):
            found = _WHOLE_LINK.fullmatch(text)
            if found and (target := _target(found[1])):
                yield Link(1, name, target)


def _texts(value: object) -> Iterator[str]:
    """Yield the texts of a value, and `[[x]]` for the list in a list that YAML makes of a link without quotes."""
    match value:
        case str():
            yield value
        case [[str() as name]]:
            yield f"[[{name}]]"
        case list():
            for each in cast("list[object]", value):
                yield from _texts(each)
        case _:
            pass


def texts_of(value: object) -> list[str]:
    """Return a text, or a list of them, as a list."""
    return [text for text in _texts(value) if text]


def _without_empty_sections(lines: list[str]) -> list[str]:
    """Drop the headings of observations and relations that have nothing under them any more."""
    kept: list[str] = []
    for at, line in enumerate(lines):
        rest = next((after for after in lines[at + 1 :] if after.strip()), "#")
        if not (_OWN_HEADING.fullmatch(line) and rest.startswith("#")):
            kept.append(line)
    return kept
