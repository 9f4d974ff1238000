"""Writes of one process that wait for the same log are made together, as if one after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from neo4j import Driver
from neo4j.exceptions import ServiceUnavailable

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.model.events import Draft, Head, Op, Origin
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader, Store

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "open": True,
        "node_types": [{"name": "Project", "properties": {"code": {"unique": True}, "status": {"indexed": True}}}],
        "connection_types": [{"name": "PartOf", "from": ["Project"], "to": ["Project"], "acyclic": True}],
    }
)


@pytest.fixture
async def alone(memory: Memory) -> Memory:
    """A memory that has written alone long enough."""
    await memory.create_ontology(ONTOLOGY)
    for _ in range(2):
        await memory.create_node("Project", "")
    return memory


class Statements:
    """Counts the writing statements, and can make the next one fail after it was committed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at_once, self.locked = 0, 0
        whole_at_once, whole_write = Store.write_at_once, Store.write

        async def at_once(store: Store, *args: Any, **params: Any) -> Any:
            self.at_once += 1
            return await whole_at_once(store, *args, **params)

        async def count_lock(store: Store, *args: Any, **params: Any) -> Any:
            self.locked += 1
            return await whole_write(store, *args, **params)

        monkeypatch.setattr(Store, "write_at_once", at_once)
        monkeypatch.setattr(Store, "write", count_lock)


@pytest.fixture
def statements(alone: Memory, monkeypatch: pytest.MonkeyPatch) -> Statements:
    return Statements(monkeypatch)


class Crowd:
    """Writes that are in the line together, in the order in which they were begun."""

    def __init__(self) -> None:
        self.results: dict[int, Any] = {}
        self._writes: list[Callable[[], Awaitable[Any]]] = []

    def add(self, write: Callable[[], Awaitable[Any]]) -> None:
        self._writes.append(write)

    async def run(self, place: int) -> None:
        try:
            self.results[place] = await self._writes[place]()
        except GraphError as error:
            self.results[place] = error.code

    def __len__(self) -> int:
        return len(self._writes)


@asynccontextmanager
async def crowd(memory: Memory, domain: str) -> AsyncIterator[Crowd]:
    """Collect writes, then let them all wait for one turn before the first gets it."""
    gathered = Crowd()
    yield gathered
    line = memory._core.log._queues[domain]
    async with anyio.create_task_group() as tasks, line.turn:
        for place in range(len(gathered)):
            tasks.start_soon(gathered.run, place)
            await anyio.wait_all_tasks_blocked()


def log_of(driver: Driver, domain: str) -> list[dict[str, Any]]:
    statement = "MATCH (e:_Event {_domain: $domain}) RETURN properties(e) AS event ORDER BY e._seq"
    return [row["event"] for row in driver.execute_query(statement, domain=domain).records]


async def test_those_that_wait_share_a_statement_and_each_gets_its_own_receipt(
    alone: Memory, statements: Statements, driver: Driver, domain: str
) -> None:
    async with crowd(alone, domain) as waiting:
        for number in range(8):
            waiting.add(lambda number=number: alone.create_node("Note", f"# {number}"))
    assert statements.locked + statements.at_once <= 4  # the type `Note` is made by the first, alone
    for number, made in waiting.results.items():
        node = await alone.get_node(made.node_id)
        assert node.version == made.version
        assert (await alone.get_node_content(made.node_id)).content == f"# {number}"
    events = log_of(driver, domain)
    assert [event["_seq"] for event in events] == list(range(1, len(events) + 1))
    assert len({event["_batch"] for event in events[-8:]}) == 8
    assert (await alone.upkeep.verify()).clean


async def test_updates_of_different_nodes_share_a_statement(alone: Memory, statements: Statements, domain: str) -> None:
    ids = [(await alone.create_node("Project", "")).node_id for _ in range(6)]
    statements.at_once = 0
    async with crowd(alone, domain) as waiting:
        for node_id in ids:
            waiting.add(lambda node_id=node_id: alone.update_node(node_id, properties={"status": "done"}))
    assert (statements.at_once, statements.locked) == (1, 0)
    assert set((await alone.query_nodes(type="Project", properties={"status": "done"})).node_ids) == set(ids)


