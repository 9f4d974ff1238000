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
from graph_memory.memory.transfer.formats.values import from_json
from graph_memory.model.properties import PropertyValue
from graph_memory.model.wording import shown
from graph_memory.storage.foreign import AsText, Graph, open_graph
from graph_memory.storage.guarding import Guard
from graph_memory.storage.queries import query
from graph_memory.storage.store import Address


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
    """A relationship as it is there, and what its ends are called by."""

    element: str
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
            record = self._node(row, place) if isinstance(row, NodeRow) else self._connection(row, place)
        except Unfit as error:
            yield error.at(place)
            return
        yield from islice(self._notes.values(), told, None)
        yield record

    def _node(self, row: NodeRow, place: Place) -> NodeRecord:
        own, properties = self._values(row.properties, NODE_OWN | {"_id"}, place)
        labels = tuple(sorted(label for label in row.labels if not label.startswith("_")))
        if not labels and self._options.node_type is None:
            raise Unfit("The node has no label", "Add one, or give --node-type.")
        tags = cast("Sequence[str]", own.pop("_tags", ()))
        labels = labels or (str(self._options.node_type),)
        return NodeRecord.of(place, Key(row.key), labels, properties, _texts(own), tags)

    def _connection(self, row: RelationshipRow, place: Place) -> ConnectionRecord:
        own, properties = self._values(row.properties, CONNECTION_OWN, place)
        texts = _texts(own)
        ends = (Key(row.source), Key(row.target))
        return ConnectionRecord.of(place, row.type, ends, texts.get("_id", row.element), properties, texts)

    def _values(
        self, given: Mapping[str, object], names: Collection[str], place: Place
    ) -> tuple[dict[str, object], dict[str, PropertyValue]]:
        """Return what stands under names of our own, and the properties."""
        own = {name: value for name, value in given.items() if name in names}
        properties: dict[str, PropertyValue] = {}
        for name, value in given.items():
            if name.startswith("_") and name not in own:
                self._note(place, name, f"{name} is left out: names that begin with _ are reserved")
            elif (
                name not in own
                and (found := from_json(self._carried(name, value, place), self._options, name)) is not None
            ):
                properties[name] = found
        return own, properties

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
    return {name: value for name, value in own.items() if isinstance(value, str)}
