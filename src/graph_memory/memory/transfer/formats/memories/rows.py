"""Rows of another program's memory: entities, relations and observations with their positions in the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource
from graph_memory.memory.transfer.formats.records import InvalidRecord, InvalidSourceValue, Note, SourcePosition
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.properties import PropertyValue

ENTITY = "entity"
"""The default type of an entity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRow:
    """An entity of another program's memory. Its type is None if the memory only mentions its name."""

    place: SourcePosition
    name: str
    type: str | None = None
    description: str = ""
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationRow:
    """An observation of an entity. Its times are the unparsed texts of the source."""

    place: SourcePosition
    entity: str
    text: str
    time: str | None = None
    source: str | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_to: str | None = None

    def values(self) -> dict[str, object]:
        """Return the observation's values, keyed by the field names of `memory.entities`. Omits missing values."""
        names = ("text", "time", "source", "confidence", "valid_from", "valid_to")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationRow:
    """A relation between two entities, which are identified by name."""

    place: SourcePosition
    start: str
    end: str
    type: str
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])

    @property
    def key(self) -> tuple[str, str, str]:
        """The values that identify the relation."""
        return self.start, self.end, self.type


Row = EntityRow | ObservationRow | RelationRow | InvalidRecord | Note
Rows = Iterator[Row]
Source = Path | Neo4jSource


def text_of(values: Mapping[str, object], *names: str) -> str:
    """Return the text in the first of these fields that exists.

    Raises InvalidSourceValue if none of the fields exists, or the value is not text.
    """
    for name in names:
        if name in values:
            value = values[name]
            if not isinstance(value, str):
                raise InvalidSourceValue(f"{name} is {kind_of(value)}; it must be text", None, name)
            return value
    raise InvalidSourceValue(f"{names[0]} is missing", None, names[0])


def text_in(values: Mapping[str, object], *names: str) -> str | None:
    """Return the first non-empty text among these fields, or None."""
    return next((value for name in names if isinstance(value := values.get(name), str) and value), None)


def fraction_in(values: Mapping[str, object], name: str) -> float | None:
    """Return the value of a field if it is a number from 0 to 1, otherwise None."""
    value = values.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= 1 else None


def scalars_of(values: Mapping[str, object], excluded: set[str]) -> dict[str, PropertyValue]:
    """Return the texts, numbers and booleans that can become properties, except `excluded` and reserved names."""
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, (str, int, float)) and name not in excluded and not name.startswith("_") and name != "name"
    }
