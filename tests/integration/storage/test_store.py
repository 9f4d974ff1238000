"""The store: the driver's failures become ours, deadlocks are tried again, and a server that comes back is used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import pytest
from neo4j import AsyncGraphDatabase
from neo4j.exceptions import ConnectionAcquisitionTimeoutError, IncompleteCommit, Neo4jError

from container.images import address_of
from graph_memory import Code, GraphError, Settings
from graph_memory.storage.connecting import Address, Limits
from graph_memory.storage.driver_errors import graph_error_of
from graph_memory.storage.queries import Query
from graph_memory.storage.store import RetryableWriteError, Store, Transaction, open_store

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("shared_memory")]


@dataclass(frozen=True, slots=True)
class Number:
    n: int


SLOW = Query("test/slow", "UNWIND range(1, 1000000000) AS x RETURN sum(x) AS n", "read", frozenset(), ("n",), Number)
HOLD = Query(
    "test/hold",
    "MERGE (d:_Domain {_id: $id}) SET d._n = coalesce(d._n, 0) + 1 RETURN d._n AS n",
    "write",
    frozenset({"id"}),
    ("n",),
    Number,
)


@dataclass(frozen=True)
class CachedHead:
    """A guard that finds all in order."""

    def is_alive(self) -> bool:
        return True

    def listens(self) -> bool:
        return True


@asynccontextmanager
async def store_with(settings: Settings, limits: Limits) -> AsyncIterator[Store]:
    server = address_of(settings)

    async def find() -> Address:
        return Address(server.uri, server.username, server.password)

    async with open_store(find, limits) as store:
        yield store


async def test_a_read_past_its_time_is_stopped_by_the_server(settings: Settings) -> None:
    async with store_with(settings, Limits(read=0.5)) as store:
        with anyio.fail_after(30), pytest.raises(GraphError) as caught:
            await store.read(SLOW)
        assert caught.value.code is Code.TIMEOUT
        assert "GRAPH_MEMORY_READ_TIMEOUT" in str(caught.value.hint)


@pytest.mark.long
async def test_a_write_that_waits_too_long_for_a_lock_says_so_and_changes_nothing(
    settings: Settings, domain: str
) -> None:
    async with store_with(settings, Limits(write=1.0, retry=0.0)) as store:

        async def hold(transaction: Transaction) -> None:
            await transaction.run(HOLD, id=domain)

        async def hold_and_wait(transaction: Transaction) -> None:
            await transaction.run(HOLD, id=domain)
            with pytest.raises(GraphError) as caught:
                await store.write("second", hold)
            assert caught.value.code in (Code.TIMEOUT, Code.DOMAIN_BUSY)

        await store.write("first", hold_and_wait, limit=30.0)


async def test_two_writers_that_take_two_locks_crosswise_both_finish(settings: Settings, domain: str) -> None:
    async with store_with(settings, Limits()) as store:
        both_hold_one = anyio.Event()
        holding: list[str] = []

        async def cross(first: str, second: str) -> None:
            async def work(transaction: Transaction) -> None:
                await transaction.run(HOLD, id=first)
                holding.append(first)
                if len(holding) >= 2:
                    both_hold_one.set()
                await both_hold_one.wait()
                await transaction.run(HOLD, id=second)

            await store.write("cross", work)

        with anyio.fail_after(40):
            async with anyio.create_task_group() as group:
                group.start_soon(cross, f"{domain}.a", f"{domain}.b")
                group.start_soon(cross, f"{domain}.b", f"{domain}.a")
        assert len(holding) >= 3, "one of them met a deadlock and began again"


async def test_a_commit_in_doubt_is_told_as_such_when_the_server_stays_away(settings: Settings, domain: str) -> None:
    server = address_of(settings)
    result = 0

    async def find() -> Address:
        nonlocal result
        result += 1
        if result > 1:
            raise GraphError(Code.STORE_UNAVAILABLE, "Neo4j did not start")
        return Address(server.uri, server.username, server.password)

    async def lose(_: Transaction) -> None:
        raise IncompleteCommit("the answer never came")

    async with open_store(find, Limits()) as store:
        with pytest.raises(GraphError) as caught:
            await store.write("doubtful", lose)
    assert "may or may not" in caught.value.message


async def test_a_login_that_is_refused_is_looked_up_anew(settings: Settings) -> None:
    server = address_of(settings)
    passwords = iter(["of another server", server.password])

    async def find() -> Address:
        return Address(server.uri, server.username, next(passwords))

    async with open_store(find) as store:
        assert await store.server_version()


async def test_a_statement_that_is_refused_with_its_login_was_not_run_and_is_looked_at_again(
    settings: Settings, domain: str
) -> None:
    server = address_of(settings)
    async with (
        store_with(settings, Limits()) as store,
        AsyncGraphDatabase.driver(server.uri, auth=(server.username, "wrong")) as stranger,
    ):
        own, store._driver = store._driver, stranger
        with pytest.raises(RetryableWriteError) as caught:
            await store.write_at_once(HOLD, id=domain)
        store._driver = own
        assert not caught.value.in_doubt


@pytest.mark.parametrize(("guard", "hint"), [(None, "NEO4J_USERNAME"), (CachedHead(), "neo4j/run/password")])
async def test_a_login_that_stays_refused_says_where_to_set_it_right(
    settings: Settings, guard: CachedHead | None, hint: str
) -> None:
    server = address_of(settings)

    async def find() -> Address:
        return Address(server.uri, server.username, "wrong", guard=guard)

    with pytest.raises(GraphError) as caught:
        async with open_store(find):
            pass
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert "rejected the user name or password" in caught.value.message
    assert hint in str(caught.value.hint)


def security_error(name: str) -> Neo4jError:
    """Errors of the driver for a server's refusals of a login or of rights."""
    return Neo4jError._hydrate_neo4j(code=f"Neo.ClientError.Security.{name}", message="no")