async def test_updates_of_one_node_are_made_one_after_the_other(
    alone: Memory, statements: Statements, domain: str
) -> None:
    node_id = (await alone.create_node("Project", "")).node_id
    async with crowd(alone, domain) as waiting:
        for number in range(4):
            waiting.add(lambda number=number: alone.update_node(node_id, properties={f"p{number}": number}))
    versions = [waiting.results[place].version for place in range(4)]
    assert versions == sorted(set(versions))
    assert (await alone.get_node(node_id)).properties == {f"p{number}": number for number in range(4)}


async def test_of_two_that_expect_the_same_version_one_is_refused(alone: Memory, domain: str) -> None:
    made = await alone.create_node("Project", "")
    async with crowd(alone, domain) as waiting:
        for value in ("one", "two"):
            waiting.add(
                lambda value=value: alone.update_node(
                    made.node_id, properties={"by": value}, expected_version=made.version
                )
            )
    assert waiting.results[1] is Code.VERSION_CONFLICT
    assert (await alone.get_node(made.node_id)).properties == {"by": "one"}


async def test_an_id_or_a_unique_value_is_given_once(alone: Memory, domain: str) -> None:
    async with crowd(alone, domain) as waiting:
        for _ in range(2):
            waiting.add(lambda: alone.create_node("Project", "", id="the-one"))
        for _ in range(2):
            waiting.add(lambda: alone.create_node("Project", "", properties={"code": 7}))
    assert [waiting.results[place] for place in (1, 3)] == [Code.NODE_ALREADY_EXISTS, Code.UNIQUE_PROPERTY_TAKEN]
    assert (await alone.upkeep.verify()).clean


async def test_a_connection_to_what_goes_before_it_is_refused(alone: Memory, domain: str) -> None:
    text, two = [(await alone.create_node("Project", "")).node_id for _ in range(2)]
    async with crowd(alone, domain) as waiting:
        waiting.add(lambda: alone.delete_node(two))
        waiting.add(lambda: alone.create_connection("Beside", text, two))
        waiting.add(lambda: alone.create_connection("PartOf", text, text))
        waiting.add(lambda: alone.create_node("Project", "after"))
    assert [waiting.results[place] for place in (1, 2)] == [Code.NODE_NOT_FOUND, Code.INVALID_TOPOLOGY]
    assert (await alone.get_node(waiting.results[3].node_id)).type == "Project"
    assert (await alone.upkeep.verify()).clean


async def test_a_rule_about_the_surroundings_holds_among_those_that_wait(alone: Memory, domain: str) -> None:
    text, two = [(await alone.create_node("Project", "")).node_id for _ in range(2)]
    async with crowd(alone, domain) as waiting:
        waiting.add(lambda: alone.create_connection("PartOf", text, two))
        waiting.add(lambda: alone.create_connection("PartOf", two, text))
    assert waiting.results[1] is Code.INVALID_TOPOLOGY
    assert len((await alone.query_connections(type="PartOf")).connection_ids) == 1


async def test_one_that_is_refused_does_not_trouble_the_others(alone: Memory, domain: str) -> None:
    async with crowd(alone, domain) as waiting:
        waiting.add(lambda: alone.create_node("Project", "first"))
        waiting.add(lambda: alone.update_node("mem_none", properties={"a": 1}))
        waiting.add(lambda: alone.create_node("Project", "last"))
    assert waiting.results[1] is Code.NODE_NOT_FOUND
    assert waiting.results[2].version == waiting.results[0].version + 1


