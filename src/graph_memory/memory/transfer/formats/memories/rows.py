"""What is in a memory of another program: entities, relations and observations, each with the place where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource
from graph_memory.memory.transfer.formats.records import Note, Place, Refused, Unfit
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.properties import PropertyValue

ENTITY = "entity"
"""The type of an entity of which a memory tells none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRow:
    """An entity of a memory. Its type is None where the memory only names it."""

    place: Place
    name: str
    type: str | None = None
    description: str = ""
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationRow:
    """Something that was observed of an entity. Times are text, as the memory has them."""

    place: Place
    entity: str
    text: str
    time: str | None = None
    source: str | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_to: str | None = None

    def told(self) -> dict[str, object]:
        """Return what is told of it, under the names of `memory.entities`."""
        names = ("text", "time", "source", "confidence", "valid_from", "valid_to")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationRow:
    """A relation between two entities, by their names."""

    place: Place
    start: str
    end: str
    type: str
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from other relations."""
        return self.start, self.end, self.type


Row = EntityRow | ObservationRow | RelationRow | Refused | Note
Rows = Iterator[Row]
Source = Path | Neo4jSource
Reader = Callable[[Path], Rows]


def text_of(found: Mapping[str, object], *names: str) -> str:
    """Return the text under the first name that is there. Raises Unfit."""
    for name in names:
        if name in found:
            value = found[name]
            if not isinstance(value, str):
                raise Unfit(f"{name} is {kind_of(value)}; it must be text", None, name)
            return value
    raise Unfit(f"{names[0]} is missing", None, names[0])


def text_in(found: Mapping[str, object], *names: str) -> str | None:
    """Return the text under the first name that holds some, None where none does."""
    return next((value for name in names if isinstance(value := found.get(name), str) and value), None)


def fraction_in(found: Mapping[str, object], name: str) -> float | None:
    """Return the number from 0 to 1 that stands under a name, None for anything else."""
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= 1 else None


def scalars_of(found: Mapping[str, object], left_out: set[str]) -> dict[str, PropertyValue]:
    """Return what may be properties: texts, numbers and booleans under names that are not reserved."""
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, (str, int, float)) and name not in left_out and not name.startswith("_") and name != "name"
    }
