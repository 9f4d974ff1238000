"""Access to Neo4j: reads, transactions and retries."""

# The driver leaves the types of its configuration open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, LiteralString, Protocol, TypeVar

import anyio
import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncResult, AsyncSession, AsyncTransaction
from neo4j.exceptions import ConstraintError, DriverError, IncompleteCommit, Neo4jError

from graph_memory.model.errors import GraphError
from graph_memory.storage.connecting import Address, Find, driver_of
from graph_memory.storage.driver_errors import (
    LOST,
    graph_error_of,
    is_refused,
    is_transient,
    is_transient_at_start,
    may_be_committed,
    rolled_itself_back,
    translate_errors,
)
from graph_memory.storage.driver_values import as_python
from graph_memory.storage.queries import Query, check_text
from graph_memory.storage.rehearsal import Rehearsal
from graph_memory.storage.statement_rights import check_statement

R = TypeVar("R")
T = TypeVar("T")

UNREACHABLE_SECONDS = 5.0
"""Maximum time in seconds for reaching an unresponsive server, if no commit is in doubt."""

IDLE_SECONDS = 0.05
"""Time in seconds after which a waiting rehearsal checks again whether other statements run."""
ALL_ROWS = -1
"""Fetch all rows at once, because each thousand would be a round trip."""
REHEARSAL_SECONDS = 5.0
"""Time limit of a rehearsed statement."""
SILENCE_SECONDS = 10.0
"""Time in seconds beyond its limit after which an unanswered statement is abandoned."""

LONG_READ_SECONDS = 3_600.0
"""Maximum time in seconds for reading a whole log or database."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits in seconds: for read statements, for write statements, and for the retries of a write."""

    read: float = 30.0
    write: float = 60.0
    retry: float = 30.0


