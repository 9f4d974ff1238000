"""How often nodes are used: what counts, what is written of it, and what becomes of that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.memory.access_counter import Access, AccessTally
from graph_memory.memory.core import Core
from graph_memory.memory.search import access_store
from graph_memory.memory.search.access_store import accesses_of, flush, most_used
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import Query
from graph_memory.storage.store import Transaction
from integration.search.rows import Rows

pytestmark = pytest.mark.anyio
TYPES = ontology_from({"node_types": ["Note"]})


def counting(memory: Memory, most: int = 100) -> Memory:
    """The same memory with a tally of its own."""
    return Memory(
        replace(memory._core, accesses=AccessTally(most), together=AccessTally(most)),
        default_domain=memory._default_domain,
    )


@pytest.fixture
async def counted(memory: Memory) -> Memory:
    counted = counting(memory)
    await counted.create_ontology(TYPES)
    for each in "abc":
        await counted.create_node("Note", f"The {each} tile is loose.", id=each)
    return counted


@pytest.fixture
def rows(counted: Memory, driver: Driver, domain: str) -> Rows:
    return Rows(driver, counted, domain)


async def used(memory: Memory, domain: str) -> dict[str, int]:
    """The counts, once they are written; what they are by the index is what they are by ids."""
    core = memory._core
    await flush(core)
    found = {row.id: row.count for row in await most_used(core, domain, 10)}
    assert found == {each: row.count for each, row in (await accesses_of(core, domain, sorted(found))).items()}
    return found


async def test_hits_and_nodes_that_are_opened_count_and_lists_do_not(counted: Memory, domain: str) -> None:
    await counted.get_node("a")
    await counted.get_node_content("a")
    await counted.recall.search_memories("the b tile", search_mode="lexical", max_results=1)
    await counted.query_nodes(type="Note")
    await counted.search_content("tile")
    await counted.describe_nodes(["a", "b", "c"])
    await counted.get_connected_nodes("a", direction="both")
    with pytest.raises(GraphError):
        await counted.get_node("none")
    assert await used(counted, domain) == {"a": 2, "b": 1}
    assert [row.id for row in await most_used(counted._core, domain, 1)] == ["a"]


async def test_an_overview_says_how_often_things_were_used(counted: Memory, domain: str) -> None:
    for _ in range(3):
        await counted.get_node("a")
    await counted.get_node("b")
    assert await used(counted, domain) == {"a": 3, "b": 1}
    told = str((await counted.recall.recall(depth="shallow")).content).partition("Used most:")[2]
    assert "used 3 times" in told.splitlines()[1]
    assert "used once" in told.splitlines()[2]
    content = (await counted.recall.recall(depth="shallow", as_="structured")).content
    assert isinstance(content, dict)
    assert [(each["id"], each["uses"]) for each in content["used_most"]] == [("a", 3), ("b", 1)]
    assert all("uses" not in each for each in content["changed_last"])


async def test_looking_at_the_past_counts_nothing(counted: Memory, domain: str) -> None:
    at = (await counted.history.log(limit=1)).entries[0].seq
    await counted.recall.search_memories("the b tile", search_mode="lexical", as_of=at)
    await (await counted.history.as_of(at)).get_node("a")
    assert await used(counted, domain) == {}


async def test_two_that_count_at_once_add_up_and_the_last_time_is_the_later(counted: Memory, domain: str) -> None:
    others = counting(counted)
    await counted.get_node("a")
    await others.get_node("a")
    await others.get_node("b")
    later = utc_now()
    others._core.accesses.add(domain, {"a": Access(3, later)})
    await flush(others._core)
    assert await used(counted, domain) == {"a": 5, "b": 1}
    assert (await accesses_of(counted._core, domain, ["a"]))["a"].last == later


async def test_a_branch_begins_at_zero(counted: Memory, domain: str) -> None:
    await counted.get_node("a")
    assert await used(counted, domain) == {"a": 1}
    await counted.history.branch(f"{domain}-branch")
    assert await used(counted, f"{domain}-branch") == {}


async def test_what_is_erased_is_not_counted_and_not_by_a_count_that_comes_late(counted: Memory, rows: Rows) -> None:
    await counted.get_node("a")
    assert await used(counted, rows.domain) == {"a": 1}
    await counted.get_node("a")
    await counted.history.erase("a")
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []
    assert await used(counted, rows.domain) == {}
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []


async def test_a_deleted_node_is_not_listed_until_it_is_back_and_compacting_forgets_it(
    counted: Memory, rows: Rows, tmp_path: Path
) -> None:
    await counted.get_node("a")
    await counted.get_node("b")
    await flush(counted._core)
    await counted.delete_node("a")
    await counted.get_node("b")
    assert await used(counted, rows.domain) == {"b": 2}
    assert (await counted.upkeep.verify()).clean
    last = (await counted.history.log(limit=1)).entries[0]
    await counted.history.revert(event_ids=[last.id])
    assert await used(counted, rows.domain) == {"b": 2, "a": 1}
    await counted.delete_node("a")
    await counted.history.compact(last.seq, archive=tmp_path / "old.gz")
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a._id, a._count") == [["b", 2]]


async def test_a_deleted_domain_leaves_no_count_and_a_late_one_brings_none(counted: Memory, rows: Rows) -> None:
    await counted.get_node("a")
    await flush(counted._core)
    await counted.get_node("a")
    await counted.delete_domain(rows.domain)
    await flush(counted._core)
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []
    assert len(counted._core.accesses) == 0


async def test_a_count_waits_for_who_deletes_the_node(
    counted: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order that would bring it back: the count has begun before the deletion, and writes after it."""
    await counted.get_node("a")
    run = Transaction.run

    async def slowly(self: Transaction, query: Query[object], **params: object) -> list[object]:
        if query is access_store.ADD_ACCESSES:
            await counted.delete_node("a")
        return await run(self, query, **params)

    monkeypatch.setattr(Transaction, "run", slowly)
    await flush(counted._core)
    assert rows.run("MATCH (a:_Access {_domain: $domain}) RETURN a") == []


