"""Access to Neo4j: reads, transactions and retries."""

# The driver leaves the types of its configuration open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import LiteralString, Protocol, Self, TypeVar

import anyio
import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncSession, AsyncTransaction
from neo4j.exceptions import ConstraintError, DriverError, IncompleteCommit, Neo4jError

from graph_memory.model.errors import GraphError
from graph_memory.storage.connecting import Address, FindServer, Limits, driver_of
from graph_memory.storage.driver_errors import (
    LOST,
    UNREACHABLE,
    graph_error_of,
    is_login_error,
    is_transient,
    is_transient_at_start,
    may_be_committed,
    rolled_itself_back,
    translate_errors,
)
from graph_memory.storage.driver_values import fetch_rows, transaction_metadata
from graph_memory.storage.queries import Query, check_text
from graph_memory.storage.rehearsal import StatementSamples
from graph_memory.storage.single_database import SingleDatabase
from graph_memory.storage.statement_rights import Check, check_statement

R = TypeVar("R")
T = TypeVar("T")

UNREACHABLE_SECONDS = 5.0
"""Maximum time in seconds for retries if the server cannot be reached and no commit is in doubt."""
IDLE_SECONDS = 0.05
"""Interval in seconds at which a waiting rehearsal checks whether other statements are still running."""
ALL_ROWS = -1
"""The batch size that fetches all rows at once. By default, every thousand rows need a round trip."""
REHEARSAL_SECONDS = 5.0
"""Time limit of a rehearsed statement in seconds."""
SILENCE_SECONDS = 10.0
"""Time in seconds after a statement's time limit. A server that has not answered by then counts as lost."""
LONG_READ_SECONDS = 3_600.0
"""Maximum time in seconds for reading a whole log or database."""

_log = logging.getLogger(__name__)


class Reader(Protocol):
    """Runs read statements. A reader is the store, or a transaction that holds locks."""

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows."""
        ...

    async def first_row(self, query: Query[R], **params: object) -> R | None:
        """Run one read statement, and return its first row, or None if it returns no rows."""
        rows = await self.read(query, **params)
        return rows[0] if rows else None

    def assumes(self, *nodes: str) -> bool:
        """Return whether these nodes' types need not be read, because a write with wrong types is rolled back."""
        del nodes
        return False

    def of(self, domain: str) -> Self:
        """Return the reader of the domain's database, for statements whose parameters contain no domain."""
        del domain
        return self


