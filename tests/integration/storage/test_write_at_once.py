"""A process that writes alone writes in one statement, and the log is as the lock would have left it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest
from neo4j import Driver
from neo4j.exceptions import ServiceUnavailable

from graph_memory import Code, ConnectionType, GraphError, Memory, NodeType, Settings, ontology_from, open_memory
from graph_memory.model.events import Draft, Head, Op, Origin
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, content_state
from graph_memory.model.values.content import content_from
from graph_memory.storage.connecting import Limits
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader, Store

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Project", "properties": {"code": {"unique": True}, "status": {"indexed": True}}}],
        "connection_types": [{"name": "PartOf", "from": ["Project"], "to": ["Project"], "acyclic": True}],
    }
)


@pytest.fixture
async def other(settings: Settings, domain: str, anyio_backend: str) -> AsyncIterator[Memory]:
    """The same domain, as another process has it."""
    async with open_memory(settings) as memory:
        yield memory.in_domain(domain)


@pytest.fixture
async def alone(memory: Memory) -> Memory:
    """A memory that has written alone long enough."""
    await memory.create_ontology(ONTOLOGY)
    for _ in range(2):
        await memory.create_node("Project", "")
    return memory


class Ways:
    """Counts how writes were made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counted = {"write_at_once": 0, "write": 0, "read_within": 0}
        for name in self.counted:
            monkeypatch.setattr(Store, name, self._counting(name, getattr(Store, name)))

    def _counting(self, name: str, method: Any) -> Any:
        async def count_call(*args: Any, **kwargs: Any) -> Any:
            self.counted[name] += 1
            return await method(*args, **kwargs)

        return count_call

    @property
    def at_once(self) -> int:
        return self.counted["write_at_once"]

    @property
    def locked(self) -> int:
        return self.counted["write"]


@pytest.fixture
def ways(alone: Memory, monkeypatch: pytest.MonkeyPatch) -> Ways:
    return Ways(monkeypatch)


def log_of(driver: Driver, domain: str) -> list[dict[str, Any]]:
    statement = "MATCH (e:_Event {_domain: $domain}) RETURN properties(e) AS event ORDER BY e._seq"
    return [row["event"] for row in driver.execute_query(statement, domain=domain).records]


async def test_every_kind_of_write_goes_through_in_one_statement(alone: Memory, ways: Ways) -> None:
    text, two = [(await alone.create_node("Project", f"# {n}", properties={"code": n})).node_id for n in (1, 2)]
    link = (await alone.create_connection("PartOf", text, two, content="why")).connection_id
    await alone.update_node(text, properties={"status": "done"}, content="new", encoding="utf-8")
    await alone.update_connection(link, properties={"n": 1})
    await alone.delete_connection(link)
    await alone.delete_node(two)
    assert (ways.at_once, ways.locked) == (7, 0)
    assert (await alone.search_content("NEW")).node_ids == (text,)
    assert (await alone.query_nodes(type="Project", properties={"status": "done"})).node_ids == (text,)
    assert (await alone.upkeep.verify()).clean


async def test_its_events_are_those_of_a_write_under_the_lock(alone: Memory, driver: Driver, domain: str) -> None:
    await alone.create_node("Project", "")
    locked, at_once = log_of(driver, domain)[-2:]
    changing = {"_seq", "_id", "_subject", "_at", "_batch", "_created", "_modified"}
    assert {k: v for k, v in locked.items() if k not in changing} == {
        k: v for k, v in at_once.items() if k not in changing
    }
    assert locked.keys() == at_once.keys()
    assert at_once["_batch"] == at_once["_id"]
    assert at_once["_seq"] == locked["_seq"] + 1


@pytest.fixture
async def ends(alone: Memory) -> Sequence[str]:
    """Two projects and a person, whom a connection type leads to."""
    await alone.add_node_type(NodeType("Person"))
    await alone.add_connection_type(ConnectionType("Owner", ("Project",), ("Person",)))
    return [(await alone.create_node(name, "")).node_id for name in ("Project", "Person", "Project")]