class Reader(Protocol):
    """Runs read statements. It is the store, or a transaction that holds locks."""

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows."""
        ...

    async def first_row(self, query: Query[R], **params: object) -> R | None:
        """Run one read statement, and return its first row, or None if there is none."""
        rows = await self.read(query, **params)
        return rows[0] if rows else None

    def assumes(self, *nodes: str) -> bool:
        """Return whether the types of these nodes may be assumed. A write with wrong types is rolled back."""
        del nodes
        return False


class Transaction(Reader):
    """A write transaction in progress. Its changes are committed only when `Store.write` returns."""

    def __init__(self, inner: AsyncTransaction, rehearsal: Rehearsal | None = None) -> None:
        self._inner = inner
        self._rehearsal = rehearsal

    async def run(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement, and return all of its rows. Raises INVALID_ARGUMENT for text with lone surrogates."""
        check_text(params)
        check_statement(query, params)
        if self._rehearsal is not None:
            self._rehearsal.note(query, params)
        result = await self._inner.run(query.listed or query.text, params)
        return await _rows(query, result)

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows."""
        return await self.run(query, **params)


class Indeterminate(Exception):  # noqa: N818 - not an error: the write is checked again
    """Raised if the caller must check the result of a failed statement, which may have been committed if `in_doubt`."""

    def __init__(self, *, in_doubt: bool) -> None:
        super().__init__(in_doubt)
        self.in_doubt = in_doubt


class Store(Reader):
    """A Neo4j database, opened with `open_store`. Any number of tasks in one event loop may use it concurrently."""

    def __init__(self, driver: AsyncDriver, address: Address, find: Find, limits: Limits, rehearsal: Rehearsal) -> None:
        self._driver: AsyncDriver = driver
        self._address: Address = address
        self._find = find
        self._limits = limits
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self._reconnecting = anyio.Lock()
        self._rehearsal = rehearsal
        self.sessions = 0
        """Number of open sessions. Each takes one connection of the driver's pool while it runs a statement."""
        self._unplanned = anyio.Event()
        self._unplanned.set()

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows.

        Raises STORE_UNAVAILABLE, TIMEOUT after the read limit, INSUFFICIENT_RIGHTS, and INVALID_ARGUMENT for text with
        lone surrogates.
        """
        return await self.read_within(self._limits.read, query, **params)

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        """Run one read statement with a time limit in seconds, and return its rows."""
        check_text(params)
        check_statement(query, params)
        self._rehearsal.note(query, params)

        async def run(session: AsyncSession) -> list[R]:
            statement = neo4j.Query(query.listed or query.text, metadata=_metadata(query.name), timeout=seconds)
            return await _rows(query, await session.run(statement, params))

        return await self.read_in_session(seconds, run)

    async def read_in_session(
        self, seconds: float, read: Callable[[AsyncSession], Awaitable[T]], rows_at_once: int = ALL_ROWS
    ) -> T:
        """Return the result of `read` in a session that cannot write. Repeats it after a lost connection."""

        async def attempt() -> T:
            async with self._session(neo4j.READ_ACCESS, rows_at_once) as session:
                return await read(session)

        return await self._retry(attempt, within=seconds)

    async def write(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        limit: float | None = None,
        in_doubt: bool = False,
    ) -> T:
        """Run `work` in one transaction, commit it, and return the result of `work`.

        After a deadlock or a lost connection, `work` runs again from the start, so it must detect whether an earlier
        run was committed. `in_doubt` means that a run before this call may have been committed. An exception in `work`
        rolls the transaction back. Raises STORE_UNAVAILABLE, TIMEOUT, DOMAIN_BUSY and STORE_CONFLICT.
        """
        seconds = limit or self._limits.write

        async def attempt() -> T:
            async with (
                self._session(neo4j.WRITE_ACCESS) as session,
                await session.begin_transaction(metadata=_metadata(name), timeout=seconds) as inner,
            ):
                outcome = await work(Transaction(inner, self._rehearsal))
                await inner.commit()
                return outcome

        return await self._retry(attempt, within=seconds, commits=True, in_doubt=in_doubt)

    async def write_at_once(self, query: Query[R], **params: object) -> list[R]:
        """Run one write statement in a separate transaction, without retries, and return its rows.

        Raises Indeterminate if the statement rolled itself back, could not get a lock, or lost the connection. Raises
        TIMEOUT, STORE_UNAVAILABLE for a server without enough memory, INSUFFICIENT_RIGHTS and INVALID_ARGUMENT.
        """
        check_text(params)
        check_statement(query, params)
        self._rehearsal.note(query, params)
        driver = self._driver
        try:
            with anyio.fail_after(self._limits.write + SILENCE_SECONDS):
                async with self._session(neo4j.WRITE_ACCESS) as session:
                    statement = neo4j.Query(query.text, metadata=_metadata(query.name), timeout=self._limits.write)
                    return await _rows(query, await session.run(statement, params))
        except (DriverError, Neo4jError, OSError) as error:
            in_doubt = may_be_committed(error) or self._driver is not driver  # the driver was closed during the call
            is_for_another = is_refused(error) or isinstance(error, ConstraintError) or rolled_itself_back(error)
            if in_doubt or is_for_another or is_transient(error):
                raise Indeterminate(in_doubt=in_doubt) from error
            raise graph_error_of(error, in_doubt=False) from error

    @property
    def write_limit(self) -> float:
        """The time in seconds after which the server rolls back a write."""
        return self._limits.write

    async def begin_transaction(
        self, name: str, begin: Callable[[Transaction], Awaitable[T]]
    ) -> tuple[AsyncExitStack, AsyncTransaction, T]:
        """Start a transaction that stays open. Returns its exit stack, the driver's transaction, and `begin`'s result.

        The start is retried like any write. Closing the stack rolls back uncommitted changes.
        """

        async def attempt() -> tuple[AsyncExitStack, AsyncTransaction, T]:
            async with AsyncExitStack() as stack:
                session = self._session(neo4j.WRITE_ACCESS)
                opened = await stack.enter_async_context(session)
                inner = await opened.begin_transaction(metadata=_metadata(name), timeout=self._limits.write)
                stack.push_async_callback(_roll_back, inner)
                outcome = await begin(Transaction(inner, self._rehearsal))
                return stack.pop_all(), inner, outcome

        return await self._retry(attempt, within=self._limits.write)

    async def define(self, statement: LiteralString, **params: object) -> None:
        """Run one schema statement in a separate transaction. It must be safe to run twice."""

        async def attempt() -> None:
            async with self._session(neo4j.WRITE_ACCESS) as session:
                query = neo4j.Query(statement, metadata=_metadata("schema"), timeout=self._limits.write)
                result = await session.run(query, params)
                await result.consume()

        await self._retry(attempt, within=self._limits.write)
        self._unplanned.set()

    async def rehearse(self) -> None:
        """Make Neo4j plan the statements of earlier processes, now and after each change of the schema. Runs forever.

        Waits while other statements run. Statements may fail without effect.
        """
        while True:
            await self._unplanned.wait()
            self._unplanned = anyio.Event()
            for query, params in self._rehearsal.statements():
                while self.sessions:  # noqa: ASYNC110 - nobody waits for it, and calls need not signal their end
                    await anyio.sleep(IDLE_SECONDS)
                with suppress(DriverError, Neo4jError, OSError):
                    await self._run_and_roll_back(query.listed or query.text, params)

    async def _run_and_roll_back(self, text: LiteralString, params: dict[str, object]) -> None:
        session = self._driver.session(database=self._address.database, default_access_mode=neo4j.WRITE_ACCESS)
        async with session, await session.begin_transaction(_metadata("rehearsal"), REHEARSAL_SECONDS) as inner:
            result = await inner.run(text, params)
            await result.consume()
            await inner.rollback()

    async def verify_connection(self) -> None:
        """Raise STORE_UNAVAILABLE if the server cannot be reached or rejects the credentials."""

        async def attempt() -> None:
            await self._driver.verify_connectivity()

        with translate_errors(self._address.uri):
            await self._retry(attempt, within=self._limits.read, is_first=True)

    async def server_version(self) -> str:
        """Return the server's version, such as `2026.08.1`."""
        with translate_errors():
            info = await self._driver.get_server_info()
        return info.agent.removeprefix("Neo4j/")

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    @asynccontextmanager
    async def _session(self, access: str, rows_at_once: int = ALL_ROWS) -> AsyncGenerator[AsyncSession]:
        async with self._driver.session(
            database=self._address.database,
            default_access_mode=access,
            bookmark_manager=self._bookmarks,
            fetch_size=rows_at_once,
        ) as session:
            self.sessions += 1
            try:
                yield session
            finally:
                self.sessions -= 1

    async def _retry(
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        within: float,
        commits: bool = False,
        in_doubt: bool = False,
        is_first: bool = False,
    ) -> T:
        """Repeat the attempt until it succeeds, fails permanently, or the time for retries is over.

        The server stops each attempt after `within` seconds. If it has not answered by then, the connection counts as
        lost. `is_first` marks the first connection. If that fails, the error has the address and is raised at once.
        """
        first_failure, pause = None, 0.02
        while True:
            driver = self._driver
            try:
                with anyio.fail_after(within + SILENCE_SECONDS):
                    return await attempt()
            except (DriverError, Neo4jError, OSError) as error:
                first_failure = first_failure or time.monotonic()
                in_doubt = (
                    in_doubt or isinstance(error, IncompleteCommit) or (commits and isinstance(error, TimeoutError))
                )
                timeout = self._limits.retry if in_doubt or not isinstance(error, LOST) else UNREACHABLE_SECONDS
                if is_refused(error):  # perhaps by another server
                    await self._reconnect(driver, error, in_doubt=in_doubt)
                is_worth_it = (is_transient_at_start if is_first else is_transient)(error) or self._driver is not driver
                if not is_worth_it or time.monotonic() - first_failure > timeout:
                    uri, is_local = self._address.uri if is_first else "", self._address.guard is not None
                    raise graph_error_of(error, uri=uri, in_doubt=in_doubt, is_local=is_local) from error
                _log.info("retrying after %s", type(error).__name__)
                if isinstance(error, LOST):
                    await self._reconnect(driver, error, in_doubt=in_doubt)
            await anyio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
            pause = min(pause * 2, 1.0)

    async def _reconnect(self, failed: AsyncDriver, lost: Exception, *, in_doubt: bool) -> None:
        """Find the server again, once for all calls that lost it. A local server can have moved, or not run."""
        async with self._reconnecting:
            if self._driver is not failed:
                return
            try:
                address = await self._find()
            except GraphError:
                if in_doubt:
                    raise graph_error_of(lost, in_doubt=True) from lost
                raise
            if address != self._address:
                self._driver, self._address = driver_of(address), address
                await failed.close()


@asynccontextmanager
async def open_store(
    find: Find, limits: Limits | None = None, rehearsal: Rehearsal | None = None
) -> AsyncGenerator[Store]:
    """Open a store on the server that `find` returns, after checking the connection and the credentials.

    The store adds the statements that it runs to `rehearsal`. Raises STORE_UNAVAILABLE if the server cannot be reached
    or rejects the credentials.
    """
    address = await find()
    with translate_errors(address.uri):
        store = Store(driver_of(address), address, find, limits or Limits(), rehearsal or Rehearsal())
    try:
        await store.verify_connection()
        yield store
    finally:
        await store.close()


async def _roll_back(inner: AsyncTransaction) -> None:
    """Roll back. If the connection is lost, the server does that by itself."""
    with suppress(DriverError, Neo4jError, OSError), anyio.move_on_after(SILENCE_SECONDS, shield=True):
        await inner.close()


def _metadata(name: str) -> dict[str, Any]:
    return {"app": "graph-memory", "query": name}


async def _rows(query: Query[R], result: AsyncResult) -> list[R]:
    rows = [record.values() async for record in result]
    if query.listed is not None:
        [[rows]] = rows
    return [query.row(*map(as_python, values)) for values in rows]
