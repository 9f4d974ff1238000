"""Transactions of another client deadlock with writes: the server ends one of the two, and a write is repeated.

Writes of the memory do not do so to each other: each locks one domain, before anything else.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from neo4j import Driver, Transaction
from neo4j.exceptions import TransientError

from graph_memory import Memory, Settings, ontology_from, open_memory
from lifecycle.concurrency.mixed_writer import deadlocks_met
from lifecycle.concurrency.test_mixed_writers import SECONDS, Run, check

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

ROUNDS = 50
"""Attempts at a deadlock: whom the server gives a lock next is left to chance."""
MANY = 40


def lock_nodes(transaction: Transaction, domain: str) -> None:
    transaction.run("MATCH (n:_Node {_domain: $domain}) SET n._hand = 1", domain=domain).consume()


def lock_domain(transaction: Transaction, domain: str) -> None:
    transaction.run("MATCH (d:_Domain {_id: $domain}) SET d._hand = 1", domain=domain).consume()


@contextmanager
def rolled_back_transaction(driver: Driver) -> Iterator[Transaction]:
    """Give a transaction that is undone in the end."""
    with driver.session() as session, session.begin_transaction(timeout=20) as transaction:
        yield transaction
        transaction.close()


def is_ended(transaction: Transaction, domain: str, *locks: Callable[[Transaction, str], None]) -> bool:
    """Take locks, roll back, and return whether a deadlock ended the transaction before."""
    try:
        for lock in locks:
            lock(transaction, domain)
    except TransientError as error:
        return "DeadlockDetected" in str(error.code)
    finally:
        transaction.close()
    return False


async def wait_for_locks(driver: Driver, number: int) -> None:
    """Wait until so many transactions wait for others, or for a moment."""
    statement = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN count(*) AS number"
    for _ in range(100):
        if driver.execute_query(statement).records[0]["number"] >= number:
            return
        await anyio.sleep(0.01)


@pytest.fixture
async def other(settings: Settings, domain: str, anyio_backend: str) -> AsyncIterator[Memory]:
    """The same domain, as another process has it."""
    async with open_memory(settings) as memory:
        yield memory.in_domain(domain)


async def write_crosswise(driver: Driver, memory: Memory, domain: str, node_id: str, turn: int) -> None:
    """Let a write wait for its domain, then the holder of the node that it needs next, and release both.

    The holder has locked many nodes: of two the server ends the one with fewer locks.
    """

    async def write() -> None:
        await memory.update_node(node_id, properties={"turn": turn})

    with rolled_back_transaction(driver) as other, rolled_back_transaction(driver) as holder:
        lock_nodes(other, domain)
        lock_domain(holder, domain)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            await wait_for_locks(driver, 1)
            tasks.start_soon(anyio.to_thread.run_sync, is_ended, other, domain, lock_domain)
            await wait_for_locks(driver, 2)
            holder.close()


@pytest.mark.parametrize("way", ["under the lock", "at once"])
async def test_a_write_that_a_deadlock_ends_is_tried_again_and_made_once(
    memory: Memory, other: Memory, driver: Driver, domain: str, way: str
) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    for _ in range(MANY):
        await memory.create_node("Note", "")
    node = (await memory.create_node("Note", "", properties={"turn": 0})).node_id
    with deadlocks_met() as met:
        for turn in range(1, ROUNDS):
            await (memory if way == "at once" else other).create_node("Note", "")
            await write_crosswise(driver, memory, domain, node, turn)
            if met:
                break
    assert met, "the server never ended the write"
    assert (await memory.get_node(node)).properties == {"turn": turn}
    statement = "MATCH (e:_Event {_domain: $domain, _subject: $id}) RETURN e.turn AS turn ORDER BY e._seq"
    records = driver.execute_query(statement, domain=domain, id=node).records
    assert [row["turn"] for row in records] == list(range(turn + 1))
    assert (await memory.upkeep.verify()).clean


@contextmanager
def somebody_who_locks_crosswise(driver: Driver, domain: str) -> Iterator[list[bool]]:
    """Lock crosswise over and over, and note how often that ended in a deadlock."""
    stop, ended = threading.Event(), []

    def work() -> None:
        while not stop.wait(0.3):
            with rolled_back_transaction(driver) as transaction:
                ended.append(is_ended(transaction, domain, lock_nodes, lock_domain))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield ended
    finally:
        stop.set()
        thread.join()


async def test_sixteen_writers_lose_nothing_while_somebody_locks_crosswise(
    settings: Settings, memory: Memory, driver: Driver, domain: str, tmp_path: Path
) -> None:
    seconds = min(SECONDS, 60.0)
    run = Run(tmp_path, settings, memory, [domain])
    with somebody_who_locks_crosswise(driver, domain) as ended:
        await run.make(seconds)
    print(f"\n{sum(ended)} of {len(ended)} transactions of somebody else ended in a deadlock", run.report(seconds))  # noqa: T201
    assert run.deadlocks + sum(ended) > 0
    await check(run, driver)
