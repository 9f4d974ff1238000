"""The log: every change is an event, gapless and in order, and says who, when, what and after what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from neo4j import Driver
from neo4j.exceptions import IncompleteCommit

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.history.results import ChangeCount
from graph_memory.model.events import Head, Origin
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import Log
from graph_memory.storage.store import Transaction
from support import observe

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": ["Project", "Action"],
        "connection_types": [{"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"]}],
    }
)


def events_of(driver: Driver, domain: str) -> list[dict[str, Any]]:
    rows = driver.execute_query(
        "MATCH (e:_Event {_domain: $domain}) RETURN properties(e) AS event ORDER BY e._seq", domain=domain
    ).records
    return [row["event"] for row in rows]


async def test_an_ontology_begins_the_log_with_the_domain_and_its_types(
    memory: Memory, domain: str, driver: Driver
) -> None:
    changed = await memory.create_ontology(ONTOLOGY)
    events = events_of(driver, domain)
    assert [event["_subject"] for event in events] == [
        "domain",
        "ontology",
        "node_type/Project",
        "node_type/Action",
        "connection_type/NextAction",
    ]
    assert [event["_seq"] for event in events] == [1, 2, 3, 4, 5]
    assert changed.version == 5
    assert {event["_batch"] for event in events} == {events[0]["_id"]}


async def test_an_event_carries_the_whole_state_after_the_change(memory: Memory, domain: str, driver: Driver) -> None:
    await memory.create_ontology(ONTOLOGY)
    node = await memory.create_node("Project", "# Kitchen", properties={"status": "active", "size": 3})
    await memory.update_node(node.node_id, properties={"status": "done"})
    create, update = events_of(driver, domain)[-2:]
    assert (create["_op"], create["status"], create["size"]) == ("create", "active", 3)
    assert (update["_op"], update["status"], update["size"]) == ("update", "done", 3)
    assert update["_prev"] == create["_seq"]
    assert update["_created"] == create["_created"]
    assert update["_modified"] > create["_modified"]
    assert update["_title"] == "Kitchen"
    assert update["_content_sha256"] == create["_content_sha256"]


async def test_a_delete_is_one_event_for_each_thing_that_goes(memory: Memory, domain: str, driver: Driver) -> None:
    await memory.create_ontology(ONTOLOGY)
    project = await memory.create_node("Project", "")
    action = await memory.create_node("Action", "")
    link = await memory.create_connection("NextAction", project.node_id, action.node_id)
    observation = await observe(memory, domain, project.node_id)
    await memory.delete_node(project.node_id)
    results = [event for event in events_of(driver, domain) if event["_op"] == "delete"]
    assert [event["_subject"] for event in results] == [link.connection_id, observation, project.node_id]
    assert {key for key in results[0] if not key.startswith("_")} == set()
    assert (await memory.upkeep.verify()).clean


async def test_an_observation_is_projected_with_its_origin_and_confidence(
    memory: Memory, domain: str, driver: Driver
) -> None:
    await memory.create_ontology(ONTOLOGY)
    project = await memory.create_node("Project", "")
    observation = await observe(memory, domain, project.node_id)
    (row,) = driver.execute_query(
        "MATCH (o:_Observation {_domain: $domain, _id: $id})-[:_OBSERVES]->(n:_Node) RETURN o, n._id AS about",
        domain=domain,
        id=observation,
    ).records
    assert row["about"] == project.node_id
    assert (row["o"]["_text"], row["o"]["_origin"], row["o"]["_confidence"]) == ("likes tea", "chat", 0.5)
    assert (await memory.upkeep.verify()).clean


async def test_an_update_that_changes_nothing_writes_no_event(memory: Memory, domain: str, driver: Driver) -> None:
    await memory.create_ontology(ONTOLOGY)
    node = await memory.create_node("Project", "text", properties={"n": 1})
    before = await memory.get_node(node.node_id)
    changed = await memory.update_node(node.node_id, properties={"n": 1}, content="text", encoding="utf-8")
    assert changed.version == node.version
    assert len(events_of(driver, domain)) == 6
    assert await memory.get_node(node.node_id) == before
    as_float = await memory.update_node(node.node_id, properties={"n": 1.0})
    assert as_float.version == node.version + 1


async def test_time_in_the_log_never_runs_backwards(memory: Memory, domain: str, driver: Driver) -> None:
    await memory.create_ontology(ONTOLOGY)
    core = memory._core
    late = Log(core.store, inline_limit=100, clock=lambda: datetime.now(UTC) - timedelta(days=1))
    decided: list[datetime] = []

    async def read(_: Transaction, __: Head) -> None:
        return None

    def decide(head: Head, _: None) -> Decision[None]:
        decided.append(head.at)
        return Decision((), None)

    await late.write("late", domain, Origin(), read, decide)
    assert decided[0] == max(event["_at"].to_native() for event in events_of(driver, domain))


async def test_a_write_whose_commit_was_lost_in_doubt_is_made_once_and_gets_its_receipt(
    memory: Memory, domain: str, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_ontology(ONTOLOGY)
    store = memory._core.store
    once = iter([True])
    attempt = store._session

    def failing(*options: Any) -> Any:
        return _LosingCommit(attempt(*options), lose=next(once, False))

    monkeypatch.setattr(store, "_session", failing)
    node = await memory.create_node("Project", "once")
    monkeypatch.undo()
    created = [event for event in events_of(driver, domain) if event["_kind"] == "node"]
    assert [event["_subject"] for event in created] == [node.node_id]
    assert node.version == created[0]["_seq"]
    assert (await memory.upkeep.verify()).clean


class _LosingCommit:
    """A session whose first commit is made, but reported as lost: what a connection cut at that moment looks like."""

    def __init__(self, session: Any, *, lose: bool) -> None:
        self._context, self._lose = session, lose

    async def __aenter__(self) -> Any:
        session = await self._context.__aenter__()
        if self._lose:
            begin = session.begin_transaction

            async def begin_transaction(**options: Any) -> Any:
                transaction = await begin(**options)
                commit = transaction.commit

                async def fail() -> None:
                    await commit()
                    raise IncompleteCommit("the answer never came")

                transaction.commit = fail
                return transaction

            session.begin_transaction = begin_transaction
        return session

    async def __aexit__(self, *error: Any) -> Any:
        return await self._context.__aexit__(*error)


async def test_a_domain_that_is_busy_refuses_writers_and_serves_readers(
    memory: Memory, domain: str, driver: Driver
) -> None:
    await memory.create_ontology(ONTOLOGY)
    node = await memory.create_node("Project", "text")
    driver.execute_query("MATCH (d:_Domain {_id: $domain}) SET d._state = 'branching'", domain=domain)
    with pytest.raises(GraphError) as caught:
        await memory.update_node(node.node_id, properties={"a": 1})
    assert caught.value.code is Code.DOMAIN_BUSY
    assert (await memory.get_node(node.node_id)).version == node.version


async def test_a_failed_decision_leaves_nothing_behind(memory: Memory, domain: str, driver: Driver) -> None:
    with pytest.raises(GraphError) as caught:
        await memory.create_node("Project", "text")
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    assert driver.execute_query("MATCH (d:_Domain {_id: $domain}) RETURN d", domain=domain).records == []


async def test_statements_carry_their_names_for_show_transactions(memory: Memory, driver: Driver) -> None:
    await memory.create_ontology(ONTOLOGY)
    seen: list[dict[str, Any]] = []

    async def look(_: Transaction) -> None:
        rows = driver.execute_query("SHOW TRANSACTIONS YIELD metaData WHERE metaData.app = 'graph-memory'").records
        seen.extend(row["metaData"] for row in rows)

    async def hold(transaction: Transaction) -> None:
        from graph_memory.storage.log.ontologies import HEAD

        await transaction.run(HEAD, domain="any")
        await look(transaction)

    await memory._core.store.write("create_node", hold)
    assert {"app": "graph-memory", "query": "create_node"} in seen


async def test_changes_are_counted_by_kind_in_periods_and_the_ones_beyond_in_the_outer_periods(
    memory: Memory, domain: str
) -> None:
    depends = {"name": "DependsOn", "from": ["Action"], "to": ["Action"]}
    await memory.create_ontology(ontology_from({"node_types": ["Action"], "connection_types": [depends]}))
    for name in ("a", "b"):
        await memory.create_node("Action", name, id=name)
    await memory.create_connection("DependsOn", "a", "b")
    between = (await memory.history.log(limit=1)).entries[0].at + timedelta(milliseconds=1)
    await memory.update_node("a", content="new")
    await memory.delete_node("b")
    last = (await memory.history.log(limit=1)).entries[0].at + timedelta(seconds=1)

    def by_kind(rows: Sequence[ChangeCount], period: int) -> dict[tuple[str, str], int]:
        return {(row.kind, row.operation): row.changes for row in rows if row.period == period}

    halves = await memory.history.count_changes(between - (last - between), last, periods=2)
    earlier, later = by_kind(halves, 0), by_kind(halves, 1)
    assert (earlier["node", "create"], earlier["connection", "create"]) == (2, 1)
    assert later == {("node", "update"): 1, ("node", "delete"): 1, ("connection", "delete"): 1}
    branch = memory.in_domain((await memory.history.branch(f"{domain}-counted")).domain)
    assert await branch.history.count_changes(last, last, periods=1) == ()
    await branch.create_node("Action", "c")
    own = by_kind(await branch.history.count_changes(last, last, periods=1), 0)
    assert {kind: number for (kind, _), number in own.items() if kind in ("node", "connection")} == {"node": 1}
    changes = len((await memory.history.log(limit=100)).entries)
    day = timedelta(days=1)
    for begin, period in ((last, 0), (last - 2 * day, 2)):
        outside = await memory.history.count_changes(begin, begin + day, periods=3)
        assert {row.period: row.changes for row in outside}.keys() == {period}
        assert sum(row.changes for row in outside) == changes
    for begin, end, periods in ((last, last, 0), (last.replace(tzinfo=None), last, 1), (last, last - day, 1)):
        with pytest.raises(GraphError) as caught:
            await memory.history.count_changes(begin, end, periods=periods)
        assert caught.value.code is Code.INVALID_ARGUMENT


async def test_the_log_of_a_node_contains_the_changes_of_its_observations_on_request(memory: Memory) -> None:
    await memory.create_ontology(ONTOLOGY)
    receipt = await memory.entities.remember(name="Attic", type="Project", observations=["is dry", "has a window"])
    other = await memory.entities.remember(name="Garage", type="Project", observations=["is dry"])
    await memory.agent.forget(names=[receipt.entity], text="is dry")
    assert receipt.id is not None
    own = await memory.history.log(subject=receipt.id)
    assert {entry.kind for entry in own.entries} == {"node"}
    page = await memory.history.log(subject=receipt.id, with_observations=True, full=True, limit=2)
    assert 'Observation "is dry" on "Attic": ended' in page.entries[0].summary
    assert [entry.from_id for entry in page.entries] == [receipt.id] * 2
    rest = await memory.history.log(subject=receipt.id, with_observations=True, full=True, cursor=page.next_cursor)
    assert [entry.kind for entry in rest.entries] == ["observation", "node"]
    assert other.id not in {entry.from_id for entry in (*page.entries, *rest.entries)}


async def test_the_last_changes_of_subjects_have_no_deleted_subject_on_any_page(memory: Memory, domain: str) -> None:
    await memory.create_ontology(ONTOLOGY)
    deleted, changed, kept = [(await memory.create_node("Action", title)).node_id for title in "abc"]
    await memory.update_node(changed, title="b2")
    await memory.delete_node(deleted)

    async def read_pages(home: Memory) -> list[str]:
        subjects, cursor = list[str](), None
        while True:
            page = await home.history.log(latest_only=True, types=["Action"], limit=1, cursor=cursor)
            subjects += [entry.subject for entry in page.entries]
            if (cursor := page.next_cursor) is None:
                return subjects

    assert await read_pages(memory) == [changed, kept]
    branch = memory.in_domain((await memory.history.branch(f"{domain}-latest")).domain)
    await branch.delete_node(changed)
    await branch.update_node(kept, title="c2")
    assert await read_pages(branch) == [kept]
    assert await read_pages(memory) == [changed, kept]
    with pytest.raises(GraphError, match="latest_only and subject"):
        await memory.history.log(latest_only=True, subject=kept)
