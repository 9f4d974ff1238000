"""Values that look alike are not the same: each way to change, compare, take over or mend one knows it.

Every pair of values that Python, Cypher or a reader may take for equal is one node and one connection, so that each
operation runs once for all of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.model.values.exact import same_value
from graph_memory.model.values.properties import PropertyValue
from support import last

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [
            {"name": "Thing", "properties": {"key": {"indexed": True}}},
            {"name": "Single", "properties": {"key": {"unique": True}}},
        ],
        "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}],
    }
)
ALIKE: tuple[tuple[PropertyValue, ...], ...] = (
    (1, 1.0, True, "1"),
    (0, 0.0, -0.0, False, "", "0"),
    ("\u00e9", "e\u0301"),
    ("\u212b", "\u00c5"),
    (2**53, float(2**53), 2**53 + 1),
)
VALUES = [value for group in ALIKE for value in group]
PAIRS = [pair for group in ALIKE for pair in permutations(group, 2)]
Subjects = dict[str, tuple[PropertyValue, PropertyValue]]
"""Nodes and connections, each with its first and its second value."""


class Pairs:
    """A node and a connection for each pair, all with the first value of theirs."""

    def __init__(self, memory: Memory, domain: str, driver: Driver) -> None:
        self.memory, self.domain, self.driver = memory, domain, driver
        self.nodes: Subjects = {}
        self.connections: Subjects = {}

    async def fill(self) -> Pairs:
        await self.memory.create_ontology(ONTOLOGY)
        self.nodes = {f"n{number:03}": pair for number, pair in enumerate(PAIRS)}
        self.connections = {f"c{number:03}": pair for number, pair in enumerate(PAIRS[::3])}
        async with anyio.create_task_group() as tasks:
            for name, (value, _) in self.nodes.items():
                tasks.start_soon(self._make_node, name, {"value": value, "key": value})
        async with anyio.create_task_group() as tasks:
            for name, (value, _) in self.connections.items():
                tasks.start_soon(self._make_connection, name, {"value": value})
        return self

    async def _make_node(self, text: str, arguments: Mapping[str, object]) -> None:
        await self.memory.create_node("Thing", "", properties=arguments, id=text)

    async def _make_connection(self, text: str, arguments: Mapping[str, object]) -> None:
        await self.memory.create_connection("Link", "n000", "n001", properties=arguments, id=text)

    @property
    def all_subjects(self) -> Subjects:
        return {**self.nodes, **self.connections}

    async def update(self, memory: Memory, side: int = 1) -> None:
        for node, pair in self.nodes.items():
            await memory.update_node(node, properties={"value": pair[side], "key": pair[side]})
        for connection, pair in self.connections.items():
            await memory.update_connection(connection, properties={"value": pair[side]})

    def by_hand(self, *, domain: str | None = None) -> None:
        """Give each its second value behind the memory's back."""
        rows = [{"id": name, "value": pair[1]} for name, pair in self.all_subjects.items()]
        for pattern in ("(x:_Node {_domain: $domain, _id: row.id})", "()-[x:Link {_domain: $domain, _id: row.id}]->()"):
            query = f"UNWIND $rows AS row MATCH {pattern} SET x.value = row.value"
            self.driver.execute_query(query, rows=rows, domain=domain or self.domain)  # pyright: ignore[reportArgumentType]

    async def has(self, memory: Memory, side: int) -> None:
        """Assert that all have their first or their second value, to the letter, and graph and log agree."""
        results: dict[str, Any] = {
            node.id: node.properties["value"] for node in await memory.describe_nodes(list(self.nodes))
        }
        results |= {
            connection.id: connection.properties["value"]
            for connection in await memory.describe_connections(list(self.connections))
        }
        wrong = {
            name: (pair, results[name])
            for name, pair in self.all_subjects.items()
            if not same_value(pair[side], results[name])
        }
        assert wrong == {}
        assert (await memory.upkeep.verify()).differences == ()


@pytest.fixture
async def pairs(memory: Memory, domain: str, driver: Driver) -> AsyncIterator[Pairs]:
    return await Pairs(memory, domain, driver).fill()


async def differing(memory: Memory, since: int | None = None, **arguments: Any) -> set[str]:
    results: set[str] = set()
    cursor: str | None = None
    while True:
        page = await memory.history.diff(since=since, limit=200, cursor=cursor, **arguments)
        for entry in page.entries:
            assert entry.properties, f"{entry.subject} differs, and the entry does not say in what"
            assert "rewritten" not in entry.summary
            results.add(entry.subject)
        if (cursor := page.next_cursor) is None:
            return results


@pytest.mark.long
async def test_an_update_to_a_value_that_looks_alike_is_a_change_that_is_shown_and_taken_back(pairs: Pairs) -> None:
    memory = pairs.memory
    begun = await last(memory)
    await pairs.update(memory)
    assert await last(memory) == begun + len(pairs.all_subjects), "an update was taken for no change"
    await pairs.update(memory)
    assert await last(memory) == begun + len(pairs.all_subjects), "no change was taken for one"
    assert await differing(memory, begun) == pairs.all_subjects.keys()
    await pairs.has(memory, 1)
    undone = await memory.history.revert(since=begun + 1)
    assert {change.subject for change in undone.changes} == pairs.all_subjects.keys()
    await pairs.has(memory, 0)
    assert await differing(memory, begun) == set()


