"""Records of a foreign graph: nodes and connections with their positions in the source."""

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

_SHARED_NAMES = ("_content", "_valid_from", "_valid_to")
RESERVED_NODE_NAMES = frozenset({*_SHARED_NAMES, *STORED.values(), "_tags", "_format", "_encoding"})
RESERVED_CONNECTION_NAMES = frozenset({*_SHARED_NAMES, *NUMBERS, *PROVENANCE_KEYS.values(), "_id"})
"""Reserved names in exports of graph-memory: names of connection values that are not properties."""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a node in a source: the node's id, and the id space, within which ids are unique."""

    id: str
    space: str = ""

    def __str__(self) -> str:
        return f"{self.space}:{self.id}" if self.space else self.id


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """A position in a source: the line of a file, counted from 1, or the element of a database."""

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
    """The fields that nodes and connections have in common. `content` is a string in the node's encoding, or None."""

    place: SourcePosition
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
    """The fields of the node as text. See `reserved_fields` for their reserved names."""

    @property
    def reserved_fields(self) -> dict[str, str]:
        """The fields under reserved names."""
        return {STORED[name]: text for name, text in self.fields.items()}

    @classmethod
    def of(
        cls,
        place: SourcePosition,
        key: Key,
        labels: tuple[str, ...],
        properties: Mapping[str, PropertyValue],
        reserved: Mapping[str, str],
        tags: Sequence[str],
    ) -> NodeRecord:
        """Return the record of a node. `reserved` contains the values of reserved names, except the tags."""
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
    """The unchecked strength: a number, or an object with several numbers."""
    importance: object = None
    made: Mapping[str, str] = field(default_factory=dict[str, str])
    """The unchecked provenance, keyed by the names in `PROVENANCE_KEYS`. `reserved_provenance` uses reserved names."""

    @property
    def reserved_provenance(self) -> dict[str, str]:
        """The connection's provenance under reserved names."""
        return {PROVENANCE_KEYS[name]: text for name, text in self.made.items()}

    @classmethod
    def of(
        cls,
        place: SourcePosition,
        kind: str,
        ends: tuple[Key, Key],
        subject_id: str | None,
        properties: Mapping[str, PropertyValue],
        reserved: Mapping[str, str],
    ) -> ConnectionRecord:
        """Return the record of a connection. `reserved` contains the values of reserved names, except the id.

        Raises InvalidSourceValue if the strength or the importance is not a number.
        """
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

    def reserved_texts(self) -> dict[str, str]:
        """Return the strength, the importance and the provenance as text, keyed by reserved name. See `numbers`."""
        return {**{name: repr(value) for name, value in self.numbers().items()}, **self.reserved_provenance}

    def numbers(self) -> dict[str, float]:
        """Return the strength and importance by reserved name. Raises INVALID_ARGUMENT if one is not from 0 to 1."""
        scores = {} if self.importance is None else {IMPORTANCE: check_fraction("importance", self.importance)}
        return {**check_strength(self.strength).state(), **scores}


def _parse_number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InvalidSourceValue(
            f"{name} is {quote(text)}, which is not a number", "Pass a number from 0 to 1, such as 0.8.", name
        ) from error


@dataclass(frozen=True, slots=True)
class InvalidRecord:
    """A record that cannot be loaded. If `ends` is true, the rest of the file could not be read."""

    place: SourcePosition
    code: Code
    message: str
    hint: str | None = None
    ends: bool = False
    key: Key | None = None
    """The key of the rejected node, or None for a connection or if the key could not be read."""

    @classmethod
    def of(cls, place: SourcePosition, error: GraphError) -> InvalidRecord:
        """Return the rejected record for an error at a position.

        If the error concerns a property, that property becomes the column of the position.
        """
        column = error.details.get("property")
        place_with_column = replace(place, column=str(column)) if column is not None and place.column is None else place
        return cls(place_with_column, error.code, error.message, error.hint)


@dataclass(frozen=True, slots=True)
class Note:
    """A note on data that graph-memory cannot represent, and on how it is stored instead."""

    place: SourcePosition
    text: str


Record = NodeRecord | ConnectionRecord
Item = NodeRecord | ConnectionRecord | InvalidRecord | Note
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
    """The property in which a node's key is stored. For a Neo4j server, also the property that contains the key."""
    content_property: str | None = None
    """The property whose text becomes the content."""
    join_arrays: str | None = None
    """The separator with which lists are joined to text. If it is None, lists are rejected."""
    only_labels: tuple[str, ...] = ()
    """Labels of the nodes to read from a Neo4j server (empty: all). The label also becomes the type, unless `labels`
    contains another label of the node.
    """
    only_types: tuple[str, ...] = ()
    """Types of the relationships to read from a Neo4j server (empty: all)."""


class UnreadableSource(Exception):  # noqa: N818 - it becomes a `InvalidRecord`
    """Raised if the rest of a file cannot be read."""

    def __init__(self, place: SourcePosition, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.invalid_record = InvalidRecord(place, Code.INVALID_SOURCE, message, hint, ends=True)


class InvalidSourceValue(Exception):  # noqa: N818 - it becomes a `InvalidRecord`
    """Raised for a value that cannot be loaded, with its column."""

    def __init__(self, message: str, hint: str | None = None, column: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.column = column

    def at(self, place: SourcePosition) -> InvalidRecord:
        """Return the rejected record for this error, at a position."""
        return InvalidRecord(
            replace(place, column=self.column or place.column), Code.INVALID_SOURCE, self.message, self.hint
        )
