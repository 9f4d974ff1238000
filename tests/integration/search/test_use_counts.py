"""How often nodes are used: what counts, what is written of it, and what becomes of that."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.memory.access_counter import Access, AccessCounter
from graph_memory.memory.core import Core
from graph_memory.memory.search import access_store
from graph_memory.memory.search.access_store import accesses_of, flush, read_most_used
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import Query
from graph_memory.storage.store import Transaction
from integration.search.rows import Rows

pytestmark = pytest.mark.anyio
TYPES = ontology_from({"node_types": ["Note"]})


def counting(memory: Memory, most: int = 100) -> Memory:
    """The same memory with a tally of its own."""
    return Memory(
        replace(memory._core, accesses=AccessCounter(most), co_accesses=AccessCounter(most)),
        default_domain=memory._default_domain,
    )


@pytest.fixture
async def counting_memory(memory: Memory) -> Memory:
    counting_memory = counting(memory)
    await counting_memory.create_ontology(TYPES)
    for string in "abc":
        await counting_memory.create_node("Note", f"The {string} tile is loose.", id=string)
    return counting_memory


@pytest.fixture
def rows(counting_memory: Memory, driver: Driver, domain: str) -> Rows:
    return Rows(driver, counting_memory, domain)


async def counts_of(memory: Memory, domain: str) -> dict[str, int]:
    """The counts, once they are written; what they are by the index is what they are by ids."""
    core = memory._core
    await flush(core)
    counts = {row.id: row.count for row in await read_most_used(core, domain, 10)}
    assert counts == {name: row.count for name, row in (await accesses_of(core, domain, sorted(counts))).items()}
    return counts


async def test_hits_and_nodes_that_are_opened_count_and_lists_do_not(counting_memory: Memory, domain: str) -> None:
    await counting_memory.get_node("a")
    await counting_memory.get_node_content("a")
    await counting_memory.recall.search_memories("the b tile", search_mode="lexical", max_results=1)
    await counting_memory.query_nodes(type="Note")
    await counting_memory.search_content("tile")
    await counting_memory.describe_nodes(["a", "b", "c"])
    await counting_memory.get_connected_nodes("a", direction="both")
    with pytest.raises(GraphError):
        await counting_memory.get_node("none")
    assert await counts_of(counting_memory, domain) == {"a": 2, "b": 1}
    assert [row.id for row in await read_most_used(counting_memory._core, domain, 1)] == ["a"]


async def test_an_overview_says_how_often_things_were_used(counting_memory: Memory, domain: str) -> None:
    for _ in range(3):
        await counting_memory.get_node("a")
    await counting_memory.get_node("b")
    assert await counts_of(counting_memory, domain) == {"a": 3, "b": 1}
    text = str((await counting_memory.recall.recall(depth="shallow")).content).partition("Used most:")[2]
    assert "used 3 times" in text.splitlines()[1]
    assert "used once" in text.splitlines()[2]
    content = (await counting_memory.recall.recall(depth="shallow", as_="structured")).content
    assert isinstance(content, dict)
    assert [(item["id"], item["uses"]) for item in content["used_most"]] == [("a", 3), ("b", 1)]
    assert all("uses" not in item for item in content["changed_last"])


async def test_looking_at_the_past_counts_nothing(counting_memory: Memory, domain: str) -> None:
    at = (await counting_memory.history.log(limit=1)).entries[0].seq
    await counting_memory.recall.search_memories("the b tile", search_mode="lexical", as_of=at)
    await (await counting_memory.history.as_of(at)).get_node("a")
    assert await counts_of(counting_memory, domain) == {}


async def test_two_that_count_at_once_add_up_and_the_last_time_is_the_later(
    counting_memory: Memory, domain: str
) -> None:
    others = counting(counting_memory)
    await counting_memory.get_node("a")
    await others.get_node("a")
    await others.get_node("b")
    later = utc_now()
    others._core.accesses.add(domain, {"a": Access(3, later)})
    await flush(others._core)
    assert await counts_of(counting_memory, domain) == {"a": 5, "b": 1}
    assert (await accesses_of(counting_memory._core, domain, ["a"]))["a"].last == later


async def test_a_branch_begins_at_zero(counting_memory: Memory, domain: str) -> None:
    await counting_memory.get_node("a")
    assert await counts_of(counting_memory, domain) == {"a": 1}
    await counting_memory.history.branch(f"{domain}-branch")
    assert await counts_of(counting_memory, f"{domain}-branch") == {}


async def test_what_is_erased_is_not_counted_and_not_by_a_count_that_comes_late(
    counting_memory: Memory, rows: Rows
) -> None:
    await counting_memory.get_node("a")
    assert await counts_of(counting_memory, rows.domain) == {"a": 1}
    await counting_memory.get_node("a")
    await counting_memory.history.erase("a")
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []
    assert await counts_of(counting_memory, rows.domain) == {}
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []


async def test_a_deleted_node_is_not_listed_until_it_is_back_and_compacting_forgets_it(
    counting_memory: Memory, rows: Rows, tmp_path: Path
) -> None:
    await counting_memory.get_node("a")
    await counting_memory.get_node("b")
    await flush(counting_memory._core)
    await counting_memory.delete_node("a")
    await counting_memory.get_node("b")
    assert await counts_of(counting_memory, rows.domain) == {"b": 2}
    assert (await counting_memory.upkeep.verify()).clean
    last = (await counting_memory.history.log(limit=1)).entries[0]
    await counting_memory.history.revert(event_ids=[last.id])
    assert await counts_of(counting_memory, rows.domain) == {"b": 2, "a": 1}
    await counting_memory.delete_node("a")
    await counting_memory.history.compact(last.seq, archive=tmp_path / "old.gz")
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a._id, a._count") == [["b", 2]]


async def test_a_deleted_domain_leaves_no_count_and_a_late_one_brings_none(counting_memory: Memory, rows: Rows) -> None:
    await counting_memory.get_node("a")
    await flush(counting_memory._core)
    await counting_memory.get_node("a")
    await counting_memory.delete_domain(rows.domain)
    await flush(counting_memory._core)
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []
    assert len(counting_memory._core.accesses) == 0


async def test_a_count_waits_for_who_deletes_the_node(
    counting_memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order that would bring it back: the count has begun before the deletion, and writes after it."""
    await counting_memory.get_node("a")
    run = Transaction.run

    async def slowly(self: Transaction, query: Query[object], **params: object) -> list[object]:
        if query is access_store.ADD_ACCESSES:
            await counting_memory.delete_node("a")
        return await run(self, query, **params)

    monkeypatch.setattr(Transaction, "run", slowly)
    await flush(counting_memory._core)
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []


