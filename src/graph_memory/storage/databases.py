"""The stores of several databases.

Each store is opened on first use, and runs only statements about its own domains.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from time import monotonic
from typing import Any, LiteralString, TypeVar

import anyio
from neo4j import AsyncSession, AsyncTransaction

from graph_memory.model.databases import HOME, SETTING, Placement, misplaced_error, wrong_database_error
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.rights import run_as
from graph_memory.model.text.wording import join_names
from graph_memory.storage.connecting import Limits
from graph_memory.storage.queries import Query, query
from graph_memory.storage.schema import store_id
from graph_memory.storage.statement_rights import Check, check_statement, domains_in
from graph_memory.storage.store import ALL_ROWS, Store, Transaction

R = TypeVar("R")
T = TypeVar("T")

SKIPPED_SECONDS = 10.0
"""Time in seconds for which periodic statements skip a database that could not be reached."""
FAILURE_SECONDS = 1.0
"""Time in seconds for which calls that waited for the same failed opening share its error."""

NAMES = query("log/domain_names", str)
OpenDatabase = Callable[[str, Check], AbstractAsyncContextManager[Store]]
"""Opens the database with this name, checks its version and migrates it. Its store passes each statement to the check
before it runs the statement."""
_log = logging.getLogger(__name__)


class Directory:
    """The databases to which domains belong, and the domains that exist in other databases."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self._misplaced: dict[str, str] = {}

    def record(self, database: str, domains: Collection[str]) -> None:
        """Record which domains a database has."""
        misplaced = {domain for domain in domains if self.placement.database_of(domain) != database}
        recorded = {domain for domain, name in self._misplaced.items() if name == database}
        self._misplaced = {domain: name for domain, name in self._misplaced.items() if name != database}
        self._misplaced |= dict.fromkeys(misplaced, database)
        if misplaced - recorded:
            _log.warning("Database %s has domains of other databases: %s", database, join_names(sorted(misplaced)))

    def other_database(self, domain: str) -> str | None:
        """Return the database that contains the domain, if the domain belongs to another database, or else None."""
        return self._misplaced.get(domain)

    def check_domains(self, database: str, statement: str, params: Mapping[str, object]) -> None:
        """Raise an error if the statement is about a domain that belongs to, or exists in, another database."""
        for domain in domains_in(statement, params):
            expected = self.placement.database_of(domain)
            if (actual := self.other_database(domain)) is not None:
                raise misplaced_error([domain], actual, self.placement)
            if expected != database:
                raise wrong_database_error(domain, expected, database)