async def test_a_server_that_takes_no_logins_for_some_seconds_is_asked_again(settings: Settings) -> None:
    async with store_with(settings, Limits()) as store:
        failures = [security_error("AuthenticationRateLimit") for _ in range(2)]

        async def work(transaction: Transaction) -> str:
            if failures:
                raise failures.pop()
            return "done"

        assert await store.write("locked out", work) == "done"


async def test_a_server_that_takes_no_logins_for_longer_is_told_as_such(settings: Settings) -> None:
    async with store_with(settings, Limits(retry=0.0)) as store:

        async def work(_: Transaction) -> None:
            raise security_error("AuthenticationRateLimit")

        with pytest.raises(GraphError) as caught:
            await store.write("locked out", work)
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert "refusing logins" in caught.value.message


@pytest.mark.parametrize("name", ["Forbidden", "CredentialsExpired", "TokenExpired", "AuthProviderFailed"])
async def test_what_the_server_says_of_rights_is_no_fault_of_ours(name: str) -> None:
    assert graph_error_of(security_error(name)).code is Code.STORE_UNAVAILABLE


async def test_a_call_without_a_free_connection_is_one_too_many() -> None:
    assert graph_error_of(ConnectionAcquisitionTimeoutError()).code is Code.OVERLOADED


async def test_what_the_work_raises_undoes_it(settings: Settings, domain: str) -> None:
    async with store_with(settings, Limits()) as store:

        async def fail(transaction: Transaction) -> None:
            await transaction.run(HOLD, id=domain)
            raise GraphError(Code.INVALID_ARGUMENT, "no")

        async def hold(transaction: Transaction) -> int:
            row = await transaction.first_row(HOLD, id=domain)
            return row.n if row else 0

        with pytest.raises(GraphError):
            await store.write("fail", fail)
        assert await store.write("hold", hold) == 1
