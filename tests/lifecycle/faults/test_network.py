"""A network that cuts, resets, delays and swallows, between the memory and its Neo4j."""

from __future__ import annotations

import os
import random
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, local, ontology_from, open_memory
from lifecycle.faults.proxy import COMMIT, Fault, Proxy, proxy_to
from lifecycle.faults.test_kills import Reports, check, more_acknowledgements, service

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

SEED = int(os.environ.get("SEED") or 0) or random.SystemRandom().randrange(10**6)
"""Printed when a test fails; set SEED to have the same random choices again."""
ROUNDS = int(os.environ.get("NETWORK_ROUNDS") or 1)
"""Rounds of the random run, each on a domain of its own."""
SECONDS = 10.0
"""How long a round's network is a bad one."""
ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]}]}
)
WAYS = ["under the lock", "at once"]


@pytest.fixture
async def proxy(settings: Settings, anyio_backend: str) -> AsyncIterator[Proxy]:
    """A proxy to the run's Neo4j."""
    async with proxy_to(urlsplit(local.ensure_running(settings).uri).port or 0) as proxy:
        yield proxy


@pytest.fixture
def far(settings: Settings, proxy: Proxy, domain: str) -> Settings:
    """Settings that lead to the run's Neo4j through the proxy."""
    password = local.ensure_running(settings).password
    return Settings(home=settings.home, domain=domain, neo4j_uri=proxy.uri, neo4j_password=password)


@pytest.fixture
async def remote(far: Settings) -> AsyncIterator[Memory]:
    """A memory that is reached through the proxy, with an ontology."""
    async with open_memory(far) as memory:
        await memory.create_ontology(ONTOLOGY)
        yield memory


async def ready_to_write(memory: Memory, way: str) -> bytes:
    """Have the next write go the way named, and return what its decisive block holds."""
    for _ in range(2 if way == "at once" else 0):
        await memory.create_node("Note", "")
    return b"decisive" if way == "at once" else COMMIT


def times_written(driver: Driver, domain: str, title: str) -> int:
    statement = "MATCH (e:_Event {_domain: $domain, _title: $title}) RETURN count(e) AS events"
    return driver.execute_query(statement, domain=domain, title=title).records[0]["events"]


async def check_made_once(memory: Memory, driver: Driver, domain: str) -> None:
    assert times_written(driver, domain, "decisive") == 1
    assert len((await memory.search_content("decisive")).node_ids) == 1
    assert (await memory.upkeep.verify()).clean


ENDS = [Fault.CUT, Fault.RESET]


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_write_that_a_former_leader_refuses_is_made_once(
    far: Settings, proxy: Proxy, driver: Driver, domain: str, way: str, scheme: str
) -> None:
    uri = proxy.uri.replace("bolt:", f"{scheme}:")
    async with open_memory(far.model_copy(update={"neo4j_uri": uri})) as memory:
        await memory.create_ontology(ONTOLOGY)
        trap = proxy.trap(await ready_to_write(memory, way), Fault.NOT_A_LEADER, answered=False)
        made = await memory.create_node("Note", "decisive")
        assert trap.sprung.is_set()
        assert (await memory.get_node(made.node_id)).version == made.version
        await check_made_once(memory, driver, domain)


async def test_a_transaction_that_a_former_leader_refuses_is_lost(
    remote: Memory, proxy: Proxy, driver: Driver, domain: str
) -> None:
    trap = proxy.trap(COMMIT, Fault.NOT_A_LEADER, answered=False)
    with pytest.raises(GraphError) as caught:
        async with remote.transaction() as t:
            await t.create_node("Note", "decisive")
    assert trap.sprung.is_set()
    assert caught.value.code is Code.TRANSACTION_LOST
    assert times_written(driver, domain, "decisive") == 0


