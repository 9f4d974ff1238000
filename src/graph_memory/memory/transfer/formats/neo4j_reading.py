"""Reads a Neo4j database as a stream: first its nodes, then its relationships.

Labels and types that begin with an underscore belong to services such as this one. They are read only if the options
list them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast

from graph_memory.memory.transfer.formats.records import (
    RESERVED_CONNECTION_NAMES,
    RESERVED_NODE_NAMES,
    ConnectionRecord,
    InvalidSourceValue,
    Items,
    Key,
    NodeRecord,
    Note,
    SourceOptions,
    SourcePosition,
)
from graph_memory.memory.transfer.formats.values import AS_TEXT, from_json
from graph_memory.model.text.wording import kind_of, printable
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import NUMBERS
from graph_memory.storage.connecting import Address
from graph_memory.storage.foreign import Graph, TextValue, open_graph
from graph_memory.storage.guarding import Guard
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class Neo4jSource:
    """A database of a Neo4j server, at a URI such as `bolt://host:7687` or `neo4j+s://host`.

    Without a password, it is read without a login. The default database is the user's home database.
    """

    uri: str
    username: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str | None = None
    guard: Guard | None = field(default=None, repr=False, compare=False)
    """Checks the server before the login, if its process is known, so that no other server gets the password."""

    def __str__(self) -> str:
        return f"{self.uri}/{self.database}" if self.database else self.uri


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node of the database with its key."""

    element: str
    key: str
    labels: Sequence[str]
    properties: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """A relationship of the database with its key and the keys of its endpoints."""

    element: str
    key: str
    type: str
    source: str
    target: str
    properties: Mapping[str, object]


NODES = query("transfer/foreign_nodes", NodeRow)
RELATIONSHIPS = query("transfer/foreign_relationships", RelationshipRow)
COUNT_LEFT_OUT = query("transfer/foreign_left_out", int)


def read_neo4j(source: Neo4jSource, options: SourceOptions) -> Items:
    """Yield the records of a database. Raises the errors of `open_graph` and `Graph.rows`."""
    address = Address(source.uri, source.username, source.password, source.database, guard=source.guard)
    with open_graph(address) as graph:
        yield from _Reader(graph, printable(source), options).items()