async def test_what_cannot_be_written_is_kept_for_the_next_time(
    counting_memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_store, "PAGE", 1)
    for string in "abb":
        await counting_memory.get_node(string)
    write, calls = counting_memory._core.store.write, []

    async def fail(name: str, work: object, **arguments: object) -> object:
        calls.append(name)
        if len(calls) == 2:
            raise GraphError(Code.STORE_UNAVAILABLE, "gone")
        return await write(name, work, **arguments)  # pyright: ignore[reportArgumentType]

    with monkeypatch.context() as patch:
        patch.setattr(counting_memory._core.store, "write", fail)
        with pytest.raises(GraphError):
            await flush(counting_memory._core)
    assert await counts_of(counting_memory, domain) == {"a": 1, "b": 2}


@pytest.mark.parametrize("is_on", [True, False])
async def test_a_memory_that_is_closed_has_counted_unless_that_is_off(
    memory: Memory, domain: str, settings: Settings, *, is_on: bool
) -> None:
    await memory.create_ontology(TYPES)
    await memory.create_node("Note", "A tile.", id="a")
    async with open_memory(settings.model_copy(update={"use_counts": is_on, "domain": domain})) as other:
        await other.get_node("a")
    core: Core = memory._core
    assert [row.count for row in await read_most_used(core, domain, 10)] == [1] * is_on


