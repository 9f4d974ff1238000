"""Records of a foreign graph: nodes and connections with their places in the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.fields import STORED
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import (
    IMPORTANCE,
    NUMBERS,
    PROVENANCE_KEYS,
    STRENGTH,
    check_fraction,
    check_strength,
)

_SHARED = ("_content", "_valid_from", "_valid_to")
RESERVED_NODE_NAMES = frozenset({*_SHARED, *STORED.values(), "_tags", "_format", "_encoding"})
RESERVED_CONNECTION_NAMES = frozenset({*_SHARED, *NUMBERS, *PROVENANCE_KEYS.values(), "_id"})
"""Columns of this service's exports for values that are not properties."""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a node in a source: its id, and the space in which that id is unique."""

    id: str
    space: str = ""

    def __str__(self) -> str:
        return f"{self.space}:{self.id}" if self.space else self.id


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a source: the line of a file, counted from 1, or the element of a database."""

    file: str
    line: int = 0
    column: str | None = None
    element: str | None = None

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        element = f", {printable(self.element)}" if self.element else ""
        column = f", {'property' if element else 'column'} {printable(self.column)}" if self.column else ""
        return f"{printable(f'{self.file}{line}')}{element}{column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The values that nodes and connections have in common. Content is a string in its encoding, or None."""

    place: Place
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    content: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRecord(Body):
    """A node of a source, with all its labels."""

    key: Key
    labels: tuple[str, ...] = ()
    format: str | None = None
    encoding: str | None = None
    tags: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    """The given fields as text. `reserved_fields` has them under reserved names."""

    @property
    def reserved_fields(self) -> dict[str, str]:
        """The fields under reserved names."""
        return {STORED[name]: text for name, text in self.fields.items()}

    @classmethod
    def of(
        cls,
        place: Place,
        key: Key,
        labels: tuple[str, ...],
        properties: Mapping[str, PropertyValue],
        reserved: Mapping[str, str],
        tags: Sequence[str],
    ) -> NodeRecord:
        """Return a node. `reserved` has the values of reserved names without the tags."""
        return cls(
            place=place,
            key=key,
            labels=labels,
            properties=properties,
            content=reserved.get("_content"),
            format=reserved.get("_format"),
            encoding=reserved.get("_encoding"),
            tags=tuple(tags),
            fields={name: reserved[key] for name, key in STORED.items() if key in reserved},
            valid_from=reserved.get("_valid_from"),
            valid_to=reserved.get("_valid_to"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionRecord(Body):
    """A connection of a source."""

    type: str
    start: Key
    end: Key
    id: str | None = None
    strength: object = None
    """Unchecked: a number or an object."""
    importance: object = None
    made: Mapping[str, str] = field(default_factory=dict[str, str])
    """The unchecked provenance, by the names in `MADE`. `reserved_provenance` has it under reserved names."""

    @property
    def reserved_provenance(self) -> dict[str, str]:
        """The connection's provenance under reserved names."""
        return {PROVENANCE_KEYS[name]: text for name, text in self.made.items()}

    @classmethod
    def of(
        cls,
        place: Place,
        kind: str,
        ends: tuple[Key, Key],
        subject_id: str | None,
        properties: Mapping[str, PropertyValue],
        reserved: Mapping[str, str],
    ) -> ConnectionRecord:
        """Return a connection. `reserved` has the values of reserved names without the id. Raises Unfit."""
        numbers = {name: _parse_number(name, reserved[name]) for name in NUMBERS if name in reserved}
        return cls(
            place=place,
            type=kind,
            start=ends[0],
            end=ends[1],
            id=subject_id,
            properties=properties,
            content=reserved.get("_content"),
            valid_from=reserved.get("_valid_from"),
            valid_to=reserved.get("_valid_to"),
            strength={STRENGTH[name]: value for name, value in numbers.items() if name in STRENGTH} or None,
            importance=numbers.get(IMPORTANCE),
            made={name: reserved[key] for name, key in PROVENANCE_KEYS.items() if key in reserved},
        )

    def numbers(self) -> dict[str, float]:
        """Return the strength and importance that are given under reserved names. Raises INVALID_ARGUMENT."""
        scores = {} if self.importance is None else {IMPORTANCE: check_fraction("importance", self.importance)}
        return {**check_strength(self.strength).state(), **scores}


def _parse_number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise Unfit(f"{name} is {quote(text)}, which is not a number", "Pass a number from 0 to 1.", name) from error


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that cannot be loaded. If `ends` is set, the rest of the file was not read."""

    place: Place
    code: Code
    message: str
    hint: str | None = None
    ends: bool = False
    key: Key | None = None
    """The key of a node, if it could be read."""

    @classmethod
    def of(cls, place: Place, error: GraphError) -> Refused:
        """Return the refusal of a record, given an error and its place.

        The column is the property that the error names.
        """
        column = error.details.get("property")
        place_with_column = replace(place, column=str(column)) if column is not None and place.column is None else place
        return cls(place_with_column, error.code, error.message, error.hint)


@dataclass(frozen=True, slots=True)
class Note:
    """A note on data that a memory cannot represent, and on how it is stored."""

    place: Place
    text: str


Record = NodeRecord | ConnectionRecord
Item = NodeRecord | ConnectionRecord | Refused | Note
Items = Iterator[Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Options for reading a source."""

    node_type: str | None = None
    """The type of nodes without a label."""
    connection_type: str | None = None
    """The type of connections without a type."""
    labels: tuple[str, ...] = ()
    """Preferred labels. The type of a node is its first label in this list, or else its rarest label."""
    id_property: str | None = None
    """The property that keeps a node's key in the source. In a Neo4j server, it is the key."""
    content_property: str | None = None
    """The property whose text becomes the content."""
    join_arrays: str | None = None
    """The separator for joining lists into text. None rejects lists."""
    only_labels: tuple[str, ...] = ()
    """In a Neo4j server, only nodes with one of these labels are read. The label is also the type, unless `labels`
    decides.
    """
    only_types: tuple[str, ...] = ()
    """In a Neo4j server, only relationships of these types are read."""


class Unreadable(Exception):  # noqa: N818 - it becomes a `Refused`
    """Raised to end the reading of a file that cannot be read further."""

    def __init__(self, place: Place, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.refused = Refused(place, Code.INVALID_SOURCE, message, hint, ends=True)


class Unfit(Exception):  # noqa: N818 - it becomes a `Refused`
    """Raised for a value that cannot be loaded, with its column."""

    def __init__(self, message: str, hint: str | None = None, column: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.column = column

    def at(self, place: Place) -> Refused:
        """Return the refusal of the record at a place."""
        return Refused(replace(place, column=self.column or place.column), Code.INVALID_SOURCE, self.message, self.hint)