async def test_a_connection_is_made_without_looking_at_its_ends_before(
    alone: Memory, ends: Sequence[str], ways: Ways, driver: Driver, domain: str
) -> None:
    project, person, _ = ends
    made = await alone.create_connection("Owner", project, person)
    assert ways.counted == {"write_at_once": 1, "write": 0, "read_within": 0}
    assert (await alone.get_connection(made.connection_id)).to_node_id == person
    assert len(log_of(driver, domain)) == made.version


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        (1, 0, Code.INVALID_TOPOLOGY),
        (0, 2, Code.INVALID_TOPOLOGY),
        (1, 1, Code.INVALID_TOPOLOGY),
        (0, None, Code.NODE_NOT_FOUND),
        (None, 1, Code.NODE_NOT_FOUND),
    ],
)
async def test_an_end_that_is_not_what_was_assumed_is_refused(
    alone: Memory,
    ends: Sequence[str],
    driver: Driver,
    domain: str,
    source: int | None,
    target: int | None,
    code: Code,
) -> None:
    before = log_of(driver, domain)
    ids = ["mem_nobody" if end is None else ends[end] for end in (source, target)]
    with pytest.raises(GraphError) as caught:
        await alone.create_connection("Owner", *ids)
    assert caught.value.code is code
    assert log_of(driver, domain) == before


async def test_a_connection_waits_for_a_write_before_it_in_the_line_that_deletes_its_end(
    alone: Memory, ends: Sequence[str], domain: str
) -> None:
    project, person, _ = ends
    line = alone._core.log._queues[domain]
    refused: list[Code] = []

    async def connect() -> None:
        try:
            await alone.create_connection("Owner", project, person)
        except GraphError as error:
            refused.append(error.code)

    async with anyio.create_task_group() as tasks, line.turn:
        for number, write in enumerate((lambda: alone.delete_node(person), connect), start=1):
            tasks.start_soon(write)
            while len(line.waiting) < number:  # noqa: ASYNC110 - the write goes into the line by itself
                await anyio.sleep(0.01)
    assert refused == [Code.NODE_NOT_FOUND]
    assert (await alone.upkeep.verify()).clean


async def test_what_another_process_wrote_is_noticed_before_anything_is_written(
    alone: Memory, other: Memory, ways: Ways, driver: Driver, domain: str
) -> None:
    theirs = (await other.create_node("Project", "", properties={"code": 7})).node_id
    with pytest.raises(GraphError) as caught:
        await alone.create_node("Project", "", properties={"code": 7})
    assert (caught.value.code, caught.value.details["owner"]) == (Code.UNIQUE_PROPERTY_TAKEN, theirs)
    seen = await alone.get_node(theirs)
    await other.update_node(theirs, properties={"status": "theirs"})
    with pytest.raises(GraphError) as caught:
        await alone.update_node(theirs, properties={"status": "ours"}, expected_version=seen.version)
    assert caught.value.code is Code.VERSION_CONFLICT
    await alone.update_node(theirs, properties={"status": "ours"})
    assert [event["_seq"] for event in log_of(driver, domain)] == list(range(1, len(log_of(driver, domain)) + 1))
    assert (await alone.upkeep.verify()).clean


async def test_a_type_that_another_process_added_is_known_at_once(alone: Memory, other: Memory) -> None:
    await other.add_node_type(NodeType("Person"))
    made = await alone.create_node("Person", "")
    assert (await other.get_node(made.node_id)).type == "Person"


async def test_a_domain_that_another_process_made_busy_is_not_written(
    alone: Memory, ways: Ways, driver: Driver, domain: str
) -> None:
    events = len(log_of(driver, domain))
    driver.execute_query("MATCH (d:_Domain {_id: $domain}) SET d._state = 'branching'", domain=domain)
    with pytest.raises(GraphError) as caught:
        await alone.create_node("Project", "")
    assert caught.value.code is Code.DOMAIN_BUSY
    assert ways.at_once == 1
    assert len(log_of(driver, domain)) == events


