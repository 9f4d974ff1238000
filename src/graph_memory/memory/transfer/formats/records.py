"""What is in a graph that another program wrote, one node or connection a record, with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.fields import STORED
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import IMPORTANCE, MADE, NUMBERS, STRENGTH, check_strength, fraction

_SHARED = ("_content", "_valid_from", "_valid_to")
NODE_OWN = frozenset({*_SHARED, *STORED.values(), "_tags", "_format", "_encoding"})
CONNECTION_OWN = frozenset({*_SHARED, *NUMBERS, *MADE.values(), "_id"})
"""Columns in which our own exports keep what is no property."""


@dataclass(frozen=True, slots=True)
class Key:
    """What a source calls a node: its id, and the id space within which that is one node."""

    id: str
    space: str = ""

    def __str__(self) -> str:
        return f"{self.space}:{self.id}" if self.space else self.id


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a source: the line of a file, counted from 1, or the element of a database."""

    file: str
    line: int = 0
    column: str | None = None
    element: str | None = None

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        element = f", {shown(self.element)}" if self.element else ""
        column = f", {'property' if element else 'column'} {shown(self.column)}" if self.column else ""
        return f"{shown(f'{self.file}{line}')}{element}{column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What nodes and connections have in common. Content is as given in its encoding; None where there is none."""

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
    """The fields that are told, as text; `own_fields` has them under names of our own."""

    @property
    def own_fields(self) -> dict[str, str]:
        """The fields under the names of our own."""
        return {STORED[name]: text for name, text in self.fields.items()}

    @classmethod
    def of(
        cls,
        place: Place,
        key: Key,
        labels: tuple[str, ...],
        properties: Mapping[str, PropertyValue],
        own: Mapping[str, str],
        tags: Sequence[str],
    ) -> NodeRecord:
        """Return a node of which `own` is what stands under names of our own, but for the tags."""
        return cls(
            place=place,
            key=key,
            labels=labels,
            properties=properties,
            content=own.get("_content"),
            format=own.get("_format"),
            encoding=own.get("_encoding"),
            tags=tuple(tags),
            fields={name: own[key] for name, key in STORED.items() if key in own},
            valid_from=own.get("_valid_from"),
            valid_to=own.get("_valid_to"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionRecord(Body):
    """A connection of a source."""

    type: str
    start: Key
    end: Key
    id: str | None = None
    strength: object = None
    """As given, unchecked: one number, or an object."""
    importance: object = None
    made: Mapping[str, str] = field(default_factory=dict[str, str])
    """How it came to be, as text by the names in `MADE`, unchecked; `own_made` has it under names of our own."""

    @property
    def own_made(self) -> dict[str, str]:
        """How it came to be, under the names of our own."""
        return {MADE[name]: text for name, text in self.made.items()}

    @classmethod
    def of(
        cls,
        place: Place,
        kind: str,
        ends: tuple[Key, Key],
        id_: str | None,
        properties: Mapping[str, PropertyValue],
        own: Mapping[str, str],
    ) -> ConnectionRecord:
        """Return a connection of which `own` is what stands under names of our own, but for the id. Raises Unfit."""
        numbers = {name: _number(name, own[name]) for name in NUMBERS if name in own}
        return cls(
            place=place,
            type=kind,
            start=ends[0],
            end=ends[1],
            id=id_,
            properties=properties,
            content=own.get("_content"),
            valid_from=own.get("_valid_from"),
            valid_to=own.get("_valid_to"),
            strength={STRENGTH[name]: value for name, value in numbers.items() if name in STRENGTH} or None,
            importance=numbers.get(IMPORTANCE),
            made={name: own[key] for name, key in MADE.items() if key in own},
        )

    def numbers(self) -> dict[str, float]:
        """Return strength and importance under names of our own. Raises INVALID_ARGUMENT for what they cannot be."""
        given = {} if self.importance is None else {IMPORTANCE: fraction("importance", self.importance)}
        return {**check_strength(self.strength).state(), **given}


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise Unfit(f"{name} is {quoted(text)}, which is no number", "Give a number from 0 to 1.", name) from error


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that cannot be loaded. Where it `ends` a file, nothing after it was read."""

    place: Place
    code: Code
    message: str
    hint: str | None = None
    ends: bool = False
    key: Key | None = None
    """Of a node, what the source calls it, where that could be read."""

    @classmethod
    def of(cls, place: Place, error: GraphError) -> Refused:
        """Return an error as something refused at a place; a property that it names is the column."""
        column = error.details.get("property")
        at = replace(place, column=str(column)) if column is not None and place.column is None else place
        return cls(at, error.code, error.message, error.hint)


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a format has and a memory has not, and what becomes of it."""

    place: Place
    text: str


Record = NodeRecord | ConnectionRecord
Item = NodeRecord | ConnectionRecord | Refused | Note
Items = Iterator[Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """How a source is read, and what becomes of what is in it."""

    node_type: str | None = None
    """The type of nodes without a label."""
    connection_type: str | None = None
    """The type of connections without one."""
    labels: tuple[str, ...] = ()
    """Of a node's labels, the first of these that it has is its type; otherwise its rarest label is."""
    id_property: str | None = None
    """The property that keeps what the source calls a node. In a Neo4j server, a node that has it is called so."""
    content_property: str | None = None
    """The property whose text becomes the content."""
    join_arrays: str | None = None
    """What is put between the values of a list, which becomes one text; None refuses lists."""
    only_labels: tuple[str, ...] = ()
    """Of a Neo4j server, only nodes with one of these labels are read; each is the type if `labels` does not say."""
    only_types: tuple[str, ...] = ()
    """Of a Neo4j server, only relationships of these types are read."""


class Unreadable(Exception):  # noqa: N818 - it becomes a `Refused`
    """Ends the reading of a file: what comes after it cannot be told."""

    def __init__(self, place: Place, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.refused = Refused(place, Code.INVALID_SOURCE, message, hint, ends=True)


class Unfit(Exception):  # noqa: N818 - it becomes a `Refused`
    """What is wrong with one value, and the column where it stands."""

    def __init__(self, message: str, hint: str | None = None, column: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.column = column

    def at(self, place: Place) -> Refused:
        """Return it as something refused."""
        return Refused(replace(place, column=self.column or place.column), Code.INVALID_SOURCE, self.message, self.hint)
