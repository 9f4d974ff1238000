"""Records from the rows of a Neo4j server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from graph_memory.memory.transfer.formats import neo4j_reading
from graph_memory.memory.transfer.formats.neo4j_reading import NODES, Neo4jSource, NodeRow, read_neo4j
from graph_memory.memory.transfer.formats.records import InvalidRecord, Item, NodeRecord, Note, SourceOptions
from graph_memory.storage.queries import Query


class Served:
    """Stands for a server that has these nodes."""

    def __init__(self, nodes: list[NodeRow]) -> None:
        self._nodes = nodes

    def rows(self, query: Query[object], **_: object) -> Iterator[object]:
        return iter(self._nodes if query is NODES else ())


def read(monkeypatch: pytest.MonkeyPatch, *properties: dict[str, object], **options: str) -> list[Item]:
    nodes = [NodeRow(f"4:{n}", f"4:{n}", ["Person"], rule) for n, rule in enumerate(properties)]
    monkeypatch.setattr(neo4j_reading, "open_graph", lambda _: nullcontext(Served(nodes)))
    return list(read_neo4j(Neo4jSource("bolt://host"), SourceOptions(**options)))


def test_what_becomes_of_a_value_is_told_where_the_first_node_that_has_it_is_refused(monkeypatch: pytest.MonkeyPatch):
    items = read(monkeypatch, {"_secret": 1, "words": ["a"]}, {"_secret": 2})
    assert [type(item) for item in items] == [Note, InvalidRecord, NodeRecord]


def test_a_list_is_no_id(monkeypatch: pytest.MonkeyPatch):
    (item,) = read(monkeypatch, {"number": [1], "_id": "n1"}, id_property="number", join_arrays=", ")[1:]
    assert isinstance(item, InvalidRecord)
    assert (item.message, item.place.column) == (
        "number is a list; it must be text or a number, because it is the id",
        "number",
    )
