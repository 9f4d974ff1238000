"""The exact form of a note, for entities that would change if they were read as an ordinary note.

The front matter has `graph_memory: exact`, and the properties below `properties`. The text is not searched for
observations or links. The sections Observations and Relations end the note. An item that would be parsed differently is
written as JSON: a text, or a relation type and a name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

MARK, EXACT, PROPERTIES = "graph_memory", "exact", "properties"
_OBSERVATIONS, _RELATIONS = "\n\n## Observations\n", "\n\n## Relations\n"
_RELATION = re.compile(r"(?P<type>[^\[\]\n]*[^\[\]\s]) \[\[(?P<target>[^\[\]\n]{1,1000})\]\]")


@dataclass(slots=True)
class ExactParts:
    """The parts of an exact note after its front matter."""

    text: str
    observations: list[str] = field(default_factory=list[str])
    links: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Relation types and the targets of `[[…]]` links, as written."""
    relations: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Relation types and names of entities, for relations that are written as JSON."""


def is_exact(front: Mapping[str, object]) -> bool:
    """Return whether a note with this front matter has the exact form."""
    return front.get(MARK) == EXACT


def read_exact(body: str) -> ExactParts | None:
    """Return the parts of a note, or None if the sections of an exact note are missing.

    Other lines in the sections become text.
    """
    if _OBSERVATIONS not in body:
        body = body.replace("\r\n", "\n")
    text, heading, sections = body.rpartition(_OBSERVATIONS)
    observations, separator, relations = f"\n{sections}".rpartition(_RELATIONS)
    if not heading or not separator:
        return None
    parts = ExactParts(text)
    other_lines = [line for line in observations.split("\n") if line.strip() and not _read_observation(line, parts)]
    other_lines += [line for line in relations.split("\n") if line.strip() and not _read_relation(line, parts)]
    parts.text = "\n\n".join([parts.text, "\n".join(other_lines)]) if other_lines else parts.text
    return parts


def write_exact(text: str, observations: Iterable[str], relations: Iterable[str]) -> str:
    """Return the body of an exact note. `relations` are results of `write_relation`."""
    items = "".join(f"- {_write_text(observation)}\n" for observation in observations)
    links = "".join(f"- {relation}\n" for relation in relations)
    return f"{text}{_OBSERVATIONS}{items}{_RELATIONS[1:]}{links}"


def write_relation(kind: str, target: str | None, name: str) -> str:
    """Return a relation as a link to `target`.

    If `target` is None or would be parsed differently, return a JSON list of `kind` and `name`.
    """
    link = f"{kind} [[{target}]]"
    match = _RELATION.fullmatch(link) if target is not None else None
    is_plain = match is not None and (match["type"], match["target"]) == (kind, target) and kind == kind.strip()
    return link if is_plain and not kind.startswith("[") else json.dumps([kind, name], ensure_ascii=False)


def _write_text(text: str) -> str:
    is_plain = text == text.strip() and text != "" and not text.startswith('"') and text.isprintable()
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def _read_observation(line: str, parts: ExactParts) -> bool:
    if not line.startswith("- "):
        return False
    item = line[2:].strip()
    value = _read_json(item) if item.startswith('"') else item
    if not isinstance(value, str) or not value:
        return False
    parts.observations.append(value)
    return True


def _read_relation(line: str, parts: ExactParts) -> bool:
    if not line.startswith("- "):
        return False
    item = line[2:].strip()
    if match := _RELATION.fullmatch(item):
        parts.links.append((match["type"], match["target"]))
        return True
    match _read_json(item):
        case [str() as kind, str() as name] if kind and name:
            parts.relations.append((kind, name))
            return True
        case _:
            return False


def _read_json(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None