class DatabaseStore(Store):
    """The store of one of several databases. It is opened on first use. If that fails, the next use opens it."""

    def __init__(self, name: str, databases: Databases) -> None:  # it opens no connections itself
        self.name = name
        self.check = self._check
        self._databases = databases
        self._limits = databases.limits
        self._opening = anyio.Lock()
        self._open: Store | None = None
        self._failed_at = float("-inf")
        self._failure: GraphError | None = None

    def _check(self, query: Query[Any], params: Mapping[str, object]) -> None:
        check_statement(query, params)
        self._databases.directory.check_domains(self.name, query.name, params)

    @property
    def sessions(self) -> int:
        """The number of open sessions in this database."""
        return 0 if self._open is None else self._open.sessions

    @property
    def is_failing(self) -> bool:
        """Whether the database could not be reached at the last attempt."""
        return self._failure is not None

    @property
    def is_skipped(self) -> bool:
        """Whether the last attempt failed so recently that periodic statements do not try again."""
        return self.is_failing and monotonic() < self._failed_at + SKIPPED_SECONDS

    @asynccontextmanager
    async def use(self) -> AsyncGenerator[Store]:
        """Yield the open store.

        Errors of an unreachable or slow database contain its name, unless it is the home database.
        """
        asked_at = monotonic()
        try:
            yield await self.open(asked_at)
        except GraphError as error:
            is_open = self._open is not None
            if is_open and error.code is not Code.STORE_UNAVAILABLE:
                self._failure = None
            elif error is not self._failure:
                self.record_failure(error)
            if self.name == HOME or (is_open and error.code not in (Code.STORE_UNAVAILABLE, Code.TIMEOUT)):
                raise
            raise self._with_database_name(error) from error
        self._failure = None

    def record_failure(self, error: GraphError) -> None:
        """Record that the database could not be used."""
        self._failure, self._failed_at = error, monotonic()

    def _with_database_name(self, error: GraphError) -> GraphError:
        hint = Hint(
            "Domains of other databases can be used meanwhile. Check that the server runs, and check the entry {name} "
            "in {setting}. {graph-memory doctor} looks for the cause. Read a subject again before you repeat its "
            "change.",
            name=self.name,
            setting=SETTING,
        )
        details = {**error.details, "database": self.name, "hint": hint}
        return GraphError(error.code, f"Database {self.name}: {error.message}", details, path=error.path)

    async def open(self, asked_at: float) -> Store:
        """Return the open store. Opens it if necessary, with the rights of the service itself.

        If opening it failed after `asked_at`, or just before, raises that error.
        """
        if self._open is not None:
            return self._open
        async with self._opening:
            if self._open is None:
                if self._failure is not None and self._failed_at > asked_at - FAILURE_SECONDS:
                    raise self._failure
                with run_as(None):
                    self._open = await self._databases.open(self.name, self.check)
            return self._open

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        """Run one read statement with a time limit in seconds, and return its rows."""
        async with self.use() as store:
            return await store.read_within(seconds, query, **params)

    async def read_in_session(
        self, seconds: float, read: Callable[[AsyncSession], Awaitable[T]], rows_at_once: int = ALL_ROWS
    ) -> T:
        """Call `read` with a read-only session, and return its result."""
        async with self.use() as store:
            return await store.read_in_session(seconds, read, rows_at_once)

    async def write(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        limit: float | None = None,
        in_doubt: bool = False,
    ) -> T:
        """Run `work` in one transaction on this database."""
        async with self.use() as store:
            return await store.write(name, work, limit=limit, in_doubt=in_doubt)

    async def write_at_once(self, query: Query[R], **params: object) -> list[R]:
        """Run one write statement in a separate transaction, without retries, and return its rows."""
        async with self.use() as store:
            return await store.write_at_once(query, **params)

    async def begin_transaction(
        self, name: str, begin: Callable[[Transaction], Awaitable[T]]
    ) -> tuple[AsyncExitStack, AsyncTransaction, T]:
        """Start a transaction on this database that stays open."""
        async with self.use() as store:
            return await store.begin_transaction(name, begin)

    async def define(self, statement: LiteralString, **params: object) -> None:
        """Run one schema statement in this database."""
        async with self.use() as store:
            await store.define(statement, **params)

    async def server_version(self) -> str:
        """Return the version of this database's server."""
        async with self.use() as store:
            return await store.server_version()

    async def rehearse(self) -> None:
        """Make Neo4j plan the statements that earlier processes used."""
        async with self.use() as store:
            await store.rehearse()


class Databases:
    """The stores of all databases by name, and their shared data."""

    def __init__(self, names: Sequence[str], placement: Placement, open_database: OpenDatabase, limits: Limits) -> None:
        self.directory = Directory(placement)
        self.limits = limits
        self._open_database = open_database
        self._exit_stack = AsyncExitStack()
        self._ids: dict[str, str] = {}
        self.stores = {name: DatabaseStore(name, self) for name in (HOME, *names)}

    async def open(self, name: str, check: Check) -> Store:
        """Open a database, and record its domains.

        Raises STORE_CONFLICT if the same database was already opened under another name.
        """
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(self._open_database(name, check))
            database_id = await store_id(store)
            if others := [other for other, other_id in self._ids.items() if other_id == database_id and other != name]:
                message = f"{name} and {others[0]} are the same database"
                hint = f"Give each database in {SETTING} a different uri or database."
                raise GraphError(Code.STORE_CONFLICT, message, {"hint": hint})
            self._ids[name] = database_id
            self.directory.record(name, await store.read(NAMES))
            self._exit_stack.push_async_exit(stack.pop_all())
            return store

    async def reread_domains(self, *names: str) -> None:
        """Read again which domains these databases contain.

        Raises STORE_UNAVAILABLE if a database cannot be reached.
        """
        with run_as(None):
            for name in names:
                self.directory.record(name, await self.stores[name].read(NAMES))

    async def close(self) -> None:
        """Close all open databases."""
        await self._exit_stack.aclose()
