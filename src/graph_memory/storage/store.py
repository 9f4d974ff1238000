"""The one door to Neo4j: reads, transactions and retries."""

# The driver leaves the types of its configuration open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC
from typing import Any, LiteralString, Protocol, TypeVar, cast

import anyio
import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncResult, AsyncSession, AsyncTransaction
from neo4j.exceptions import ConstraintError, DriverError, IncompleteCommit, Neo4jError
from neo4j.time import DateTime

from graph_memory.model.errors import GraphError
from graph_memory.model.values.arguments import fault, is_encodable
from graph_memory.storage.connecting import Address, Find, driver_of
from graph_memory.storage.driver_errors import (
    LOST,
    is_passing,
    is_passing_at_first,
    is_refused,
    may_be_committed,
    ours,
    translated,
    undid_itself,
)
from graph_memory.storage.queries import Query

R = TypeVar("R")
T = TypeVar("T")

UNREACHABLE_PATIENCE = 5.0
"""Seconds for which a call tries to reach a server that does not answer, when no commit is in doubt."""

SILENCE = 10.0
"""Seconds beyond its limit after which a statement that is not answered is given up: the network is silent."""

PATIENCE = 3_600.0
"""Seconds that looking through a whole log or the whole database may take, where somebody waits for it."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds: after which the server stops a statement, and for which a write is tried again."""

    read: float = 30.0
    write: float = 60.0
    retry: float = 30.0


