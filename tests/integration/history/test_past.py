"""A domain as it was: every read, at every point, equals what the same read gave then."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, NodeType, ontology_from
from graph_memory.memory.core import Core
from graph_memory.memory.graph import substring
from graph_memory.memory.graph.substring import TextRow
from graph_memory.memory.history import past_search
from graph_memory.memory.history.past import Past
from graph_memory.model.text.search_windows import Needle
from profiles import some

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Note", "properties": {"rank": {"indexed": True}}}, "Task"],
        "connection_types": [
            {"name": "Link", "from": ["*"], "to": ["*"]},
            {"name": "Part", "from": ["*"], "to": ["*"]},
        ],
    }
)
WORDS = ["kitchen", "garden", "Straße", "a longer text about " * 20]


@dataclass
class World:
    """Random writes, and what is alive after each."""

    memory: Memory
    rng: random.Random
    nodes: list[str]
    links: list[str]
    types: int = 0

    async def write(self) -> None:
        """Make one write."""
        rng = self.rng
        acts: list[Callable[[], Any]] = [self.create, self.create, self.declare]
        if self.nodes:
            acts += [self.update, self.update, self.link, self.delete]
        if self.links:
            acts += [self.relink, self.unlink]
        await rng.choice(acts)()

    async def create(self) -> None:
        arguments = {"rank": self.rng.randrange(3)} if self.rng.random() < 0.7 else {}
        made = await self.memory.create_node(
            self.rng.choice(["Note", "Task"]), self.rng.choice(WORDS), properties=arguments, tags=["t"]
        )
        self.nodes.append(made.node_id)

    async def declare(self) -> None:
        self.types += 1
        await self.memory.add_node_type(NodeType(f"Type{self.types}"))

    async def update(self) -> None:
        node = self.rng.choice(self.nodes)
        if self.rng.random() < 0.5:
            await self.memory.update_node(node, properties={"rank": self.rng.randrange(3)})
        else:
            await self.memory.update_node(node, content=self.rng.choice(WORDS), encoding="utf-8")

    async def link(self) -> None:
        kind, ends = self.rng.choice(["Link", "Part"]), (self.rng.choice(self.nodes), self.rng.choice(self.nodes))
        self.links.append((await self.memory.create_connection(kind, *ends, content="why")).connection_id)

    async def relink(self) -> None:
        await self.memory.update_connection(self.rng.choice(self.links), properties={"n": self.rng.randrange(3)})

    async def unlink(self) -> None:
        link = self.links.pop(self.rng.randrange(len(self.links)))
        await self.memory.delete_connection(link)

    async def delete(self) -> None:
        node = self.nodes.pop(self.rng.randrange(len(self.nodes)))
        await self.memory.delete_node(node)
        self.links = list((await self.memory.query_connections()).connection_ids)


async def everything(memory: Memory | Past, nodes: list[str], links: list[str]) -> dict[str, Any]:
    """The results of all reads, by request."""
    results: dict[str, Any] = {
        "all": (await memory.query_nodes()).node_ids,
        "notes": (await memory.query_nodes(type="Note")).node_ids,
        "ranked": (await memory.query_nodes(type="Note", properties={"rank": 1})).node_ids,
        "first": (await memory.query_nodes(limit=3)).node_ids,
        "connections": (await memory.query_connections()).connection_ids,
        "links": (await memory.query_connections(type="Link", properties={"n": 1})).connection_ids,
        "described": await memory.describe_nodes([*nodes, "mem_nobody"]),
        "described connections": await memory.describe_connections([*links, "conn_nobody"]),
        "neighbours": await memory.get_connected_nodes_of([*nodes, "mem_nobody"], direction="both"),
        "parts": await memory.get_connected_nodes_of(nodes, direction="out", connection_type="Part"),
        "ontology": await memory.get_ontology(),
        "valid": [await memory.validate_connection("Link", "Note", name) for name in ("Task", "Type3", "Type9")],
    }
    for text in ("kitchen", "STRASSE", "ga", "text about a longer", "nothing"):
        results[text] = (await memory.search_content(text)).node_ids
        results[text + " in tasks"] = (await memory.search_content(text, node_type="Task")).node_ids
    for node in nodes:
        results[node] = await answer(memory.get_node(node))
        results[node + " content"] = await answer(memory.get_node_content(node))
        for direction in ("out", "in", "both"):
            results[f"{node} {direction}"] = await answer(memory.get_connected_nodes(node, direction=direction))
        results[node + " parts"] = await answer(
            memory.get_connected_nodes(node, direction="both", connection_type="Part")
        )
        results[node + " from"] = (await memory.query_connections(from_node_id=node)).connection_ids
        results[node + " to"] = (await memory.query_connections(to_node_id=node, type="Link")).connection_ids
    for link in links:
        results[link] = await answer(memory.get_connection(link, include_content=True))
    return results


async def answer(query: Any) -> Any:
    try:
        return await query
    except GraphError as error:
        return error.code


@pytest.mark.long
@pytest.mark.parametrize("seed", some(range(2)))
async def test_every_read_at_every_point_is_what_it_was_then(memory: Memory, seed: int) -> None:
    await memory.create_ontology(ONTOLOGY)
    world = World(memory, random.Random(seed), [], [])
    seen: set[str] = set()
    then: dict[int, dict[str, Any]] = {}
    for turn in range(25):
        await world.write()
        seen |= {*world.nodes, *world.links}
        if turn % 3 == 0:
            nodes, links = list(world.nodes), list(world.links)
            then[(await memory.domain_info()).events] = await everything(memory, nodes, links)
    for at, expected in then.items():
        nodes = [name for name in expected if name.startswith("mem_") and " " not in name]
        links = [name for name in expected if name.startswith("conn_")]
        assert await everything(await memory.history.as_of(at), nodes, links) == expected


async def test_what_was_deleted_is_there_with_its_content(memory: Memory) -> None:
    await memory.create_ontology(ONTOLOGY)
    long = "long " * 10_000
    node = (await memory.create_node("Note", long)).node_id
    begun = (await memory.domain_info()).events
    await memory.delete_node(node)
    past = await memory.history.as_of(begun)
    assert (await past.get_node_content(node)).content == long
    assert (await past.search_content("g long lo")).node_ids == (node,)
    assert (await memory.search_content("g long lo")).node_ids == ()


async def test_what_was_not_there_then_is_told(memory: Memory) -> None:
    await memory.create_ontology(ONTOLOGY)
    node = (await memory.create_node("Note", "")).node_id
    past = await memory.history.as_of(2)
    with pytest.raises(GraphError) as caught:
        await past.get_node(node)
    assert caught.value.code is Code.NODE_NOT_FOUND
    assert caught.value.message == f'Node "{node}" did not exist at event 2'
    empty = await memory.history.as_of(0)
    assert empty.seq == 0
    assert (await empty.query_nodes()).node_ids == ()
    with pytest.raises(GraphError) as caught:
        await empty.get_ontology()
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    assert caught.value.message.endswith("had no ontology at event 0")


async def test_a_time_leads_to_the_last_change_until_then(memory: Memory) -> None:
    await memory.create_ontology(ONTOLOGY)
    node = (await memory.create_node("Note", "", properties={"rank": 1})).node_id
    made = (await memory.get_node(node)).created
    await memory.update_node(node, properties={"rank": 2})
    past = await memory.history.as_of(made.isoformat())
    assert (await past.get_node(node)).properties == {"rank": 1}
    assert (await (await memory.history.as_of("now")).get_node(node)).properties == {"rank": 2}


async def test_pages_lead_to_all_of_it_once(memory: Memory) -> None:
    await memory.create_ontology(ONTOLOGY)
    nodes = sorted([(await memory.create_node("Note", "words")).node_id for _ in range(5)])
    past = await memory.history.as_of("now")
    await memory.delete_node(nodes[1])
    for ask in (past.query_nodes, lambda **arguments: past.search_content("words", **arguments)):
        results: list[str] = []
        cursor = None
        while True:
            page = await ask(limit=2, cursor=cursor)
            results += page.node_ids
            if (cursor := page.next_cursor) is None:
                break
        assert results == nodes


@pytest.mark.long
async def test_what_is_compacted_away_is_said_and_never_answered_wrongly(memory: Memory, tmp_path: Path) -> None:
    await memory.create_ontology(ONTOLOGY)
    node, other = [(await memory.create_node("Note", "words", properties={"rank": 1})).node_id for _ in range(2)]
    link = (await memory.create_connection("Link", node, other, content="why")).connection_id
    past = await memory.history.as_of("now")
    kept = await memory.history.as_of((await memory.update_node(node, content="new", encoding="utf-8")).version)
    await memory.history.compact(kept.seq, archive=tmp_path / "archive.jsonl.gz")
    for ask in (
        past.get_node(node),
        past.get_node_content(node),
        past.get_connection(link, include_content=True),
        past.query_nodes(),
        past.query_connections(),
        past.get_connected_nodes(node, direction="out"),
        past.search_content("words"),
        past.describe_nodes([node]),
        past.describe_connections([link]),
        past.get_connected_nodes_of([node], direction="out"),
        past.get_ontology(),
        past.validate_connection("Link", "Note", "Note"),
    ):
        with pytest.raises(GraphError) as caught:
            await ask
        assert caught.value.code is Code.HISTORY_COMPACTED
    assert (await kept.query_nodes(type="Note", properties={"rank": 1})).node_ids == tuple(sorted([node, other]))
    assert (await kept.search_content("words")).node_ids == (other,)


async def test_a_page_of_a_search_is_found_without_a_look_at_all_the_rest(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_ontology(ONTOLOGY)
    nodes = sorted([(await memory.create_node("Note", "some words")).node_id for _ in range(12)])
    past = await memory.history.as_of("now")
    for node in (*nodes[:4], *nodes[6:11]):
        await memory.update_node(node, properties={"rank": 1})
    looked = 0

    async def count_row(core: Core, domain: str, needle: Needle, row: TextRow) -> bool:
        nonlocal looked
        looked += 1
        return await substring.contains_needle(core, domain, needle, row)

    monkeypatch.setattr(past_search, "contains_needle", count_row)
    monkeypatch.setattr(past_search, "AT_ONCE", 2)
    results: list[str] = []
    cursor = None
    while True:
        page = await past.search_content("words", limit=2, cursor=cursor)
        assert looked <= 3
        looked = 0
        results += page.node_ids
        if (cursor := page.next_cursor) is None:
            break
    assert results == nodes
