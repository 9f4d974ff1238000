"""The log: every change is an event, gapless and in order, and says who, when, what and after what."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from neo4j import Driver
from neo4j.exceptions import IncompleteCommit

from graph_memory import Code, GraphError, Memory, ontology_from
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