@pytest.mark.long
async def test_a_merge_takes_over_a_value_that_looks_alike_and_is_taken_back(pairs: Pairs) -> None:
    memory, name = pairs.memory, f"{pairs.domain}-b"
    await memory.history.branch(name)
    branch = memory.in_domain(name)
    await pairs.update(branch)
    assert await differing(memory, against=name) == pairs.all_subjects.keys()
    begun = await last(memory)
    assert (await memory.history.merge(name)).updated == len(pairs.all_subjects)
    await pairs.has(memory, 1)
    await memory.history.revert(since=begun + 1)
    await pairs.has(memory, 0)


@pytest.mark.long
async def test_two_sides_that_chose_values_that_look_alike_are_in_conflict(pairs: Pairs) -> None:
    memory, name = pairs.memory, f"{pairs.domain}-b"
    for node in pairs.nodes:
        await memory.update_node(node, properties={"value": "first"})
    await memory.history.branch(name)
    await pairs.update(memory, 0)
    await pairs.update(memory.in_domain(name), 1)
    preview = await memory.history.merge(name, preview=True)
    conflicts = len(preview.conflicts) + (preview.more_conflicts or 0)
    assert conflicts >= len(pairs.nodes)
    assert (await memory.history.merge(name, strategy="ours")).settled == len(pairs.nodes)
    rendered = {node.id: node.properties["value"] for node in await memory.describe_nodes(list(pairs.nodes))}
    assert all(same_value(rendered[name], pair[0]) for name, pair in pairs.nodes.items())


@pytest.mark.long
async def test_a_hand_that_changed_a_value_to_one_that_looks_alike_is_seen_and_adopted(pairs: Pairs) -> None:
    memory = pairs.memory
    pairs.by_hand()
    assert {
        difference.subject for difference in (await memory.upkeep.verify()).differences
    } == pairs.all_subjects.keys()
    reconciliation = await memory.upkeep.reconcile(adopt="all")
    assert {change.id for change in reconciliation.changes if change.settled == "adopted"} == pairs.all_subjects.keys()
    await pairs.has(memory, 1)


@pytest.mark.long
async def test_a_hand_that_changed_a_value_to_one_that_looks_alike_is_undone(pairs: Pairs) -> None:
    memory = pairs.memory
    pairs.by_hand()
    reconciliation = await memory.upkeep.reconcile(restore="all")
    assert {change.id for change in reconciliation.changes if change.settled == "restored"} == pairs.all_subjects.keys()
    await pairs.has(memory, 0)
    pairs.by_hand()
    rebuilt = await memory.upkeep.rebuild()
    assert {difference.subject for difference in rebuilt.differences} == pairs.all_subjects.keys()
    assert rebuilt.unmended == ()
    await pairs.has(memory, 0)


@pytest.mark.long
async def test_queries_match_numbers_by_their_value_and_all_else_exactly_wherever_they_look(pairs: Pairs) -> None:
    """With an index, without one, of every type, and in the past: the same answer."""
    memory = pairs.memory
    begun = await last(memory)
    past = await memory.history.as_of(begun)
    answers: dict[int, list[tuple[str, ...]]] = {}
    for place, value in enumerate(VALUES):
        answers[place] = [
            (await memory.query_nodes(type="Thing", properties={"key": value})).node_ids,
            (await memory.query_nodes(type="Thing", properties={"value": value})).node_ids,
            (await memory.query_nodes(properties={"value": value})).node_ids,
            (await past.query_nodes(type="Thing", properties={"value": value})).node_ids,
        ]
        expected = {name for name, pair in pairs.nodes.items() if _matches(pair[0], value)}
        assert [set(answer) - expected for answer in answers[place]] == [set()] * 4, value
        assert [expected - set(answer) for answer in answers[place]] == [set()] * 4, value
    await memory.update_node("n000", properties={"other": 1})
    await pairs.update(memory)
    for place, value in enumerate(VALUES):
        assert (await past.query_nodes(properties={"value": value})).node_ids == answers[place][0]
        links = (await memory.query_connections(type="Link", properties={"value": value})).connection_ids
        assert set(links) == {name for name, pair in pairs.connections.items() if _matches(pair[1], value)}


@pytest.mark.long
async def test_an_export_and_an_import_keep_every_value_to_the_letter(pairs: Pairs, tmp_path: Path) -> None:
    name = f"{pairs.domain}-copy"
    await pairs.memory.transfer.export_file(tmp_path / "log.jsonl")
    await pairs.memory.transfer.import_file(tmp_path / "log.jsonl", name=name)
    await pairs.has(pairs.memory.in_domain(name), 0)
    assert await differing(pairs.memory, against=name) == set()


async def test_unique_values_are_those_that_a_query_takes_for_the_same(pairs: Pairs) -> None:
    taken: list[PropertyValue] = []
    for value in VALUES:
        page = await pairs.memory.query_nodes(type="Single", properties={"key": value})
        with contextlib.nullcontext() if not page.node_ids else pytest.raises(GraphError) as caught:
            await pairs.memory.create_node("Single", "", properties={"key": value})
        if caught is None:
            taken.append(value)
        else:
            assert caught.value.code is Code.UNIQUE_PROPERTY_TAKEN
    assert len(taken) == len(VALUES) - 4, "1.0, 0.0, -0.0 and float(2**53) are the same as 1, 0 and 2**53"


def _matches(value: PropertyValue, other: PropertyValue) -> bool:
    return isinstance(value, bool) == isinstance(other, bool) and value == other
