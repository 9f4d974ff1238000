"""A read that a commit overtakes misses no subject that exists throughout.

What such a read may see is made certain here: in the middle of it another client commits, and the statement returns no
changed subject, or its outdated state. Neo4j never misses a subject that the commit does not name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from graph_memory import Memory, Settings, ontology_from, open_memory
from graph_memory.memory.graph import consistent_read as overtaking
from graph_memory.memory.history.past import Past
from graph_memory.storage.queries import Query
from support import index

pytestmark = [pytest.mark.long, pytest.mark.anyio]

RULES = ontology_from(
    {
        "node_types": [{"name": "Note", "properties": {"status": {"type": "string", "indexed": True}}}, "Other"],
        "connection_types": [
            {
                "name": "Link",
                "from_types": ["Note"],
                "to_types": ["Note"],
                "properties": {"weight": {"type": "integer", "indexed": True}},
            }
        ],
    }
)
LONG = "kitchen " * 50

Ids = Sequence[str]


class Kitchen:
    """Six equal notes around a note, and another writer's memory of the same domain."""

    def __init__(self, memory: Memory, beside: Memory) -> None:
        self.memory = memory
        self.beside = beside
        self.hub = ""
        self.notes: list[str] = []
        self.links: list[str] = []
        self._touches = 0

    async def fill(self) -> None:
        await self.memory.create_ontology(RULES)
        self.hub = (await self.memory.create_node("Note", "hub")).node_id
        for place in range(6):
            node = await self.memory.create_node("Note", f"{LONG}{place}", properties={"status": "next", "n": 0})
            link = await self.memory.create_connection("Link", self.hub, node.node_id, properties={"weight": 1})
            self.notes.append(node.node_id)
            self.links.append(link.connection_id)

    async def touch(self) -> None:
        """Change of the third note and its connection what no query asks for, as another process would."""
        self._touches += 1
        text = f"{LONG}{self._touches}"
        await self.beside.update_node(self.notes[2], properties={"n": self._touches}, content=text, encoding="utf-8")
        await self.beside.update_connection(self.links[2], properties={"n": self._touches})


@pytest.fixture
async def kitchen(memory: Memory, settings: Settings, domain: str) -> Any:
    async with open_memory(settings.model_copy(update={"domain": domain})) as beside:
        made = Kitchen(memory, beside)
        await made.fill()
        yield made


def overtake(
    monkeypatch: pytest.MonkeyPatch, memory: Memory, meanwhile: Callable[[], Awaitable[None]], lost: Ids, times: int = 1
) -> list[str]:
    """Have the next marked reads overtaken: statements give nothing of some ids. Returns which they were."""
    store = memory._core.store
    read = store.read
    overtaken: list[str] = []

    async def read_torn(query: Query[Any], **params: object) -> list[Any]:
        if query.returns[0] != "_seq" or len(overtaken) >= times:
            return await read(query, **params)
        overtaken.append(query.name)
        await meanwhile()
        limit = params.pop("limit", None)
        rows, mark = await read(query, **params, **({} if limit is None else {"limit": 1_000}))
        if query.name == "graph/neighbours":
            return [[without(row, lost) for row in rows], mark]
        return [[row for row in rows if getattr(row, "id", row) not in lost][:limit], mark]

    monkeypatch.setattr(store, "read", read_torn)
    return overtaken


def without(row: Any, lost: Ids) -> Any:
    return type(row)(row.id, [node_id for node_id in row.ids if node_id not in lost])


NODE_READS: dict[str, Callable[[Memory | Past], Awaitable[Any]]] = {
    "by an indexed property": lambda m: m.query_nodes(type="Note", properties={"status": "next"}),
    "by type and another property": lambda m: m.query_nodes(type="Note", properties={"status": "next"}, limit=6),
    "by properties": lambda m: m.query_nodes(properties={"status": "next"}),
    "by a word": lambda m: m.search_content("kitchen"),
    "by two characters": lambda m: m.search_content("ki"),
    "by a long text": lambda m: m.search_content(LONG[:300], node_type="Note"),
}


@pytest.mark.parametrize("name", NODE_READS)
@pytest.mark.parametrize("waits", [True, False], ids=["new texts", "indexed texts"])
async def test_a_node_that_matches_before_and_after_a_commit_is_found_beside_it(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, name: str, waits: bool
) -> None:
    if not waits:
        await index(kitchen.memory)
    overtaken = overtake(monkeypatch, kitchen.memory, kitchen.touch, [kitchen.notes[2]])
    assert list((await NODE_READS[name](kitchen.memory)).node_ids) == kitchen.notes
    assert overtaken


