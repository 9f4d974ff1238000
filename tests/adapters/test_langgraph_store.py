"""The LangGraph store on the graph, beside the framework's store in memory: the same calls, the same answers."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from graph_memory import Code, GraphError, Memory
from graph_memory.adapters.langgraph import GraphStore
from graph_memory.adapters.langgraph import store as graph_store
from graph_memory.sync import SyncMemory
from profiles import profile

LABELS = ("users", "ann", "a/b", "100%", "é 🧠")
namespaces = st.lists(st.sampled_from(LABELS), min_size=1, max_size=3).map(tuple)
prefixes = st.lists(st.sampled_from(LABELS), max_size=2).map(tuple)
keys = st.sampled_from(["a", "b", "users", "x/y", "two\nlines", ""])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(-5, 5), st.sampled_from(["red", "blue", ""])
)
values = st.dictionaries(
    st.sampled_from(["color", "size", "deep"]),
    scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.sampled_from(["color"]), scalars),
    max_size=3,
)
sized = st.fixed_dictionaries({"size": st.integers(-5, 5) | st.floats(-5, 5)}, optional={"color": scalars})
operators = st.dictionaries(
    st.sampled_from(["$gt", "$gte", "$lt", "$lte", "$eq", "$ne"]), st.integers(-5, 5), min_size=1
)
filters = st.one_of(
    st.none(),
    st.fixed_dictionaries({"color": scalars}),
    st.fixed_dictionaries({"color": st.dictionaries(st.sampled_from(["$eq", "$ne"]), scalars, min_size=1)}),
    st.fixed_dictionaries({"deep": st.fixed_dictionaries({"color": scalars}) | st.lists(scalars, max_size=2)}),
)
puts = st.builds(PutOp, namespaces, keys, values | sized, st.sampled_from([None, False, ["color"]]), st.none())
queries = st.sampled_from([None, None, None, None, "red ann"])
searches = st.builds(SearchOp, prefixes, filters, st.just(100), st.just(0), queries)
patterns = st.lists(st.sampled_from([*LABELS, "*"]), min_size=1, max_size=2).map(tuple)
conditions = st.lists(st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), patterns), max_size=2).map(tuple)
listings = st.builds(ListNamespacesOp, conditions, st.none() | st.integers(1, 3), st.integers(0, 4), st.integers(0, 2))
deletions = st.builds(PutOp, namespaces, keys, st.none(), st.none(), st.none())
operations = st.one_of(puts, puts, deletions, st.builds(GetOp, namespaces, keys), searches, listings)


def content_of(result: Any) -> Any:
    """Return the answer without times, scores and the order of items, which stores choose."""
    if isinstance(result, Item):
        return result.namespace, result.key, result.value
    if isinstance(result, list) and all(isinstance(item, Item) for item in result):
        return sorted((content_of(item) for item in result), key=lambda item: item[:2])
    return result


def without_empty_namespaces(store: InMemoryStore) -> InMemoryStore:
    """Return the store without the namespaces that it lists although nothing is in them."""
    for namespace in [namespace for namespace, items in store._data.items() if not items]:
        del store._data[namespace]
    return store


@profile(examples=60)
@given(st.lists(st.lists(operations, min_size=1, max_size=4), min_size=1, max_size=6))
def test_answers_equal_those_of_the_store_in_memory(memory_sync: SyncMemory, batches: list[list[Op]]) -> None:
    reference = InMemoryStore()
    store = GraphStore(memory_sync, domain=f"test-{uuid4().hex[:20]}")
    for batch in [*batches, [SearchOp((), None, 100)], [ListNamespacesOp()]]:
        group = sorted(batch, key=lambda operation: isinstance(operation, GetOp))  # a get makes it list a namespace
        expected = without_empty_namespaces(reference).batch(group)
        assert list(map(content_of, store.batch(group))) == list(map(content_of, expected)), group


@profile(examples=60)
@given(st.lists(sized, min_size=1, max_size=6), st.lists(operators, min_size=1, max_size=4))
def test_filters_compare_as_in_the_store_in_memory(
    memory_sync: SyncMemory, stored: list[dict[str, Any]], wanted: list[dict[str, int]]
) -> None:
    reference, store = InMemoryStore(), GraphStore(memory_sync, domain=f"test-{uuid4().hex[:20]}")
    for number, value in enumerate(stored):
        for target in (reference, store):
            target.put(("items",), str(number), value)
    for condition in wanted:
        results = [target.search(("items",), filter={"size": condition}, limit=20) for target in (reference, store)]
        assert content_of(results[0]) == content_of(results[1]), condition


@pytest.fixture
async def store(memory: Memory) -> GraphStore:
    return GraphStore(memory, session="monday")


@pytest.mark.anyio
async def test_search_by_text_ranks_the_items_whose_indexed_text_fits(store: GraphStore, memory: Memory) -> None:
    await store.aput(("users", "ann"), "tea", {"text": "Ann drinks green tea.", "note": "kitchen"})
    await store.aput(("users", "ann"), "car", {"text": "Ann drives a red car.", "note": "garage"}, index=["text"])
    await store.aput(("users", "ann"), "secret", {"text": "Ann hides green tea."}, index=False)
    await store.aput(("users", "bob"), "tea", {"text": "Bob drinks green tea."})
    [first, *others] = await store.asearch(("users", "ann"), query="green tea")
    assert (first.key, first.namespace) == ("tea", ("users", "ann"))
    assert first.score is not None
    assert {(item.key, item.score) for item in others if item.score is None} >= {("secret", None)}
    assert (await memory.search_content("kitchen")).node_ids
    assert not (await memory.search_content("garage")).node_ids
    assert not (await memory.search_content("hides")).node_ids
    assert {entry.actor for entry in (await memory.history.log(session="monday")).entries} == {"langgraph"}


@pytest.mark.anyio
async def test_an_expired_item_is_never_returned_and_a_read_restarts_its_time(
    store: GraphStore, memory: Memory
) -> None:
    minute = 1 / 60
    await store.aput(("t",), "short", {"v": 1}, ttl=2 * minute)
    await store.aput(("t",), "long", {"v": 2}, ttl=60)
    await store.aput(("t",), "read", {"v": 3}, ttl=2 * minute)
    await store.aput(("t",), "kept", {"v": 4}, ttl=2 * minute)
    await store.aput(("t",), "kept", {"v": 5})
    for _ in range(5):
        await asyncio.sleep(0.6)
        assert await store.aget(("t",), "read") is not None
    assert await store.aget(("t",), "short", refresh_ttl=False) is None
    assert {item.key for item in await store.asearch(("t",))} == {"long", "read", "kept"}
    assert await store.asweep_ttl() == 1
    assert len((await memory.query_nodes(type="StoreItem")).node_ids) == 3
    assert await store.asweep_ttl() == 0
    await store.aput(("t",), "short", {"v": 6})
    assert (await store.aget(("t",), "short")).value == {"v": 6}  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.anyio
async def test_reading_an_item_does_not_change_its_time_and_needs_no_write(
    store: GraphStore, memory: Memory, domain: str
) -> None:
    await store.aput(("ann",), "tea", {"text": "green"}, ttl=60)
    first = await store.aget(("ann",), "tea")
    again = await store.aget(("ann",), "tea")
    assert first is not None
    assert again is not None
    assert again.updated_at == first.updated_at
    await memory.protect(domain=domain, reason="Frozen for the audit.")
    assert await store.aget(("ann",), "tea") == first


@pytest.mark.anyio
async def test_calls_of_another_event_loop_run_in_the_loop_of_the_memory(store: GraphStore) -> None:
    await store.aput(("ann",), "tea", {"text": "green"})
    item = await asyncio.to_thread(lambda: asyncio.run(store.aget(("ann",), "tea")))
    assert item is not None
    assert item.value == {"text": "green"}


@pytest.mark.anyio
async def test_a_value_that_cannot_be_stored_is_refused_and_nothing_of_its_batch_written(store: GraphStore) -> None:
    for value in ({"text": "x" * 70_000}, {"number": 2**70}, {"object": object()}):
        with pytest.raises(GraphError) as caught:
            await store.abatch([PutOp(("a",), "fits", {}), PutOp(("a",), "does not", value)])
        assert caught.value.code is Code.INVALID_ARGUMENT
    assert await store.asearch(()) == []
    for minutes in (0, -1, 1e16, float("nan")):
        with pytest.raises(GraphError) as caught:
            await store.aput(("a",), "key", {}, ttl=minutes)
        assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(InvalidNamespaceError):
        await store.abatch([PutOp(("a.b",), "key", {})])


@pytest.mark.anyio
async def test_synchronous_calls_work_beside_the_event_loop_and_are_refused_in_it(store: GraphStore) -> None:
    with pytest.raises(RuntimeError, match="open_memory_sync"):
        store.put(("a",), "key", {"v": 1})
    await asyncio.to_thread(store.put, ("a",), "key", {"v": 1})
    assert (await asyncio.to_thread(store.get, ("a",), "key")).value == {"v": 1}  # pyright: ignore


@pytest.mark.anyio
async def test_many_hits_are_read_in_pages(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_store, "_PAGE_SIZE", 2)
    for number in range(5):
        await store.aput(("a",), str(number), {"text": f"green tea number {number}"})
    items = await store.asearch(("a",), query="green tea", limit=4, offset=1)
    assert len({item.key for item in items}) == 4
    assert all(item.score is not None for item in items)


@pytest.mark.anyio
async def test_an_async_store_serves_a_memory_that_is_not(memory_sync: SyncMemory, domain: str) -> None:
    store = GraphStore(memory_sync, domain=domain)
    await store.aput(("a",), "key", {"v": 1})
    assert [item.value for item in await store.asearch(("a",))] == [{"v": 1}]