@pytest.mark.parametrize("fault", ENDS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answered", [False, True], ids=["before it was sent", "before it was answered"])
async def test_a_write_whose_connection_ends_is_made_once_and_acknowledged(
    remote: Memory, proxy: Proxy, driver: Driver, domain: str, way: str, fault: Fault, answered: bool
) -> None:
    marker = await ready_to_write(remote, way)
    trap = proxy.trap(marker, fault, answered=answered)
    made = await remote.create_node("Note", "decisive")
    assert trap.sprung.is_set()
    assert (await remote.get_node(made.node_id)).version == made.version
    await check_made_once(remote, driver, domain)


@pytest.mark.parametrize("fault", ENDS)
@pytest.mark.parametrize("answered", [False, True], ids=["before it was sent", "before it was answered"])
async def test_a_transaction_whose_commit_is_cut_off_was_made_or_is_told_to_be_lost(
    remote: Memory, proxy: Proxy, driver: Driver, domain: str, fault: Fault, answered: bool
) -> None:
    trap = proxy.trap(COMMIT, fault, answered=answered)
    lost = None
    try:
        async with remote.transaction() as t:
            await t.create_node("Note", "decisive")
    except GraphError as error:
        lost = error.code
    assert trap.sprung.is_set()
    assert lost is (None if answered else Code.TRANSACTION_LOST)
    assert times_written(driver, domain, "decisive") == answered
    assert (await remote.upkeep.verify()).clean


@pytest.mark.parametrize("fault", ENDS)
async def test_a_transaction_whose_connection_ends_before_the_commit_is_lost(
    remote: Memory, proxy: Proxy, driver: Driver, domain: str, fault: Fault
) -> None:
    trap = proxy.trap(b"decisive", fault, answered=True)
    with pytest.raises(GraphError) as caught:  # noqa: PT012 - the block is what is tested
        async with remote.transaction() as t:
            await t.create_node("Note", "first")
            await t.create_node("Note", "decisive")
    assert trap.sprung.is_set()
    assert caught.value.code is Code.TRANSACTION_LOST
    assert times_written(driver, domain, "first") == 0
    await remote.create_node("Note", "first")


@pytest.mark.parametrize("answered", [False, True], ids=["before it was sent", "before it was answered"])
async def test_a_batch_whose_commit_is_cut_off_is_made_once(
    remote: Memory, proxy: Proxy, driver: Driver, domain: str, answered: bool
) -> None:
    operations = [{"op": "create_node", "type": "Note", "content": "decisive"}]
    trap = proxy.trap(COMMIT, Fault.CUT, answered=answered)
    made = await remote.execute_batch(operations, idempotency_key="k")
    assert trap.sprung.is_set()
    again = await remote.execute_batch(operations, idempotency_key="k")
    assert (again.repeated, again.results[0].id, again.until) == (True, made.results[0].id, made.until)
    await check_made_once(remote, driver, domain)


@pytest.mark.parametrize("way", WAYS)
async def test_a_write_in_doubt_is_told_as_such_while_the_network_stays_away(
    far: Settings, proxy: Proxy, driver: Driver, domain: str, way: str
) -> None:
    async with open_memory(far.model_copy(update={"retry_time": 1.0})) as memory:
        await memory.create_ontology(ONTOLOGY)
        trap = proxy.trap(await ready_to_write(memory, way), Fault.CUT, answered=True)

        async def leave() -> None:
            await trap.sprung.wait()
            proxy.go()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(leave)
            with pytest.raises(GraphError) as caught:
                await memory.create_node("Note", "decisive")
        assert caught.value.code is Code.STORE_UNAVAILABLE
        assert "may or may not" in caught.value.message
        assert "Read" in (caught.value.hint or "")
        await proxy.come()
        await check_made_once(memory, driver, domain)


@pytest.mark.parametrize("fault", ENDS)
async def test_a_read_whose_answer_is_cut_off_is_asked_again(remote: Memory, proxy: Proxy, fault: Fault) -> None:
    node = await remote.create_node("Note", "kept")
    trap = proxy.trap(node.node_id.encode(), fault, answered=True)
    assert (await remote.get_node(node.node_id)).version == node.version
    assert trap.sprung.is_set()


async def test_a_slow_network_only_takes_longer(remote: Memory, proxy: Proxy) -> None:
    proxy.delay = 0.2
    node = await remote.create_node("Note", "slowly")
    changed = await remote.update_node(node.node_id, properties={"turn": 1})
    assert (await remote.get_node(node.node_id)).version == changed.version
    assert (await remote.search_content("SLOWLY")).node_ids == (node.node_id,)
    proxy.delay = 0.0
    assert (await remote.upkeep.verify()).clean


async def test_a_network_too_slow_for_the_time_of_a_write_is_a_timeout_and_changes_nothing(
    far: Settings, remote: Memory, proxy: Proxy, driver: Driver, domain: str
) -> None:
    await remote.create_node("Note", "the plans are made by now")
    async with open_memory(far.model_copy(update={"write_timeout": 2.0})) as hasty:
        proxy.delay = 1.5
        with anyio.fail_after(120), pytest.raises(GraphError) as caught:
            await hasty.create_node("Note", "decisive")
        proxy.delay = 0.0
    assert caught.value.code in {Code.TIMEOUT, Code.STORE_UNAVAILABLE}  # Neo4j may name it either way
    assert times_written(driver, domain, "decisive") == 0
    await remote.create_node("Note", "decisive")
    await check_made_once(remote, driver, domain)


async def test_a_network_that_is_silent_when_a_connection_is_opened_is_told(far: Settings, proxy: Proxy) -> None:
    proxy.swallows = True
    with anyio.fail_after(60), pytest.raises(GraphError) as caught:
        async with open_memory(far):
            pass
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert proxy.uri in caught.value.message


async def test_a_network_that_falls_silent_is_given_up_soon_after_the_limits(
    far: Settings, proxy: Proxy, driver: Driver, domain: str
) -> None:
    async with open_memory(far) as patient:
        await patient.create_ontology(ONTOLOGY)
        kept = await patient.create_node("Note", "kept")
    limits = {"read_timeout": 2, "write_timeout": 2, "retry_time": 1}
    async with open_memory(far.model_copy(update=limits)) as memory:
        for call, word in (
            (memory.get_node(kept.node_id), "reached"),
            (memory.create_node("Note", "decisive"), "may not"),
        ):
            proxy.swallows = True
            with anyio.fail_after(60), pytest.raises(GraphError) as caught:
                await call
            assert caught.value.code is Code.STORE_UNAVAILABLE
            assert word in caught.value.message
            proxy.swallows = False
            assert (await memory.get_node(kept.node_id)).version == kept.version
        assert times_written(driver, domain, "decisive") <= 1
        assert (await memory.upkeep.verify()).clean


async def test_a_server_that_was_away_for_longer_than_the_patience_is_found_again(
    remote: Memory, proxy: Proxy, driver: Driver, domain: str
) -> None:
    kept = await remote.create_node("Note", "kept")
    proxy.go()
    for call in (remote.create_node("Note", "decisive"), remote.get_node(kept.node_id)):
        began = time.monotonic()
        with anyio.fail_after(60), pytest.raises(GraphError) as caught:
            await call
        assert caught.value.code is Code.STORE_UNAVAILABLE
        assert caught.value.hint
        assert time.monotonic() - began < 15
    await proxy.come()
    assert (await remote.get_node(kept.node_id)).version == kept.version
    await remote.create_node("Note", "decisive")
    await check_made_once(remote, driver, domain)


async def test_a_server_that_comes_back_within_the_patience_is_waited_for(remote: Memory, proxy: Proxy) -> None:
    proxy.go(Fault.RESET)

    async def back() -> None:
        await anyio.sleep(2)
        await proxy.come()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(back)
        node = await remote.create_node("Note", "patient")
    assert (await remote.get_node(node.node_id)).version == node.version


@pytest.mark.parametrize("turn", range(ROUNDS))
async def test_what_was_acknowledged_is_there_once_after_random_cuts(
    remote: Memory,
    far: Settings,
    proxy: Proxy,
    domain: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    turn: int,
) -> None:
    print("SEED", SEED)  # noqa: T201
    rng, result = random.Random(f"{SEED} {turn}"), Reports()
    monkeypatch.setenv("NEO4J_URI", proxy.uri)
    monkeypatch.setenv("NEO4J_PASSWORD", far.neo4j_password.get_secret_value())
    with service(tmp_path, far, domain, "net", writers=4, seconds=600) as running:
        await more_acknowledgements(running, 5)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            await disturb(proxy, rng)
            await anyio.sleep(rng.uniform(0, 0.1))
        await more_acknowledgements(running, 5)  # it found the way back by itself
        running.kill()
    result.add(running.lines)
    assert proxy.faults > 10
    assert {failure["failed"] for failure in result.failures} <= {Code.STORE_UNAVAILABLE}  # one may be unlucky for 5 s
    await check(remote, result)


async def disturb(proxy: Proxy, rng: random.Random) -> None:
    """Do one thing to all connections: end them, hold them up, or be away for a moment."""
    fault = rng.choice(ENDS)
    match rng.randrange(4):
        case 0:
            proxy.go(fault)
            await anyio.sleep(rng.uniform(0, 0.3))
            await proxy.come()
        case 1:
            proxy.delay = rng.choice([0.0, 0.01, 0.05])
        case 2:
            trap = proxy.trap(rng.choice([COMMIT, b"_content"]), fault, answered=rng.random() < 0.5)
            with anyio.move_on_after(0.3):
                await trap.sprung.wait()
        case _:
            proxy.end_all(fault)