@pytest.mark.parametrize("name", NODE_READS)
async def test_so_it_is_in_the_past(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    past = await kitchen.memory.history.as_of("now")
    overtaken = overtake(monkeypatch, kitchen.memory, kitchen.touch, [kitchen.notes[2]])
    assert list((await NODE_READS[name](past)).node_ids) == kitchen.notes
    assert overtaken


CONNECTION_READS: dict[str, Callable[[Memory | Past, Kitchen], Awaitable[Any]]] = {
    "from a node": lambda m, k: m.query_connections(from_node_id=k.hub),
    "to a node": lambda m, k: m.query_connections(to_node_id=k.notes[2]),
    "between two": lambda m, k: m.query_connections(from_node_id=k.hub, to_node_id=k.notes[2]),
    "of a type": lambda m, _: m.query_connections(type="Link"),
    "by an indexed property": lambda m, _: m.query_connections(type="Link", properties={"weight": 1}),
    "by properties": lambda m, _: m.query_connections(properties={"weight": 1}),
}


@pytest.mark.parametrize("name", CONNECTION_READS)
@pytest.mark.parametrize("as_of", [False, True], ids=["now", "in the past"])
async def test_a_connection_that_matches_before_and_after_a_commit_is_found_beside_it(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, name: str, as_of: bool
) -> None:
    reader = await kitchen.memory.history.as_of("now") if as_of else kitchen.memory
    before = list((await CONNECTION_READS[name](reader, kitchen)).connection_ids)
    overtaken = overtake(monkeypatch, kitchen.memory, kitchen.touch, [kitchen.links[2]])
    assert list((await CONNECTION_READS[name](reader, kitchen)).connection_ids) == before
    assert kitchen.links[2] in before
    assert overtaken


@pytest.mark.parametrize("times", [1, overtaking.MAX_READS], ids=["once", "each time"])
@pytest.mark.parametrize("direction", ["out", "both"])
async def test_who_is_connected_before_and_after_a_commit_is_found_beside_it(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, times: int, direction: Any
) -> None:
    overtaken = overtake(monkeypatch, kitchen.memory, kitchen.touch, [kitchen.notes[2]], times)
    assert list((await kitchen.memory.get_connected_nodes(kitchen.hub, direction=direction)).node_ids) == kitchen.notes
    results = await kitchen.memory.get_connected_nodes_of([kitchen.hub], direction=direction)
    assert list(results[kitchen.hub]) == kitchen.notes
    assert len(overtaken) == times


@pytest.mark.parametrize("as_of", [False, True], ids=["now", "in the past"])
async def test_how_they_are_connected_is_told_beside_it_too(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, as_of: bool
) -> None:
    reader = await kitchen.memory.history.as_of("now") if as_of else kitchen.memory
    overtaken = overtake(monkeypatch, kitchen.memory, kitchen.touch, [kitchen.notes[2], kitchen.links[2]], times=100)
    nodes = await reader.get_connected_nodes(kitchen.hub, direction="both", detail=True)
    assert [[link.id for link in node.connections] for node in nodes.nodes or ()] == [[link] for link in kitchen.links]
    assert "graph/links" in overtaken


async def test_neighbours_too_however_often_a_commit_comes_between(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtake(monkeypatch, kitchen.memory, kitchen.touch, [kitchen.notes[2]], overtaking.MAX_READS)
    results = await kitchen.memory.get_connected_nodes_of([kitchen.hub], direction="out")
    assert list(results[kitchen.hub]) == kitchen.notes


async def test_what_a_commit_makes_or_takes_away_is_judged_by_its_last_event(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def change() -> None:
        await kitchen.beside.delete_node(kitchen.notes[0])
        await kitchen.beside.update_node(kitchen.notes[1], properties={"status": "done"}, content="x", encoding="utf-8")
        kitchen.notes.append((await kitchen.beside.create_node("Note", LONG, properties={"status": "next"})).node_id)

    overtake(monkeypatch, kitchen.memory, change, kitchen.notes)
    page = await kitchen.memory.query_nodes(type="Note", properties={"status": "next"})
    assert list(page.node_ids) == [kitchen.notes[6]]  # of the others nothing was given, and nobody changed them
    page = await kitchen.memory.query_nodes(type="Note", properties={"status": "next"})
    assert list(page.node_ids) == kitchen.notes[2:]


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
async def test_pages_beside_a_writer_give_each_node_once_and_none_is_left_out(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    overtake(monkeypatch, kitchen.memory, kitchen.touch, [kitchen.notes[2], kitchen.notes[0]], times=100)
    results: list[str] = []
    cursor: str | None = None
    while True:
        page = await kitchen.memory.query_nodes(type="Note", properties={"status": "next"}, limit=limit, cursor=cursor)
        results += page.node_ids
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page.node_ids) == limit
    assert results == [note for note in kitchen.notes if note != kitchen.notes[0]]  # nobody changed that one


@pytest.mark.parametrize("statement", ["history/events", "history/differences", "history/sessions"])
async def test_what_reads_the_log_ends_where_the_log_ended_when_it_began(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """Beyond that it could meet a part of a commit, and pages would go on behind what it had missed."""
    history, store = kitchen.memory.history, kitchen.memory._core.store
    last = (await history.log(limit=1)).entries[0].seq
    read = store.read
    meanwhile: list[str] = []

    async def late(query: Query[Any], **params: object) -> list[Any]:
        if query.name == statement and not meanwhile:
            meanwhile.append(statement)
            await kitchen.touch()
        return await read(query, **params)

    monkeypatch.setattr(store, "read", late)
    if statement == "history/events":
        assert (await history.log()).entries[0].seq == last
    elif statement == "history/differences":
        diff = await history.diff(since=1)
        assert diff.until == last
        assert diff.changed == 0
    else:
        assert (await history.sessions()).sessions[0].last_seq == last
    assert meanwhile


WEIGHTS: dict[str, Callable[[Kitchen, Memory | Past], Awaitable[Ids]]] = {
    "strongest": lambda k, m: ids_of(m.get_strongest_connections(k.hub, limit=3)),
    "queried": lambda k, m: ids_of(m.query_connections(min_strength=0.5)),
    "queried from a node": lambda k, m: ids_of(m.query_connections(from_node_id=k.hub, min_strength=0.5, limit=3)),
}


async def ids_of(query: Awaitable[Any]) -> Ids:
    result = await query
    return (
        [connection.id for connection in result.connections]
        if result.connections is not None
        else list(result.connection_ids)
    )


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("is_past", [False, True], ids=["now", "as of then"])
async def test_a_connection_that_changes_meanwhile_is_weighed_by_its_last_event(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, name: str, *, is_past: bool
) -> None:
    for place, strength in enumerate((0.6, 0.1, 0.7, 0.1, 0.8, 0.1)):
        await kitchen.memory.update_connection(kitchen.links[place], strength=strength / 0.9)
    strong = [kitchen.links[place] for place in (4, 2, 0)]
    past = await kitchen.memory.history.as_of("now")
    where = past if is_past else kitchen.memory

    async def meanwhile() -> None:
        await kitchen.beside.update_connection(kitchen.links[2], strength=0.05)
        await kitchen.beside.update_connection(kitchen.links[5], strength=1.0)

    overtaken = overtake(monkeypatch, kitchen.memory, meanwhile, [kitchen.links[2], kitchen.links[5]])
    ids = await WEIGHTS[name](kitchen, where)
    assert "graph/weighed" in overtaken
    expected = strong if is_past else [kitchen.links[place] for place in (5, 4, 0)]
    assert ids == (expected if name == "strongest" else sorted(expected))


WHOLE = dict.fromkeys(("semantic", "structural", "temporal", "confidence"), 1.0)


@pytest.mark.parametrize(("stronger", "expected", "looks"), [(False, [2, 3, 4], [3, 6]), (True, [5, 0, 2], [3])])
async def test_the_strongest_are_looked_for_again_where_too_many_of_them_became_weak_or_went(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, *, stronger: bool, expected: list[int], looks: list[int]
) -> None:
    for place in range(6):
        await kitchen.memory.update_connection(kitchen.links[place], strength=1 - place / 10)

    async def meanwhile() -> None:
        await kitchen.beside.delete_connection(kitchen.links[1])
        await kitchen.beside.update_connection(kitchen.links[5 if stronger else 0], strength=WHOLE if stronger else 0.0)

    store, memory = kitchen.memory._core.store, kitchen.memory
    read = store.read
    requests: list[object] = []

    async def late(query: Query[Any], **params: object) -> list[Any]:
        rows = await read(query, **params)
        if query.name != "graph/weighed":
            return rows
        requests.append(params["limit"])
        if len(requests) > 1:
            return rows
        await meanwhile()  # what was read before is told, with a mark that comes after
        return [rows[0], (await read(query, **params))[-1]]

    monkeypatch.setattr(store, "read", late)
    connections = await memory.get_strongest_connections(kitchen.hub, direction="out", limit=3)
    assert [connection.id for connection in connections.connections] == [kitchen.links[place] for place in expected]
    assert requests == looks


async def test_nothing_is_found_where_there_is_nothing_and_no_domain(memory: Memory, domain: str) -> None:
    nowhere = memory.in_domain(f"{domain}-none")
    await memory.create_ontology(RULES)
    for where in (memory, nowhere):
        assert (await where.query_nodes(type="Note", properties={"status": "next"})).node_ids == ()
        assert (await where.query_nodes()).node_ids == ()
        assert (await where.query_connections(type="Link")).connection_ids == ()
        assert (await where.search_content("kitchen")).node_ids == ()
        assert await where.get_connected_nodes_of(["n"], direction="both") == {}