class _Reader:
    def __init__(self, graph: Graph, name: str, options: SourceOptions) -> None:
        self._graph = graph
        self._name = name
        self._options = options
        self._labels = list(options.only_labels)
        self._notes: dict[str, Note] = {}
        """The notes so far, keyed by text, so that each note is reported only once."""

    def items(self) -> Items:
        """Yield the records, each after its notes."""
        left_out = sum(self._graph.rows(COUNT_LEFT_OUT, labels=self._labels))
        if left_out:
            text = (
                f"{left_out:,} nodes with a label that begins with _ are left out. To load them, use --only-label LABEL"
            )
            yield Note(SourcePosition(self._name), text)
        params = {"labels": self._labels, "id_property": self._options.id_property}
        for node in self._graph.rows(NODES, **params):
            yield from self._items_of(node, f"node {node.element}")
        for row in self._graph.rows(RELATIONSHIPS, **params, types=list(self._options.only_types)):
            yield from self._items_of(row, f"relationship {row.element}")

    def _items_of(self, row: NodeRow | RelationshipRow, element: str) -> Items:
        place, note_count = SourcePosition(self._name, element=element), len(self._notes)
        try:
            item = self._node(row, place) if isinstance(row, NodeRow) else self._connection(row, place)
        except InvalidSourceValue as error:
            item = replace(error.at(place), key=Key(row.key) if isinstance(row, NodeRow) else None)
        yield from islice(self._notes.values(), note_count, None)
        yield item

    def _node(self, row: NodeRow, place: SourcePosition) -> NodeRecord:
        reserved, properties = self._values(row, RESERVED_NODE_NAMES, place)
        labels = tuple(sorted(label for label in row.labels if not label.startswith("_")))
        if not labels and self._options.node_type is None:
            raise InvalidSourceValue("The node has no label", "Add one, or use --node-type.")
        tags = _check_tags(reserved.pop("_tags", []))
        labels = labels or (str(self._options.node_type),)
        return NodeRecord.of(place, Key(row.key), labels, properties, _reserved_texts(reserved), tags)

    def _connection(self, row: RelationshipRow, place: SourcePosition) -> ConnectionRecord:
        reserved, properties = self._values(row, RESERVED_CONNECTION_NAMES, place)
        ends = (Key(row.source), Key(row.target))
        return ConnectionRecord.of(place, row.type, ends, row.key, properties, _reserved_texts(reserved))

    def _values(
        self, row: NodeRow | RelationshipRow, names: Collection[str], place: SourcePosition
    ) -> tuple[dict[str, object], dict[str, PropertyValue]]:
        """Return the element's values of reserved names, except the id, and its properties. Both are keyed by name."""
        self._check_id(row, place)
        reserved: dict[str, object] = {}
        properties: dict[str, PropertyValue] = {}
        for name, value in row.properties.items():
            if name == "_id":
                continue  # this value is already the key
            if name in names:
                reserved[name] = value
            elif name.startswith("_"):
                self._add_note(place, name, f"{name} is left out: names that begin with _ are reserved")
            elif (storable := from_json(self._as_storable(name, value, place), self._options, name)) is not None:
                properties[name] = storable
        return reserved, properties

    def _check_id(self, row: NodeRow | RelationshipRow, place: SourcePosition) -> None:
        """Raise InvalidSourceValue if the element's id is neither text nor a number.

        Adds a note if another id property replaces `_id`.
        """
        id_property, name = self._options.id_property, "_id"
        if id_property in row.properties and isinstance(row, NodeRow):
            if name in row.properties and name != id_property:
                self._add_note(place, name, f"_id is left out: --id-property says that {id_property} is the id")
            name = str(id_property)
        key_value = row.properties.get(name, "")
        is_key = (
            key_value.type in AS_TEXT if isinstance(key_value, TextValue) else isinstance(key_value, str | int | float)
        )
        if not is_key:
            raise _type_error(name, key_value, "text or a number, because it is the id")

    def _as_storable(self, name: str, value: object, place: SourcePosition) -> object:
        """Return the value as a property. Converts other types, such as points, to text, and adds a note."""
        match value:
            case TextValue():
                self._add_note(place, name, f"{name} is of type {value.type}, and becomes text")
                return value.text
            case list():
                return [self._as_storable(name, item, place) for item in cast("list[object]", value)]
            case _:
                return value

    def _add_note(self, place: SourcePosition, name: str, text: str) -> None:
        if text not in self._notes:
            self._notes[text] = Note(replace(place, column=name), text)


def _reserved_texts(reserved: Mapping[str, object]) -> dict[str, str]:
    return {name: _reserved_text(name, value) for name, value in reserved.items()}


def _reserved_text(name: str, value: object) -> str:
    """Return the value of a reserved name as text. Raises InvalidSourceValue if it has the wrong type."""
    if isinstance(value, TextValue) and value.type in ("date", "datetime") and name in ("_valid_from", "_valid_to"):
        return value.text
    if name in NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _type_error(name, value, "a number")
        return repr(value)
    if not isinstance(value, str):
        raise _type_error(name, value, "text")
    return value


def _check_tags(value: object) -> list[str]:
    tags = cast("list[object]", value) if isinstance(value, list) else None
    if tags is None or not all(isinstance(tag, str) for tag in tags):
        raise _type_error("_tags", cast("object", value), "a list of text")
    return cast("list[str]", tags)


def _type_error(name: str, value: object, expected: str) -> InvalidSourceValue:
    kind = f"of type {value.type}" if isinstance(value, TextValue) else kind_of(value)
    return InvalidSourceValue(
        f"{name} is {kind}; it must be {expected}", "Change, rename or remove it in the source.", name
    )
