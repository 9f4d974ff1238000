"""Another Neo4j, or what of the same one is not the service's, read as a stream: first its nodes, then relationships.

Labels and types that begin with an underscore are for services such as this one; what has one is read if it is named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast

from graph_memory.memory.transfer.formats.records import (
    CONNECTION_OWN,
    NODE_OWN,
    ConnectionRecord,
    Items,
    Key,
    NodeRecord,
    Note,
    Place,
    SourceOptions,
    Unfit,
)
from graph_memory.memory.transfer.formats.values import AS_TEXT, from_json
from graph_memory.model.text.wording import kind_of, shown
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import NUMBERS
from graph_memory.storage.connecting import Address
from graph_memory.storage.foreign import AsText, Graph, open_graph
from graph_memory.storage.guarding import Guard
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class Neo4jSource:
    """A graph in a Neo4j server, at a URI such as `bolt://host:7687` or `neo4j+s://host`.

    Without a user name and password it is read without a login; without a database, the home database of the user is.
    """

    uri: str
    username: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str | None = None
    guard: Guard | None = field(default=None, repr=False, compare=False)
    """Of a server whose process is known, what tells it from others in its place."""

    def __str__(self) -> str:
        return f"{self.uri}/{self.database}" if self.database else self.uri


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node as it is there, and what it is called by."""

    element: str
    key: str
    labels: Sequence[str]
    properties: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class RelationshipRow:
    """A relationship as it is there, and what it and its ends are called by."""

    element: str
    key: str
    type: str
    source: str
    target: str
    properties: Mapping[str, object]


NODES = query("transfer/foreign_nodes", NodeRow)
RELATIONSHIPS = query("transfer/foreign_relationships", RelationshipRow)
LEFT_OUT = query("transfer/foreign_left_out", int)


def read_neo4j(source: Neo4jSource, options: SourceOptions) -> Items:
    """Yield what is in a database. Raises what `open_graph` and `Graph.rows` raise."""
    address = Address(source.uri, source.username, source.password, source.database, source.guard)
    with open_graph(address) as graph:
        yield from _Reader(graph, shown(source), options).items()


class _Reader:
    def __init__(self, graph: Graph, name: str, options: SourceOptions) -> None:
        self._graph = graph
        self._name = name
        self._options = options
        self._labels = list(options.only_labels)
        self._notes: dict[str, Note] = {}
        """What becomes of values, each by its text: those that were told stay, so that none is told twice."""

    def items(self) -> Items:
        """Yield notes before what they are about."""
        left_out = sum(self._graph.rows(LEFT_OUT, labels=self._labels))
        if left_out:
            text = f"{left_out:,} nodes with a label that begins with _ are left out; --only-label takes those it names"
            yield Note(Place(self._name), text)
        given = {"labels": self._labels, "id_property": self._options.id_property}
        for node in self._graph.rows(NODES, **given):
            yield from self._told(node, f"node {node.element}")
        for found in self._graph.rows(RELATIONSHIPS, **given, types=list(self._options.only_types)):
            yield from self._told(found, f"relationship {found.element}")

    def _told(self, row: NodeRow | RelationshipRow, element: str) -> Items:
        place, told = Place(self._name, element=element), len(self._notes)
        try:
            item = self._node(row, place) if isinstance(row, NodeRow) else self._connection(row, place)
        except Unfit as error:
            item = replace(error.at(place), key=Key(row.key) if isinstance(row, NodeRow) else None)
        yield from islice(self._notes.values(), told, None)
        yield item

    def _node(self, row: NodeRow, place: Place) -> NodeRecord:
        own, properties = self._values(row, NODE_OWN, place)
        labels = tuple(sorted(label for label in row.labels if not label.startswith("_")))
        if not labels and self._options.node_type is None:
            raise Unfit("The node has no label", "Add one, or give --node-type.")
        tags = _tags(own.pop("_tags", []))
        labels = labels or (str(self._options.node_type),)
        return NodeRecord.of(place, Key(row.key), labels, properties, _texts(own), tags)

    def _connection(self, row: RelationshipRow, place: Place) -> ConnectionRecord:
        own, properties = self._values(row, CONNECTION_OWN, place)
        ends = (Key(row.source), Key(row.target))
        return ConnectionRecord.of(place, row.type, ends, row.key, properties, _texts(own))

    def _values(
        self, row: NodeRow | RelationshipRow, names: Collection[str], place: Place
    ) -> tuple[dict[str, object], dict[str, PropertyValue]]:
        """Return what stands under names of our own, but for the id, and the properties."""
        self._check_id(row, place)
        own: dict[str, object] = {}
        properties: dict[str, PropertyValue] = {}
        for name, value in row.properties.items():
            if name == "_id":
                continue  # the server made a key of it
            if name in names:
                own[name] = value
            elif name.startswith("_"):
                self._note(place, name, f"{name} is left out: names that begin with _ are reserved")
            elif (found := from_json(self._carried(name, value, place), self._options, name)) is not None:
                properties[name] = found
        return own, properties

    def _check_id(self, row: NodeRow | RelationshipRow, place: Place) -> None:
        """Refuse what the server could make no key of, and note an id that another property goes before."""
        chosen, name = self._options.id_property, "_id"
        if chosen in row.properties and isinstance(row, NodeRow):
            if name in row.properties and name != chosen:
                self._note(place, name, f"_id is left out: --id-property says that {chosen} is the id")
            name = str(chosen)
        found = row.properties.get(name, "")
        is_key = found.type in AS_TEXT if isinstance(found, AsText) else isinstance(found, str | int | float)
        if not is_key:
            raise _misfit(name, found, "text or a number, as it is the id")

    def _carried(self, name: str, value: object, place: Place) -> object:
        """Return a value with text for what a memory cannot hold."""
        match value:
            case AsText():
                self._note(place, name, f"{name} is of type {value.type}, and becomes text")
                return value.text
            case list():
                return [self._carried(name, one, place) for one in cast("list[object]", value)]
            case _:
                return value

    def _note(self, place: Place, name: str, text: str) -> None:
        if text not in self._notes:
            self._notes[text] = Note(replace(place, column=name), text)


def _texts(own: Mapping[str, object]) -> dict[str, str]:
    return {name: _text(name, value) for name, value in own.items()}


def _text(name: str, value: object) -> str:
    """Return a value under a name of our own. Raises Unfit for what does not belong there."""
    if isinstance(value, AsText) and value.type in ("date", "datetime") and name in ("_valid_from", "_valid_to"):
        return value.text
    if name in NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _misfit(name, value, "a number")
        return repr(value)
    if not isinstance(value, str):
        raise _misfit(name, value, "text")
    return value


def _tags(value: object) -> list[str]:
    tags = cast("list[object]", value) if isinstance(value, list) else None
    if tags is None or not all(isinstance(tag, str) for tag in tags):
        raise _misfit("_tags", cast("object", value), "a list of text")
    return cast("list[str]", tags)


def _misfit(name: str, value: object, wanted: str) -> Unfit:
    kind = f"of type {value.type}" if isinstance(value, AsText) else kind_of(value)
    return Unfit(f"{name} is {kind}; it must be {wanted}", "Change, rename or remove it in the source.", name)