async def test_what_cannot_be_written_is_kept_for_the_next_time(
    counted: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_store, "PAGE", 1)
    for each in "abb":
        await counted.get_node(each)
    write, calls = counted._core.store.write, []

    async def fail(name: str, work: object, **given: object) -> object:
        calls.append(name)
        if len(calls) == 2:
            raise GraphError(Code.STORE_UNAVAILABLE, "gone")
        return await write(name, work, **given)  # pyright: ignore[reportArgumentType]

    with monkeypatch.context() as patch:
        patch.setattr(counted._core.store, "write", fail)
        with pytest.raises(GraphError):
            await flush(counted._core)
    assert await used(counted, domain) == {"a": 1, "b": 2}


@pytest.mark.parametrize("is_on", [True, False])
async def test_a_memory_that_is_closed_has_counted_unless_that_is_off(
    memory: Memory, domain: str, settings: Settings, *, is_on: bool
) -> None:
    await memory.create_ontology(TYPES)
    await memory.create_node("Note", "A tile.", id="a")
    async with open_memory(settings.model_copy(update={"use_counts": is_on, "domain": domain})) as other:
        await other.get_node("a")
    core: Core = memory._core
    assert [row.count for row in await most_used(core, domain, 10)] == [1] * is_on


async def test_searches_rank_by_use_and_recency_where_they_are_told_to(
    counted: Memory, rows: Rows, domain: str
) -> None:
    """The parts add up, and the past has no use: it says so."""
    for each in "abc":
        await counted.update_node(each, content="The tile is loose.", encoding="utf-8")
    await counted.update_node("b", properties={"n": 1})
    await counted.get_node("c")
    await flush(counted._core)

    async def found(weights: dict[str, float], as_of: int | None = None) -> dict[str, list[str]]:
        reply = await counted.recall.search_memories(
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

    assert list(await found({})) == ["a", "b", "c"]
    assert (await found({"use_weight": 1.0})) == {"c": ["lexical", "use"], "a": ["lexical"], "b": ["lexical"]}
    assert list(await found({"recency": 1.0})) == ["b", "c", "a"]
    assert list(await found({"use": 1.0, "recency": 0.0})) == ["c", "a", "b"]
    at = (await counted.history.log(limit=1)).entries[0].seq
    assert list(await found({"use_weight": 1.0}, at)) == ["a", "b", "c"]
    assert list(await found({"recency": 1.0}, at - 1)) == ["c", "b", "a"]


async def test_a_connection_counts_more_the_more_often_its_ends_are_recalled_together(
    memory: Memory, domain: str
) -> None:
    counted = counting(memory)
    links = {"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
    await counted.create_ontology(ontology_from(links))
    for each in "abc":
        await counted.create_node("Note", f"The {each} tile is loose.", id=each)
    await counted.create_connection("Link", "a", "b", id="l")
    await counted.create_connection("Link", "a", "c", id="never")

    async def weights() -> list[float]:
        strongest = {one.id: one.weight for one in (await counted.get_strongest_connections("a")).connections}
        walked = await counted.recall.traverse_memories("a", max_depth=1)
        edges = {one.id: one.weight for one in walked.connections}
        assert {key: round(value or 0.0, 3) for key, value in edges.items()} == {
            key: round(value, 3) for key, value in strongest.items()
        }
        return [strongest["l"], strongest["never"]]

    before = await weights()
    for _ in range(10):
        counted._core.together.note(domain, ["l"])
    await flush(counted._core)
    after = await weights()
    assert after[0] == pytest.approx(before[0] * (0.45 + 0.55 * 0.5 / 2) / 0.45, abs=0.01)
    assert after[1] == pytest.approx(before[1], abs=0.001)
    await counted.recall.recall(focus=["a"])
    assert {*counted._core.together.take()[domain]} == {"l", "never"}
    await counted.recall.recall(focus=["a"], as_of=(await counted.history.log(limit=1)).entries[0].seq)
    assert counted._core.together.take() == {}
