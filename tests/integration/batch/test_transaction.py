"""A block of changes that are made together or not at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest
from neo4j import AsyncTransaction
from neo4j.exceptions import IncompleteCommit, ServiceUnavailable

from graph_memory import Code, GraphError, Memory, NodeType, Settings, ontology_from, open_memory
from graph_memory.model.ontology.ontology import ConnectionType
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as
from graph_memory.storage.log import transaction as within
from graph_memory.sync import SyncMemory
from support import Conversation

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": ["Note", {"name": "Person", "properties": [{"name": "email", "unique": True}]}],
        "connection_types": [{"name": "Knows", "from": ["*"], "to": ["*"], "unique_pair": True}],
    }
)


@pytest.fixture
async def notes(memory: Memory) -> Memory:
    await memory.create_ontology(ONTOLOGY)
    await memory.create_node("Note", "first", id="first")
    return memory


async def seq(memory: Memory) -> int:
    return (await memory.history.log(limit=1)).entries[0].seq


async def error_of(call: Awaitable[Any]) -> GraphError:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value


async def test_only_a_caller_who_may_write_can_lock_the_domain(notes: Memory):
    async def begin() -> None:
        async with notes.transaction():
            pass

    with run_as(Caller(Principal("ann", (Grant("*", Right.READ),)))):
        assert (await error_of(begin())).code is Code.INSUFFICIENT_RIGHTS
    with run_as(Caller(Principal("ann", (Grant("*", Right.WRITE),)))):
        await begin()


async def test_every_verb_within_is_one_batch_that_its_reads_see_and_others_do_not(notes: Memory):
    async with notes.transaction() as t:
        ann = (await t.create_node("Person", "words of ann", properties={"email": "a"}, tags=["t"])).node_id
        bob = (await t.create_node("Person", "bob", id="bob")).node_id
        link = (await t.create_connection("Knows", ann, bob, content="note")).connection_id
        await t.update_node(ann, properties={"email": "b"})
        await t.set_node_content(bob, "other words")
        await t.update_connection(link, properties={"n": 1})
        await t.invalidate(ann, at="2030-01-01")
        await t.add_node_type(NodeType("Added"))
        added = (await t.create_node("Added", "x" * 100_000)).node_id
        await t.delete_node("first")
        assert (await t.get_node(ann)).properties == {"email": "b"}
        assert (await t.get_node_content(added)).content == "x" * 100_000
        assert (await t.query_nodes(type="Person", properties={"email": "b"})).node_ids == (ann,)
        assert (await t.search_content("other words")).node_ids == ("bob",)
        assert (await t.get_connected_nodes(ann, direction="out")).node_ids == ("bob",)
        assert (await t.get_connection(link, include_content=True)).content == "note"
        assert {kind.name for kind in (await t.get_ontology()).node_types} == {"Note", "Person", "Added"}
        assert (await notes.query_nodes()).node_ids == ("first",)
    assert set((await notes.query_nodes()).node_ids) == {ann, "bob", added}
    entries = (await notes.history.log(limit=10)).entries
    assert (len({entry.batch for entry in entries[:10]}), entries[-1].batch == entries[-1].id) == (1, True)
    assert (await notes.upkeep.verify()).clean
    first = entries[-1].seq
    await notes.history.revert(since=first)
    assert (await notes.query_nodes()).node_ids == ("first",)


async def test_rules_within_see_what_was_done_before(notes: Memory):
    async with notes.transaction() as t:
        await t.create_node("Person", "a", properties={"email": "a"}, id="a")
        taken = await error_of(t.create_node("Person", "b", properties={"email": "a"}))
        await t.create_connection("Knows", "a", "first")
        twice = await error_of(t.create_connection("Knows", "a", "first"))
        same = await error_of(t.create_node("Note", "", id="a"))
        error = await error_of(t.update_node("nobody", properties={"x": 1}))
        version = (await t.get_node("a")).version
        stale = await error_of(t.update_node("a", properties={"x": 1}, expected_version=version - 1))
        await t.update_node("a", properties={"email": "b"}, expected_version=version)
        await t.create_node("Person", "b", properties={"email": "a"}, id="b")
    assert [taken.code, twice.code, same.code, error.code, stale.code] == [
        Code.UNIQUE_PROPERTY_TAKEN,
        Code.CONNECTION_ALREADY_EXISTS,
        Code.NODE_ALREADY_EXISTS,
        Code.NODE_NOT_FOUND,
        Code.VERSION_CONFLICT,
    ]
    assert set((await notes.query_nodes()).node_ids) == {"a", "b", "first"}
    assert (await notes.upkeep.verify()).clean


async def test_an_exception_leaves_nothing(notes: Memory):
    before = await seq(notes)
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the block is what is tested
        async with notes.transaction() as t:
            await t.create_node("Note", "x" * 100_000, id="new")
            await t.delete_node("first")
            raise ZeroDivisionError
    assert (await seq(notes), (await notes.query_nodes()).node_ids) == (before, ("first",))
    assert (await notes.create_node("Note", "", id="new")).version == before + 1
    assert (await notes.upkeep.verify()).clean


async def test_a_rollback_leaves_nothing_and_ends_what_can_be_done(notes: Memory):
    before = await seq(notes)
    async with notes.transaction() as t:
        await t.create_node("Note", "new", id="new")
        t.rollback()
        for call in (t.create_node("Note", "more"), t.get_node("first")):
            assert (await error_of(call)).message == "The transaction was rolled back"
    assert await seq(notes) == before
    assert (await error_of(t.get_node("first"))).message == "The transaction was rolled back"


async def test_a_transaction_that_changes_nothing_leaves_nothing_and_cannot_be_used_later(notes: Memory):
    before = await seq(notes)
    async with notes.transaction() as t:
        await t.get_node("first")
        await t.update_node("first", path=None, tags=[])
    assert await seq(notes) == before
    assert (await error_of(t.get_node("first"))).message == "The transaction has ended"


async def test_another_writer_waits_and_finds_what_was_done(notes: Memory, settings: Settings, domain: str):
    done: list[str] = []

    async def write(memory: Memory) -> None:
        with suppress(GraphError):
            await memory.create_node("Person", "", properties={"email": "a"})
        done.append("other")

    async with open_memory(settings) as other, anyio.create_task_group() as tasks, notes.transaction() as t:
        await t.create_node("Note", "")
        for memory in (other.in_domain(domain), notes):
            tasks.start_soon(write, memory)
        await anyio.sleep(0.3)
        await t.create_node("Person", "", properties={"email": "a"}, id="mine")
        done.append("mine")
    assert done == ["mine", "other", "other"]
    assert (await notes.query_nodes(type="Person")).node_ids == ("mine",)
    assert (await notes.upkeep.verify()).clean


async def test_what_is_written_behind_its_back_by_the_same_memory_goes_on_afterwards(notes: Memory):
    for _ in range(3):
        await notes.create_node("Note", "")
    async with notes.transaction() as t:
        await t.create_node("Note", "", id="within")
    after = await notes.create_node("Note", "", id="after")
    assert after.version == (await notes.get_node("within")).version + 1
    assert (await notes.upkeep.verify()).clean


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda t: t.apply_ontology(ONTOLOGY), "apply_ontology cannot be done inside a transaction"),
        (lambda t: t.history.revert(since=1), "revert cannot be done inside a transaction"),
        (lambda t: t.query_cypher("RETURN 1 AS one"), "query_cypher cannot be done inside a transaction"),
        (lambda t: t.history.branch("other"), "cannot be done inside a transaction"),
        (lambda t: t.execute_batch([{"op": "delete_node", "node_id": "first"}]), "execute_batch cannot be done inside"),
        (lambda t: t.create_node("Note", "", domain="elsewhere"), "cannot change domain elsewhere"),
        (lambda t: t.transaction().__aenter__(), "transaction cannot be done inside a transaction"),
        (lambda t: t.upkeep.reindex(analyser="cjk"), "cannot be done inside a transaction"),
    ],
)
async def test_what_needs_transactions_of_its_own_is_refused_and_the_rest_goes_on(
    notes: Memory, call: Callable[[Memory], Awaitable[Any]], text: str
):
    async with notes.transaction() as t:
        await t.create_node("Note", "", id="kept")
        error = await error_of(call(t))
        assert (error.code, text in error.message, error.hint is not None) == (Code.INVALID_ARGUMENT, True, True), error
    assert set((await notes.query_nodes()).node_ids) == {"first", "kept"}


async def test_a_connection_type_can_be_added_within(notes: Memory, domain: str):
    name = f"Joins {domain}"
    async with notes.transaction() as t:
        await t.add_connection_type(ConnectionType(name, ("*",), ("*",)))
        await t.create_connection(name, "first", "first")
    assert (await notes.upkeep.verify()).clean


async def test_too_many_changes_are_refused_and_those_before_can_be_kept(
    notes: Memory, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(within, "MAX_CHANGES", 2)
    async with notes.transaction() as t:
        for name in ("one", "two"):
            await t.create_node("Note", "", id=name)
        error = await error_of(t.create_node("Note", ""))
        assert error.message == "The transaction has 2 changes, and allows at most 2"
    assert len((await notes.query_nodes()).node_ids) == 3


@pytest.mark.long
async def test_one_that_is_open_for_too_long_is_undone_and_told_so(settings: Settings, notes: Memory, domain: str):
    before = await seq(notes)
    async with open_memory(settings.model_copy(update={"write_timeout": 1.0})) as hasty:
        with pytest.raises(GraphError) as caught:  # noqa: PT012 - the block is what is tested
            async with hasty.in_domain(domain).transaction() as t:
                await t.create_node("Note", "")
                await anyio.sleep(3)
                await t.create_node("Note", "")
    assert caught.value.code is Code.TIMEOUT
    assert "open for more than 1 seconds" in caught.value.message
    assert await seq(notes) == before


async def test_a_connection_that_is_lost_before_the_commit_is_told(notes: Memory, monkeypatch: pytest.MonkeyPatch):
    before = await seq(notes)
    run = AsyncTransaction.run

    async def lose(self: AsyncTransaction, query: Any, *args: Any, **arguments: Any) -> Any:
        if "put_nodes" in str(query) or "_Node" in str(query):
            raise ServiceUnavailable("gone")
        return await run(self, query, *args, **arguments)

    with pytest.raises(GraphError) as caught:  # noqa: PT012 - the block is what is tested
        async with notes.transaction() as t:
            monkeypatch.setattr(AsyncTransaction, "run", lose)
            with suppress(GraphError):
                await t.create_node("Note", "")
            monkeypatch.undo()
    assert caught.value.code is Code.TRANSACTION_LOST
    assert await seq(notes) == before


@pytest.mark.parametrize("is_committed", [True, False])
async def test_a_connection_that_is_lost_during_the_commit_is_settled_by_the_first_event(
    notes: Memory, monkeypatch: pytest.MonkeyPatch, is_committed: bool
):
    commit = AsyncTransaction.commit

    async def lose(self: AsyncTransaction) -> None:
        await (commit(self) if is_committed else self.rollback())
        monkeypatch.undo()
        raise IncompleteCommit("the answer never came")

    code = None
    try:
        async with notes.transaction() as t:
            await t.create_node("Note", "", id="new")
            monkeypatch.setattr(AsyncTransaction, "commit", lose)
    except GraphError as error:
        code = error.code
    assert code is (None if is_committed else Code.TRANSACTION_LOST)
    assert len((await notes.query_nodes()).node_ids) == 1 + is_committed


async def test_a_block_that_is_cancelled_leaves_nothing_and_lets_go_of_the_domain(notes: Memory):
    with anyio.move_on_after(0.5):
        async with notes.transaction() as t:
            await t.create_node("Note", "")
            await anyio.sleep(30)
    with anyio.fail_after(10):
        await notes.create_node("Note", "", id="next")
    assert set((await notes.query_nodes()).node_ids) == {"first", "next"}


async def test_tasks_within_take_turns(notes: Memory):
    async with notes.transaction() as t, anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(lambda text: t.create_node("Note", "", id=text), f"n{number}")
    assert len((await notes.query_nodes()).node_ids) == 11
    assert (await notes.upkeep.verify()).clean


async def test_a_domain_that_does_not_exist_has_no_transactions(memory: Memory):
    with pytest.raises(GraphError) as caught:
        async with memory.transaction():
            raise AssertionError
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND


def test_it_is_there_without_async_too(talk: Conversation, domain: str):
    memory = SyncMemory(talk.memory.in_domain(domain), talk.portal)
    memory.create_ontology(ONTOLOGY)
    with memory.transaction() as t:
        t.create_node("Note", "", id="a")
        assert t.get_node("a").type == "Note"
    with pytest.raises(ZeroDivisionError), memory.transaction() as t:  # noqa: PT012 - the block is what is tested
        t.create_node("Note", "", id="b")
        raise ZeroDivisionError
    with memory.transaction() as t:
        t.delete_node("a")
        t.rollback()
    assert memory.query_nodes().node_ids == ("a",)
