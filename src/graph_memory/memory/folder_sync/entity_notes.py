"""The part of an entity that a Markdown note contains. Does no I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.model.values.properties import PropertyValue

PATH = "path"
"""The property with the path of the note from which an entity was imported. It is not in the front matter."""
Relation = tuple[str, str]
"""A relation's type and its target, which is an entity, or a name that no entity has."""


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