class Reader(Protocol):
    """What statements that read are run with: the store, or a transaction to read under its locks."""

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement that only reads and return its rows."""
        ...

    async def one(self, query: Query[R], **params: object) -> R | None:
        """Run one statement and return its first row, None when there is none."""
        rows = await self.read(query, **params)
        return rows[0] if rows else None

    def assumes(self, *nodes: str) -> bool:
        """Say whether the types of these nodes may be assumed: the write is then undone where they are others."""
        del nodes
        return False


class Transaction(Reader):
    """A write transaction in progress. What it did counts only once `Store.write` has returned."""

    def __init__(self, inner: AsyncTransaction) -> None:
        self._inner = inner

    async def run(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement and return all of its rows. Raises INVALID_ARGUMENT for text that is not Unicode."""
        check_text(params)
        result = await self._inner.run(query.listed or query.text, params)
        return await _rows(query, result)

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement that only reads and return its rows."""
        return await self.run(query, **params)


class Indeterminate(Exception):  # noqa: N818 - it is no error: the write is looked at again
    """A statement that must be looked at more closely, and whether it may have been committed all the same."""

    def __init__(self, *, in_doubt: bool) -> None:
        super().__init__(in_doubt)
        self.in_doubt = in_doubt


class Store(Reader):
    """A Neo4j database. Open with `open_store`; safe for any number of concurrent tasks of one event loop."""

    def __init__(self, driver: AsyncDriver, address: Address, find: Find, limits: Limits) -> None:
        self._driver: AsyncDriver = driver
        self._address: Address = address
        self._find = find
        self._limits = limits
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self._reconnecting = anyio.Lock()

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement that only reads and return its rows.

        Raises STORE_UNAVAILABLE, TIMEOUT after the read limit, and INVALID_ARGUMENT for text that is not Unicode.
        """
        return await self.read_within(self._limits.read, query, **params)

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        """Run one statement that only reads, and that may take so many seconds, and return its rows."""
        check_text(params)

        async def attempt() -> list[R]:
            async with self._session(neo4j.READ_ACCESS) as session:
                statement = neo4j.Query(query.listed or query.text, metadata=_metadata(query.name), timeout=seconds)
                return await _rows(query, await session.run(statement, params))

        return await self._persist(attempt, within=seconds)

    async def write(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        limit: float | None = None,
        in_doubt: bool = False,
    ) -> T:
        """Run `work` in one transaction and return what it returned once that is committed.

        After a deadlock or a lost connection `work` runs again from its beginning, so it must find out for itself
        whether an earlier run was committed after all; `in_doubt` says that one may have been before this call.
        Raises STORE_UNAVAILABLE, TIMEOUT, DOMAIN_BUSY and STORE_CONFLICT; whatever `work` raises undoes it.
        """
        seconds = limit or self._limits.write

        async def attempt() -> T:
            async with (
                self._session(neo4j.WRITE_ACCESS) as session,
                await session.begin_transaction(metadata=_metadata(name), timeout=seconds) as inner,
            ):
                outcome = await work(Transaction(inner))
                await inner.commit()
                return outcome

        return await self._persist(attempt, within=seconds, commits=True, in_doubt=in_doubt)

    async def write_at_once(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement that writes in a transaction of its own, and return its rows.

        It is tried once. Raises Unsettled when it undid itself, a lock was not to be had, or a connection was lost;
        TIMEOUT, STORE_UNAVAILABLE for a server that lacks memory, and INVALID_ARGUMENT.
        """
        check_text(params)
        driver = self._driver
        try:
            with anyio.fail_after(self._limits.write + SILENCE):
                async with self._session(neo4j.WRITE_ACCESS) as session:
                    statement = neo4j.Query(query.text, metadata=_metadata(query.name), timeout=self._limits.write)
                    return await _rows(query, await session.run(statement, params))
        except (DriverError, Neo4jError, OSError) as error:
            in_doubt = may_be_committed(error) or self._driver is not driver  # closed behind it
            is_for_another = is_refused(error) or isinstance(error, ConstraintError) or undid_itself(error)
            if in_doubt or is_for_another or is_passing(error):
                raise Indeterminate(in_doubt=in_doubt) from error
            raise ours(error, in_doubt=False) from error

    @property
    def write_limit(self) -> float:
        """Seconds after which the server undoes a write."""
        return self._limits.write

    async def hold(
        self, name: str, begin: Callable[[Transaction], Awaitable[T]]
    ) -> tuple[AsyncExitStack, AsyncTransaction, T]:
        """Begin a transaction that stays open, and return what ends it, the driver's own of it, and what `begin` gives.

        Until it has begun it is tried again as any write is. Ending it undoes what was not committed.
        """

        async def attempt() -> tuple[AsyncExitStack, AsyncTransaction, T]:
            async with AsyncExitStack() as stack:
                session = self._session(neo4j.WRITE_ACCESS)
                opened = await stack.enter_async_context(session)
                inner = await opened.begin_transaction(metadata=_metadata(name), timeout=self._limits.write)
                stack.push_async_callback(_undo, inner)
                outcome = await begin(Transaction(inner))
                return stack.pop_all(), inner, outcome

        return await self._persist(attempt, within=self._limits.write)

    async def define(self, statement: LiteralString, **params: object) -> None:
        """Run one schema statement in a transaction of its own; it must be one that may run twice."""

        async def attempt() -> None:
            async with self._session(neo4j.WRITE_ACCESS) as session:
                query = neo4j.Query(statement, metadata=_metadata("schema"), timeout=self._limits.write)
                result = await session.run(query, params)
                await result.consume()

        await self._persist(attempt, within=self._limits.write)

    async def prove(self) -> None:
        """Raise STORE_UNAVAILABLE unless the server can be reached and accepts the credentials."""

        async def attempt() -> None:
            await self._driver.verify_connectivity()

        with translated(self._address.uri):
            await self._persist(attempt, within=self._limits.read, is_first=True)

    async def server_version(self) -> str:
        """Return the server's version, for example `2026.08.1`."""
        with translated():
            info = await self._driver.get_server_info()
        return info.agent.removeprefix("Neo4j/")

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    @asynccontextmanager
    async def _session(self, access: str) -> AsyncGenerator[AsyncSession]:
        async with self._driver.session(
            database=self._address.database,
            default_access_mode=access,
            bookmark_manager=self._bookmarks,
            fetch_size=-1,  # every row is wanted: a thousand at a time would be a round trip each
        ) as session:
            yield session

    async def _persist(
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        within: float,
        commits: bool = False,
        in_doubt: bool = False,
        is_first: bool = False,
    ) -> T:
        """Attempt until it works, fails for good, or has been tried for too long.

        The server itself stops an attempt `within` so many seconds; one that then says nothing is taken for lost.
        `is_first` is said of what proves the address: one that cannot be reached is told at once, and by its name.
        """
        first_failure, pause = None, 0.02
        while True:
            driver = self._driver
            try:
                with anyio.fail_after(within + SILENCE):
                    return await attempt()
            except (DriverError, Neo4jError, OSError) as error:
                first_failure = first_failure or time.monotonic()
                in_doubt = (
                    in_doubt or isinstance(error, IncompleteCommit) or (commits and isinstance(error, TimeoutError))
                )
                timeout = self._limits.retry if in_doubt or not isinstance(error, LOST) else UNREACHABLE_PATIENCE
                if is_refused(error):  # perhaps by another server than the one that was found
                    await self._reconnect(driver, error, in_doubt=in_doubt)
                is_worth_it = (is_passing_at_first if is_first else is_passing)(error) or self._driver is not driver
                if not is_worth_it or time.monotonic() - first_failure > timeout:
                    uri, is_local = self._address.uri if is_first else "", self._address.guard is not None
                    raise ours(error, uri=uri, in_doubt=in_doubt, is_local=is_local) from error
                _log.info("retrying after %s", type(error).__name__)
                if isinstance(error, LOST):
                    await self._reconnect(driver, error, in_doubt=in_doubt)
            await anyio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
            pause = min(pause * 2, 1.0)

    async def _reconnect(self, failed: AsyncDriver, lost: Exception, *, in_doubt: bool) -> None:
        """Find the server again, once for all the calls that lost it; a local one may have moved or need a start."""
        async with self._reconnecting:
            if self._driver is not failed:
                return
            try:
                address = await self._find()
            except GraphError:
                if in_doubt:
                    raise ours(lost, in_doubt=True) from lost
                raise
            if address != self._address:
                self._driver, self._address = driver_of(address), address
                await failed.close()


@asynccontextmanager
async def open_store(find: Find, limits: Limits | None = None) -> AsyncGenerator[Store]:
    """Give a store on the server that `find` names, its connection and credentials proved.

    Raises STORE_UNAVAILABLE when it cannot be reached or refuses the credentials.
    """
    address = await find()
    with translated(address.uri):
        store = Store(driver_of(address), address, find, limits or Limits())
    try:
        await store.prove()
        yield store
    finally:
        await store.close()


async def _undo(inner: AsyncTransaction) -> None:
    """Roll back what was not committed; a connection that is lost, or that does not answer, has done so by itself."""
    with suppress(DriverError, Neo4jError, OSError), anyio.move_on_after(SILENCE, shield=True):
        await inner.close()


def check_text(params: Mapping[str, object]) -> None:
    """Raise INVALID_ARGUMENT when a parameter is text with half a character pair: it has no UTF-8."""
    for name, value in params.items():
        if isinstance(value, str) and not is_encodable(value):
            raise fault(name, f"{name} contains a lone surrogate", "Remove it, or replace it with U+FFFD.")


def _metadata(name: str) -> dict[str, Any]:
    return {"app": "graph-memory", "query": name}


async def _rows(query: Query[R], result: AsyncResult) -> list[R]:
    rows = [record.values() async for record in result]
    if query.listed is not None:
        [[rows]] = rows
    return [query.row(*map(_plain, values)) for values in rows]


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def _plain(value: object) -> object:
    """Return a value as Python knows it: times as aware UTC datetimes."""
    if isinstance(value, list):
        return [item if type(item) in _AS_THEY_ARE else _plain(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        items = cast("Mapping[str, object]", value).items()
        return {key: item if type(item) in _AS_THEY_ARE else _plain(item) for key, item in items}
    if isinstance(value, DateTime):
        return value.to_native().astimezone(UTC)
    return value