async def test_when_the_first_is_cancelled_each_of_the_others_is_made_once(
    alone: Memory, domain: str, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = anyio.Event()
    whole = Store.write_at_once

    async def slow(store: Store, *args: Any, **params: Any) -> Any:
        written = await whole(store, *args, **params)
        if not begun.is_set():
            begun.set()
            await anyio.sleep_forever()
        return written

    monkeypatch.setattr(Store, "write_at_once", slow)
    made: list[str] = []
    line = alone._core.log._queues[domain]
    first = anyio.CancelScope()

    async def create(number: int) -> None:
        with first if number == 0 else anyio.CancelScope():
            made.append((await alone.create_node("Project", f"number {number}")).node_id)

    async with anyio.create_task_group() as tasks:
        async with line.turn:
            for number in range(4):
                tasks.start_soon(create, number)
            await anyio.wait_all_tasks_blocked()
        await begun.wait()
        first.cancel()
    assert len(made) == len(set(made)) == 3
    for number in range(4):
        assert len((await alone.search_content(f"number {number}")).node_ids) == 1
    assert (await alone.upkeep.verify()).clean


async def test_when_the_answer_is_lost_each_is_made_once(
    alone: Memory, domain: str, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = alone._core.store
    whole = store._session
    once = iter([True])

    @asynccontextmanager
    async def losing(access: str, *options: Any) -> AsyncIterator[Any]:
        async with whole(access, *options) as session:
            if access == "WRITE" and next(once, False):
                run = session.run

                async def lose_reply(*args: Any, **params: Any) -> Any:
                    await (await run(*args, **params)).consume()
                    raise ServiceUnavailable("the answer never came")

                session.run = lose_reply  # type: ignore[method-assign]
            yield session

    before = len(log_of(driver, domain))
    monkeypatch.setattr(store, "_session", losing)
    async with crowd(alone, domain) as waiting:
        for number in range(5):
            waiting.add(lambda number=number: alone.create_node("Project", f"number {number}"))
    events = log_of(driver, domain)[before:]
    assert [event["_subject"] for event in events] == [waiting.results[place].node_id for place in range(5)]
    assert (await alone.upkeep.verify()).clean


async def test_two_processes_take_those_that_wait_along_under_the_lock(
    alone: Memory, settings: Settings, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_memory(settings) as opened:
        other = opened.in_domain(domain)
        await other.create_node("Project", "of another process")
        counted = Statements(monkeypatch)
        async with crowd(alone, domain) as waiting:
            for number in range(6):
                waiting.add(lambda number=number: alone.create_node("Project", f"number {number}"))
            waiting.add(lambda: alone.update_node("mem_none", properties={"a": 1}))
            waiting.add(lambda: alone.create_node("Project", "last"))
        assert waiting.results[6] is Code.NODE_NOT_FOUND
        assert counted.locked <= 3  # the group, the refusal, and at most one more
    versions = [waiting.results[place].version for place in (0, 1, 2, 3, 4, 5, 7)]
    assert versions == sorted(set(versions))
    assert (await alone.upkeep.verify()).clean


async def test_what_one_brings_down_under_the_lock_is_made_by_the_others_alone(
    alone: Memory, settings: Settings, domain: str, driver: Driver
) -> None:
    nothing = reads_nothing()
    async with open_memory(settings) as opened:
        await opened.in_domain(domain).create_node("Project", "of another process")
    async with crowd(alone, domain) as waiting:
        waiting.add(lambda: alone.create_node("Project", "first"))
        waiting.add(lambda: alone._core.log.write("test", domain, Origin(), nothing, dangling))
        waiting.add(lambda: alone.create_node("Project", "last"))
    assert waiting.results[1] is Code.DANGLING_REFERENCE
    for place in (0, 2):
        assert (await alone.get_node(waiting.results[place].node_id)).type == "Project"
    events = log_of(driver, domain)
    assert [event["_seq"] for event in events] == list(range(1, len(events) + 1))
    assert (await alone.upkeep.verify()).clean


def reads_nothing() -> Any:
    async def read(_: Reader, __: Head) -> None:
        return None

    return read


def dangling(head: Head, _: None) -> Decision[None]:
    """A connection whose ends do not exist, which no use case would let through."""
    link = ConnectionState(
        id="conn_x", type="PartOf", from_node_id="mem_no", to_node_id="mem_none", created=head.at, modified=head.at
    )
    ends = {"from_id": link.from_node_id, "to_id": link.to_node_id}
    draft = Draft(op=Op.CREATE, kind=Kind.CONNECTION, subject=link.id, type=link.type, state=link.state(), **ends)
    return Decision([draft], None)
