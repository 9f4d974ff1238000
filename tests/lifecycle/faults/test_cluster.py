"""Replicas of the service on a cluster: two proxies to one Neo4j, a leader and a follower for the driver."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Literal
from urllib.parse import urlsplit

import anyio
import pytest
from neo4j import Driver

from graph_memory import Settings, local, open_memory
from graph_memory.storage import store
from lifecycle.faults.proxy import Fault, Proxy, proxy_to
from lifecycle.faults.test_network import ONTOLOGY

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


@pytest.fixture
async def members(settings: Settings, anyio_backend: str) -> AsyncIterator[tuple[Proxy, Proxy]]:
    """The leader, which also tells clients the members, and the follower."""
    port = urlsplit(local.ensure_running(settings).uri).port or 0
    async with proxy_to(port) as leader, proxy_to(port) as follower:
        leader.show_cluster(leader, follower)
        yield leader, follower


@pytest.fixture
def replica_settings(settings: Settings, members: tuple[Proxy, Proxy], domain: str) -> Settings:
    """Settings of a replica of the service on the cluster."""
    uri = members[0].uri.replace("bolt:", "neo4j:")
    password = local.ensure_running(settings).password
    return Settings(home=settings.home, domain=domain, neo4j_uri=uri, neo4j_password=password)


@pytest.mark.parametrize("read_from", ["leader", "any"])
async def test_a_read_after_a_write_through_another_replica_asks_the_leader(
    replica_settings: Settings, members: tuple[Proxy, Proxy], read_from: Literal["leader", "any"]
) -> None:
    replica = replica_settings.model_copy(update={"read_from": read_from})
    async with open_memory(replica) as first, open_memory(replica) as second:
        await first.create_ontology(ONTOLOGY)
        made = await first.create_node("Note", "decisive")
        trap = members[1].trap(made.node_id.encode(), Fault.CUT, answered=False)
        assert (await second.get_node(made.node_id)).version == made.version
        assert trap.sprung.is_set() is (read_from == "any")


async def test_cypher_of_a_caller_waits_until_the_follower_has_the_last_write_of_another_replica(
    replica_settings: Settings, members: tuple[Proxy, Proxy], driver: Driver
) -> None:
    async with open_memory(replica_settings) as first, open_memory(replica_settings) as second:
        await first.create_ontology(ONTOLOGY)
        for _ in range(20):  # another test may commit after the bookmark is read
            await first.create_node("Note", "decisive")
            trap = members[1].trap(last_bookmark(driver), Fault.CUT, answered=False)
            await second.query_cypher("MATCH (n:Note) RETURN count(n)")
            if trap.sprung.is_set():
                return
    pytest.fail("no statement at the follower waited for the last commit")


def last_bookmark(driver: Driver) -> bytes:
    with driver.session() as session:
        session.run("RETURN 1").consume()
        [bookmark] = session.last_bookmarks().raw_values
    return bookmark.encode()


async def test_calls_wait_for_the_election_of_a_leader(
    replica_settings: Settings, members: tuple[Proxy, Proxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "UNREACHABLE_SECONDS", 0.1)
    leader, follower = members
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(open_memory(replica_settings))
        await memory.create_ontology(ONTOLOGY)
        made = await memory.create_node("Note", "decisive")
        leader.show_cluster(None, follower)
        leader.end_all()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.get_node, made.node_id)
            tasks.start_soon(memory.create_node, "Note", "late")
            await anyio.sleep(0.5)
            leader.show_cluster(leader, follower)
        assert len((await memory.search_content("late")).node_ids) == 1