async def test_a_process_that_is_disturbed_keeps_to_the_lock_until_it_is_alone_again(
    alone: Memory, other: Memory, ways: Ways
) -> None:
    for memory in (other, alone, other, alone):
        await memory.create_node("Project", "")
    assert ways.at_once == 1  # the first of `alone`, which did not know
    await alone.create_node("Project", "")
    before = ways.at_once
    await alone.create_node("Project", "")
    assert ways.at_once == before + 1


async def test_a_refusal_leaves_nothing_behind_and_the_next_write_is_quick_again(
    alone: Memory, ways: Ways, driver: Driver, domain: str
) -> None:
    events = len(log_of(driver, domain))
    with pytest.raises(GraphError):
        await alone.create_node("Unknown", "")
    assert len(log_of(driver, domain)) == events
    await alone.create_node("Project", "")
    assert ways.at_once == 1


async def test_a_write_whose_answer_was_lost_is_made_once(
    alone: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = alone._core.store
    whole = store._session
    once = iter([True])

    def losing(access: str, *options: Any) -> Any:
        session = whole(access, *options)
        return _LosesTheAnswer(session) if next(once, False) else session

    events = len(log_of(driver, domain))
    monkeypatch.setattr(store, "_session", losing)
    made = await alone.create_node("Project", "once")
    assert len(log_of(driver, domain)) == events + 1
    assert made.version == events + 1
    assert (await alone.upkeep.verify()).clean


async def test_a_lost_answer_of_a_server_that_stays_away_is_told_as_in_doubt(
    alone: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = alone._core.store
    whole = store._session
    sessions: Iterator[Any] = iter([_LosesTheAnswer])
    monkeypatch.setattr(store, "_limits", Limits(retry=0.5))
    monkeypatch.setattr(store, "_session", lambda *options: next(sessions, _IsAway)(whole(*options)))
    with pytest.raises(GraphError) as caught:
        await alone.create_node("Project", "perhaps")
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert "may or may not" in caught.value.message
    monkeypatch.setattr(store, "_session", whole)
    assert len((await alone.search_content("perhaps")).node_ids) == 1


class _IsAway:
    """A session of a server that nobody can reach."""

    def __init__(self, session: Any) -> None:
        self._context = session

    async def __aenter__(self) -> Any:
        raise ServiceUnavailable("Couldn't connect to localhost")

    async def __aexit__(self, *error: Any) -> Any:
        return None


class _LosesTheAnswer:
    """A session whose statement is committed, but whose connection seems to break before the answer comes."""

    def __init__(self, session: Any) -> None:
        self._context = session

    async def __aenter__(self) -> Any:
        session = await self._context.__aenter__()
        run = session.run

        async def lose_reply(*args: Any, **kwargs: Any) -> Any:
            await (await run(*args, **kwargs)).consume()
            raise ServiceUnavailable("the answer never came")

        session.run = lose_reply
        return session

    async def __aexit__(self, *error: Any) -> Any:
        return await self._context.__aexit__(*error)


async def test_a_connection_without_a_place_undoes_it_all(
    alone: Memory, ways: Ways, driver: Driver, domain: str
) -> None:
    async def read(_: Reader, __: Head) -> None:
        return None

    def decide(head: Head, _: None) -> Decision[None]:
        now = datetime.now(UTC)
        link = ConnectionState(
            id="conn_x", type="PartOf", from_node_id="mem_no", to_node_id="mem_none", created=now, modified=now
        )
        draft = Draft(
            op=Op.CREATE,
            kind=Kind.CONNECTION,
            subject=link.id,
            type=link.type,
            from_id=link.from_node_id,
            to_id=link.to_node_id,
            state=link.state(),
        )
        return Decision([draft], None)

    events = len(log_of(driver, domain))
    with pytest.raises(GraphError) as caught:
        await alone._core.log.write("test", domain, Origin(), read, decide)
    assert caught.value.code is Code.DANGLING_REFERENCE
    assert ways.at_once == 1
    assert len(log_of(driver, domain)) == events
    assert (await alone.upkeep.verify()).clean


@pytest.mark.long
async def test_two_processes_with_many_writers_leave_a_gapless_log_and_lose_no_update(
    alone: Memory, other: Memory, driver: Driver, domain: str
) -> None:
    counter = (await alone.create_node("Project", "", properties={"n": 0})).node_id

    async def count(memory: Memory) -> None:
        for _ in range(6):
            while True:
                seen = await memory.get_node(counter)
                value = {"n": int(seen.properties["n"]) + 1}
                try:
                    await memory.update_node(counter, properties=value, expected_version=seen.version)
                    break
                except GraphError as error:
                    if error.code is not Code.VERSION_CONFLICT:
                        raise
            await memory.create_node("Project", "beside")

    async with anyio.create_task_group() as tasks:
        for memory in (alone, other) * 3:
            tasks.start_soon(count, memory)
    assert (await alone.get_node(counter)).properties == {"n": 36}
    events = log_of(driver, domain)
    assert [event["_seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["_at"] for event in events] == sorted(event["_at"] for event in events)
    assert (await alone.upkeep.verify()).clean


def _many(count: int, decided: list[int]) -> Any:
    """A decision on so many new nodes, which notes and reports after which number it was made."""

    def decide(head: Head, _: object) -> Decision[int]:
        decided.append(head.seq)
        state = {"_created": head.at, "_modified": head.at, "_title": "T", "_content_format": "markdown"}
        content = content_from("", "utf-8", "markdown")
        drafts = [
            Draft(
                op=Op.CREATE,
                kind=Kind.NODE,
                subject=f"many{head.seq}-{place}",
                type="Project",
                state=state | content_state(content.ref),
                content=content,
            )
            for place in range(count)
        ]
        return Decision(drafts, head.seq)

    return decide


async def _nothing(_: Reader, __: Head) -> None:
    return None


async def test_a_write_too_large_for_one_statement_is_decided_once(alone: Memory, ways: Ways, domain: str) -> None:
    core, decided = alone._core, list[int]()
    written = await core.log.write("many", domain, core.origin, _nothing, _many(3_000, decided))
    assert len(written.receipt.changes) == 3_000
    assert [written.report] == decided
    assert (len(decided), ways.at_once, ways.locked) == (1, 0, 1)
    assert (await alone.upkeep.verify()).clean


async def test_a_write_too_large_for_one_statement_is_decided_anew_after_what_another_process_wrote(
    alone: Memory, other: Memory, domain: str
) -> None:
    core, decided = alone._core, list[int]()

    async def read(_: Reader, head: Head) -> None:
        if not decided:
            await other.create_node("Project", "")

    written = await core.log.write("many", domain, core.origin, read, _many(3_000, decided))
    assert decided == [decided[0], decided[0] + 1]
    assert written.report == decided[1]
    assert written.receipt.changes[0].seq == decided[1] + 1
    assert (await alone.upkeep.verify()).clean


async def test_a_node_made_by_hand_with_the_id_of_a_new_one_is_not_taken_over(
    alone: Memory, driver: Driver, domain: str
) -> None:
    driver.execute_query("CREATE (:_Node:Project {_domain: $domain, _id: 'mine', colour: 'red'})", domain=domain)
    before = len(log_of(driver, domain))
    with pytest.raises(GraphError) as caught:
        await alone.create_node("Project", "", id="mine")
    assert caught.value.code is Code.STORE_CONFLICT
    assert len(log_of(driver, domain)) == before
    driver.execute_query("MATCH (n:_Node {_domain: $domain, _id: 'mine'}) DELETE n", domain=domain)
    assert (await alone.create_node("Project", "", id="mine")).node_id == "mine"
