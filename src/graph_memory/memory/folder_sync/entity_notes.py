"""The part of an entity that a Markdown note contains. Does no I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Protocol

from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.transfer.formats.memories.markdown import NoteFile, entity_rows, relation_rows
from graph_memory.memory.transfer.formats.memories.notes import Link
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow
from graph_memory.model.values.properties import PropertyValue

PATH = "path"
"""The property with the path of the note from which an entity was imported. It is not in the front matter."""
Relation = tuple[str, str]
"""A relation's type and its target: an entity, or a name without an entity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityNote:
    """An entity with its current observations and its outgoing relations.

    Empty lines around the text and empty properties are ignored.
    """

    name: str
    type: str
    text: str = ""
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    observations: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """The values by which notes are compared. The order of aliases, observations and relations is ignored."""
        properties = sorted((name, type(value).__name__, value) for name, value in self.properties.items())
        lists = (sorted(self.aliases), sorted(set(self.observations)), sorted(set(self.relations)))
        return self.name, self.type, self.text, *map(tuple, lists), tuple(properties)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the key."""
        return hashlib.sha256(json.dumps(self.key).encode()).hexdigest()

    def with_relations(self, relations: Iterable[Relation]) -> EntityNote:
        """Return the note with these relations instead of its own."""
        return replace(self, relations=tuple(dict.fromkeys(relations)))


def entity_note(
    *,
    name: str,
    type: str,  # noqa: A002 - the name that agents know
    text: str,
    properties: Mapping[str, PropertyValue],
    observations: Iterable[str] = (),
    relations: Iterable[Relation] = (),
) -> EntityNote:
    """Return the note for an entity's stored values. Omits the path, empty properties and repeated items."""
    note_properties = {
        key: value for key, value in properties.items() if key not in (ALIASES, PATH, "name") and value != ""
    }
    return EntityNote(
        name=name,
        type=type,
        text=text.strip("\n"),
        aliases=tuple(aliases_of(properties)),
        properties=note_properties,
        observations=tuple(dict.fromkeys(observations)),
        relations=tuple(dict.fromkeys(relations)),
    )


def is_same_value(value: object, other: object) -> bool:
    """Return whether two values are equal and have the same type."""
    return type(value) is type(other) and value == other


class Ends(Protocol):
    """The endpoints of relations: entities with the paths of their notes, and names without an entity."""

    def end_of(self, link: Link, at: PurePosixPath) -> str | None:
        """Return the endpoint that a link in the note at this path refers to, or None if it refers to no note."""
        ...

    def by_name(self, name: str) -> str:
        """Return the endpoint for a name: the entity with this name or, without such an entity, the name itself."""
        ...

    def name_of(self, end: str) -> str:
        """Return an endpoint's name."""
        ...

    def path_of(self, end: str) -> PurePosixPath | None:
        """Return the path of the endpoint's note, or None if the endpoint has no note."""
        ...


def parse_note(file: NoteFile, name: str, ends: Ends) -> EntityNote:
    """Return the entity that a note file describes, under the given name."""
    rows = list(entity_rows(file, name, ends.end_of))
    [entity] = [row for row in rows if isinstance(row, EntityRow)]
    return entity_note(
        name=name,
        type=entity.type or "",
        text=entity.description,
        properties=entity.properties,
        observations=(row.text for row in rows if isinstance(row, ObservationRow)),
        relations=((row.type, row.end) for row in relation_rows(file, name, ends.end_of, ends.by_name)),
    )