async def test_searches_rank_by_use_and_recency_where_they_are_told_to(
    counting_memory: Memory, rows: Rows, domain: str
) -> None:
    """The parts add up, and the past has no use: it says so."""
    for string in "abc":
        await counting_memory.update_node(string, content="The tile is loose.", encoding="utf-8")
    await counting_memory.update_node("b", properties={"n": 1})
    await counting_memory.get_node("c")
    await flush(counting_memory._core)

    async def find_used(weights: dict[str, float], as_of: int | None = None) -> dict[str, list[str]]:
        reply = await counting_memory.recall.search_memories(
            "tile",
            search_mode="lexical",
            weightings=weights,
            include_relevance_explanation=True,
            as_of=as_of,
        )
        assert (reply.warnings is not None) == bool(as_of and "use_weight" in weights)
        for hit in reply.hits:
            assert hit.score == pytest.approx(sum(part.value for part in hit.explanation or ()), abs=1e-9)
        return {hit.id: [part.name for part in hit.explanation or ()] for hit in reply.hits}

    assert list(await find_used({})) == ["a", "b", "c"]
    assert (await find_used({"use_weight": 1.0})) == {"c": ["lexical", "use"], "a": ["lexical"], "b": ["lexical"]}
    assert list(await find_used({"recency": 1.0})) == ["b", "c", "a"]
    assert list(await find_used({"use": 1.0, "recency": 0.0})) == ["c", "a", "b"]
    at = (await counting_memory.history.log(limit=1)).entries[0].seq
    assert list(await find_used({"use_weight": 1.0}, at)) == ["a", "b", "c"]
    assert list(await find_used({"recency": 1.0}, at - 1)) == ["c", "b", "a"]


async def test_a_connection_counts_more_the_more_often_its_ends_are_recalled_together(
    memory: Memory, domain: str
) -> None:
    counting_memory = counting(memory)
    links = {"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
    await counting_memory.create_ontology(ontology_from(links))
    for string in "abc":
        await counting_memory.create_node("Note", f"The {string} tile is loose.", id=string)
    await counting_memory.create_connection("Link", "a", "b", id="l")
    await counting_memory.create_connection("Link", "a", "c", id="never")

    async def weights() -> list[float]:
        strongest = {
            connection.id: connection.weight
            for connection in (await counting_memory.get_strongest_connections("a")).connections
        }
        walked = await counting_memory.recall.traverse_memories("a", max_depth=1)
        edges = {connection.id: connection.weight for connection in walked.connections}
        assert {key: round(value or 0.0, 3) for key, value in edges.items()} == {
            key: round(value, 3) for key, value in strongest.items()
        }
        return [strongest["l"], strongest["never"]]

    before = await weights()
    for _ in range(10):
        counting_memory._core.co_accesses.record(domain, ["l"])
    await flush(counting_memory._core)
    after = await weights()
    assert after[0] == pytest.approx(before[0] * (0.45 + 0.55 * 0.5 / 2) / 0.45, abs=0.01)
    assert after[1] == pytest.approx(before[1], abs=0.001)
    await counting_memory.recall.recall(focus=["a"])
    assert {*counting_memory._core.co_accesses.take()[domain]} == {"l", "never"}
    await counting_memory.recall.recall(focus=["a"], as_of=(await counting_memory.history.log(limit=1)).entries[0].seq)
    assert counting_memory._core.co_accesses.take() == {}


async def test_the_use_of_requested_nodes_is_returned_most_used_first(counting_memory: Memory) -> None:
    began = utc_now()
    for node in ("b", "a", "a"):
        await counting_memory.get_node(node)
    await flush(counting_memory._core)
    uses = (await counting_memory.recall.get_node_uses(["b", "a", "c", "nobody"])).nodes
    assert [(use.id, use.count) for use in uses] == [("a", 2), ("b", 1)]
    assert all(began - timedelta(seconds=1) <= use.last <= utc_now() for use in uses)
    with pytest.raises(GraphError) as refused:
        await counting_memory.recall.get_node_uses(["x"] * 2_001)
    assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, "node_ids")