class Transaction(Reader):
    """A write transaction in progress. Its changes are committed only when `Store.write` returns."""

    def __init__(
        self, inner: AsyncTransaction, rehearsal: StatementSamples | None = None, check: Check = check_statement
    ) -> None:
        self._inner = inner
        self._rehearsal = rehearsal
        self._check = check

    async def run(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement, and return all its rows. Raises INVALID_ARGUMENT for text with lone surrogates."""
        check_text(params)
        self._check(query, params)
        if self._rehearsal is not None:
            self._rehearsal.record(query, params)
        result = await self._inner.run(query.list_text or query.text, params)
        return await fetch_rows(query, result)

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows."""
        return await self.run(query, **params)


class RetryableWriteError(Exception):
    """Raised if a write statement failed and must be decided again. If `in_doubt`, it may have been committed."""

    def __init__(self, *, in_doubt: bool) -> None:
        super().__init__(in_doubt)
        self.in_doubt = in_doubt


class Store(SingleDatabase, Reader):
    """A connection to a Neo4j database, opened with `open_store`. Tasks in one event loop can share it."""

    def __init__(
        self,
        driver: AsyncDriver,
        address: Address,
        find: FindServer,
        limits: Limits,
        rehearsal: StatementSamples,
        check: Check = check_statement,
    ) -> None:
        self._driver: AsyncDriver = driver
        self._address: Address = address
        self._find = find
        self._limits = limits
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self._reconnecting = anyio.Lock()
        self._rehearsal = rehearsal
        self.check = check
        self._sessions = 0
        self._schema_changed = anyio.Event()
        self._schema_changed.set()

    @property
    def sessions(self) -> int:
        """The number of open sessions. Each uses one connection of the driver's pool while it runs a statement."""
        return self._sessions

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows.

        Raises STORE_UNAVAILABLE if the server cannot be reached, TIMEOUT after the read limit, INSUFFICIENT_RIGHTS if
        the caller may not read a domain, and INVALID_ARGUMENT for text with lone surrogates.
        """
        return await self.read_within(self._limits.read, query, **params)

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        """Run one read statement with a time limit in seconds, and return its rows. Raises the errors of `read`."""
        check_text(params)
        self.check(query, params)
        self._rehearsal.record(query, params)

        async def attempt() -> list[R]:
            async with self._session(self._address.read_access) as session:
                statement = neo4j.Query(
                    query.list_text or query.text, metadata=transaction_metadata(query.name), timeout=seconds
                )
                return await fetch_rows(query, await session.run(statement, params))

        return await self._retry(attempt, within=seconds)

    async def read_in_session(
        self, seconds: float, read: Callable[[AsyncSession], Awaitable[T]], rows_at_once: int = ALL_ROWS
    ) -> T:
        """Call `read` with a session that cannot write, and return its result. Retries if the connection is lost."""

        async def attempt() -> T:
            if self._address.read_access == neo4j.WRITE_ACCESS:
                async with self._session(neo4j.WRITE_ACCESS) as leader:  # a follower then waits for its bookmark
                    await (await leader.run("RETURN 1")).consume()
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
        """Run `work` in one transaction, commit the transaction, and return the result of `work`.

        After a deadlock or a lost connection, `work` runs again from the start, so it must detect whether an earlier
        run was committed. `in_doubt` means that a run before this call may have been committed. An exception in `work`
        rolls the transaction back. Raises STORE_UNAVAILABLE if the server cannot be reached, TIMEOUT after the time
        limit, DOMAIN_BUSY after repeated deadlocks, and STORE_CONFLICT if a constraint is violated.
        """
        seconds = limit or self._limits.write

        async def attempt() -> T:
            async with (
                self._session(neo4j.WRITE_ACCESS) as session,
                await session.begin_transaction(metadata=transaction_metadata(name), timeout=seconds) as inner,
            ):
                outcome = await work(Transaction(inner, self._rehearsal, self.check))
                await inner.commit()
                return outcome

        return await self._retry(attempt, within=seconds, commits=True, in_doubt=in_doubt)

    async def write_at_once(self, query: Query[R], **params: object) -> list[R]:
        """Run one write statement in a separate transaction, without retries, and return its rows.

        Raises RetryableWriteError if the statement rolled itself back, could not get a lock, or lost the connection.
        Raises TIMEOUT after the write limit, STORE_UNAVAILABLE if the server has too little memory, INSUFFICIENT_RIGHTS
        if the caller may not write to the domain, and INVALID_ARGUMENT if a parameter contains a lone surrogate.
        """
        check_text(params)
        self.check(query, params)
        self._rehearsal.record(query, params)
        driver = self._driver
        try:
            with anyio.fail_after(self._limits.write + SILENCE_SECONDS):
                async with self._session(neo4j.WRITE_ACCESS) as session:
                    statement = neo4j.Query(
                        query.text, metadata=transaction_metadata(query.name), timeout=self._limits.write
                    )
                    return await fetch_rows(query, await session.run(statement, params))
        except (DriverError, Neo4jError, OSError) as error:
            in_doubt = may_be_committed(error) or self._driver is not driver  # the driver was closed during the call
            is_repeatable = is_login_error(error) or isinstance(error, ConstraintError) or rolled_itself_back(error)
            if in_doubt or is_repeatable or is_transient(error):
                raise RetryableWriteError(in_doubt=in_doubt) from error
            raise graph_error_of(error, in_doubt=False) from error

    @property
    def write_limit(self) -> float:
        """The time in seconds after which the server rolls back a write."""
        return self._limits.write

    async def begin_transaction(
        self, name: str, begin: Callable[[Transaction], Awaitable[T]]
    ) -> tuple[AsyncExitStack, AsyncTransaction, T]:
        """Start a transaction that stays open, and call `begin` in it. The start is retried like any write.

        Returns its exit stack, the driver's transaction, and the result of `begin`. Closing the stack rolls it back.
        """

        async def attempt() -> tuple[AsyncExitStack, AsyncTransaction, T]:
            async with AsyncExitStack() as stack:
                session = self._session(neo4j.WRITE_ACCESS)
                opened = await stack.enter_async_context(session)
                inner = await opened.begin_transaction(metadata=transaction_metadata(name), timeout=self._limits.write)
                stack.push_async_callback(_roll_back, inner)
                outcome = await begin(Transaction(inner, self._rehearsal, self.check))
                return stack.pop_all(), inner, outcome

        return await self._retry(attempt, within=self._limits.write)

    async def define(self, statement: LiteralString, **params: object) -> None:
        """Run one schema statement in a separate transaction. It must be safe to run twice."""

        async def attempt() -> None:
            async with self._session(neo4j.WRITE_ACCESS) as session:
                query = neo4j.Query(statement, metadata=transaction_metadata("schema"), timeout=self._limits.write)
                await (await session.run(query, params)).consume()

        await self._retry(attempt, within=self._limits.write)
        self._schema_changed.set()

    async def rehearse(self) -> None:
        """Make Neo4j plan the statements that earlier processes used, now and after each schema change.

        Runs until cancelled. Waits while other statements run. Failures of rehearsed statements are ignored.
        """
        while True:
            await self._schema_changed.wait()
            self._schema_changed = anyio.Event()
            for query, params in self._rehearsal.statements():
                while self._sessions:  # noqa: ASYNC110 - nobody waits for it, and calls need not signal their end
                    await anyio.sleep(IDLE_SECONDS)
                with suppress(DriverError, Neo4jError, OSError):
                    await self._run_and_roll_back(query.list_text or query.text, params)

    async def _run_and_roll_back(self, text: LiteralString, params: dict[str, object]) -> None:
        session = self._driver.session(database=self._address.database, default_access_mode=neo4j.WRITE_ACCESS)
        async with session, await session.begin_transaction(transaction_metadata("rehearsal"), REHEARSAL_SECONDS) as tx:
            await (await tx.run(text, params)).consume()
            await tx.rollback()

    async def verify_connection(self) -> None:
        """Raise STORE_UNAVAILABLE if the server cannot be reached or rejects the credentials."""
        with translate_errors(self._address.uri):  # a retry may use another driver
            await self._retry(lambda: self._driver.verify_connectivity(), within=self._limits.read, is_first=True)

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
            self._sessions += 1
            try:
                yield session
            finally:
                self._sessions -= 1

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
        lost. `is_first` marks the first connection. If that connection fails, the error contains the address and is
        raised at once.
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
                timeout = self._limits.retry if in_doubt or not isinstance(error, UNREACHABLE) else UNREACHABLE_SECONDS
                if is_login_error(error):  # perhaps by another server
                    await self._reconnect(driver, error, in_doubt=in_doubt)
                can_retry = (is_transient_at_start if is_first else is_transient)(error) or self._driver is not driver
                if not can_retry or time.monotonic() - first_failure > timeout:
                    uri, is_local = self._address.uri if is_first else "", self._address.guard is not None
                    raise graph_error_of(error, uri=uri, in_doubt=in_doubt, is_local=is_local) from error
                _log.info("retrying after %s", type(error).__name__)
                if isinstance(error, LOST):
                    await self._reconnect(driver, error, in_doubt=in_doubt)
            await anyio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
            pause = min(pause * 2, 1.0)

    async def _reconnect(self, failed: AsyncDriver, error: Exception, *, in_doubt: bool) -> None:
        """Locate the server again, once for all calls. A local server may have stopped or changed ports."""
        async with self._reconnecting:
            if self._driver is not failed:
                return
            try:
                address = await self._find()
            except GraphError:
                if in_doubt:
                    raise graph_error_of(error, in_doubt=True) from error
                raise
            if address != self._address:
                self._driver, self._address = driver_of(address), address
                await failed.close()


@asynccontextmanager
async def open_store(
    find: FindServer,
    limits: Limits | None = None,
    rehearsal: StatementSamples | None = None,
    check: Check = check_statement,
) -> AsyncGenerator[Store]:
    """Yield a store on the server that `find` returns, after checking the connection and the credentials.

    The store passes each statement to `check`, and adds it to `rehearsal`. Raises STORE_UNAVAILABLE if the server
    cannot be reached or rejects the credentials.
    """
    address = await find()
    with translate_errors(address.uri):
        store = Store(driver_of(address), address, find, limits or Limits(), rehearsal or StatementSamples(), check)
    try:
        await store.verify_connection()
        yield store
    finally:
        await store.close()


async def _roll_back(inner: AsyncTransaction) -> None:
    """Roll back the transaction. Errors are ignored, because the server also rolls back if the connection is lost."""
    with suppress(DriverError, Neo4jError, OSError), anyio.move_on_after(SILENCE_SECONDS, shield=True):
        await inner.close()
