"""Sends each statement to its domains' database, if domains are distributed over several databases.

A statement about domains in two databases is rejected, and so is a transaction with statements for two databases.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from operator import attrgetter
from typing import Any, TypeVar, cast

import anyio
from neo4j import AsyncTransaction

from graph_memory.model.databases import HOME, Placement
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import require
from graph_memory.storage.connecting import Limits
from graph_memory.storage.databases import Databases, DatabaseStore, OpenDatabase
from graph_memory.storage.log.tree import BELOW
from graph_memory.storage.queries import Query
from graph_memory.storage.statement_rights import check_statement, domains_in
from graph_memory.storage.store import Store, Transaction

R = TypeVar("R")
T = TypeVar("T")

HOME_STATEMENTS = ("keys/", "servers/", "schema_log/")
"""Name prefixes of statements that have no domain and run only in the home database."""
STATEMENTS_OF_ALL = frozenset(
    {"domains/list", "search/backlog", "retention/scan_nodes", "retention/scan_relationships"}
)
"""Statements that have no domain and run in every database. Their rows are joined."""
DOMAIN_LIST_STATEMENTS = frozenset({"history/positions", "log/below", "search/behind"})
"""Statements that have a list of domains. Each database runs them with its own domains, and the rows are joined."""
TOLERANT: Mapping[str, float] = {"domains/list": 15.0, "search/backlog": 2.0, "search/behind": 15.0}
"""Statements that read several databases and omit an unreachable one, with the time limit for each database in
seconds."""
PERIODIC = frozenset({"search/backlog", "search/behind"})
"""Tolerant statements that are repeated often, so they do not immediately retry a database that was lost."""
BEGIN_DOMAIN = "log/begin_domain"
"""The only statement that creates domains. It is the first statement of its transaction."""

_ORDER: Mapping[str, Callable[[Any], Any]] = {"domains/list": attrgetter("name")}
"""The order of joined rows, for statements with a limit."""
_log = logging.getLogger(__name__)


class _FirstStatement(Exception):  # noqa: N818 - not an error
    """Raised to stop a transaction's work at its first statement."""

    def __init__(self, statement: Query[Any], params: Mapping[str, object]) -> None:
        super().__init__()
        self.statement = statement
        self.params = params


class _ProbeTransaction(Transaction):
    """A transaction without a database, to find out which statement a unit of work runs first."""

    def __init__(self) -> None:  # it opens no connections
        return

    async def run(self, query: Query[R], **params: object) -> list[R]:
        raise _FirstStatement(query, params)


class RoutedStore(Store):
    """A store that sends each statement to its domains' database."""

    def __init__(self, databases: Databases) -> None:  # it opens no connections itself
        self._databases = databases
        self._directory = databases.directory
        self._stores = databases.stores
        self._limits = databases.limits

    def of(self, domain: str) -> DatabaseStore:  # pyright: ignore[reportIncompatibleMethodOverride] - one of its stores
        """Return the store of the domain's database."""
        return self._stores[self._directory.placement.database_of(domain)]

    def require_one_database(self, *domains: str) -> None:
        """Raise DIFFERENT_DATABASES if the domains are in different databases.

        If the caller may not read one of the domains, raises INSUFFICIENT_RIGHTS first, so that its database is not
        revealed.
        """
        for domain in domains:
            require(domain)
        self._directory.placement.require_one(domains)

    async def require_all(self) -> None:
        """Read the names of the domains in all databases. Raises STORE_UNAVAILABLE if a database cannot be reached."""
        await self._databases.reread_domains(*self._stores)

    def other_databases(self, domain: str) -> Sequence[str]:
        """Return the names of the databases other than the domain's."""
        return [name for name in self._stores if name != self.of(domain).name]

    @property
    def unavailable(self) -> Sequence[str]:
        """The names of the databases that could not be reached at the last attempt."""
        return [name for name, store in self._stores.items() if store.is_failing]

    @property
    def sessions(self) -> int:
        """The number of open sessions of all databases."""
        return sum(store.sessions for store in self._stores.values())

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        """Run one read statement in its domains' database, or in several databases, and return the rows.

        Raises DIFFERENT_DATABASES if the statement needs domains in several databases at once.
        """
        check_statement(query, params)
        if query.name not in PERIODIC:
            await self._confirm_misplaced(query.name, params)
        parts = list(self._split_by_database(query.name, params))
        if len(parts) == 1 and query.name not in TOLERANT:
            [(store, part)] = parts
            return await store.read_within(seconds, query, **part)
        return _sort_and_limit(await _read_all(seconds, query, parts), query, params)

    async def add_other_databases(
        self, domain: str, rows: list[R], seconds: float, query: Query[R], params: Mapping[str, Any]
    ) -> list[R]:
        """Add the rows of the databases other than the domain's. See `SingleDatabase.add_other_databases`."""
        if query.name not in STATEMENTS_OF_ALL:
            return rows
        parts = [part for part in self._split_by_database(query.name, params) if part[0] is not self.of(domain)]
        return _sort_and_limit(rows + await _read_all(seconds, query, parts), query, params)

    def _split_by_database(
        self, statement: str, params: Mapping[str, object]
    ) -> Iterator[tuple[DatabaseStore, Mapping[str, Any]]]:
        """Yield each database in which the statement runs, with its parameters."""
        domains = [*domains_in(statement, params)]
        if not domains and statement in STATEMENTS_OF_ALL:
            yield from ((store, params) for store in self._stores.values())
        elif statement in DOMAIN_LIST_STATEMENTS:
            for store in self._stores.values():
                own_domains = [domain for domain in domains if self.of(domain) is store]
                if statement in PERIODIC:  # domains in a wrong database must not prevent the work on the others
                    own_domains = [domain for domain in own_domains if self._directory.other_database(domain) is None]
                if own_domains:
                    yield store, {**params, "domains": own_domains}
        else:
            yield self._single_store(statement, domains), params

    def _single_store(self, statement: str, domains: Sequence[str]) -> DatabaseStore:
        """Return the database for a statement that runs in only one. Raises DIFFERENT_DATABASES if it needs several."""
        if domains:
            return self._stores[self._directory.placement.require_one(domains)]
        if statement.startswith(HOME_STATEMENTS):
            return self._stores[HOME]
        raise GraphError(
            Code.INTERNAL, f"The statement {statement} does not specify a domain, so its database is unknown"
        )

    async def _confirm_misplaced(self, statement: str, params: Mapping[str, object]) -> None:
        """Read again whether domains are still in other databases, because they may have been deleted there."""
        for domain in domains_in(statement, params):
            if (name := self._directory.other_database(domain)) is not None:
                await self._databases.reread_domains(name)

    async def _route(self, query: Query[Any], params: Mapping[str, object]) -> DatabaseStore:
        """Return the database for a statement that may write.

        Raises INSUFFICIENT_RIGHTS before DIFFERENT_DATABASES, so that a domain's database is not revealed.
        """
        check_statement(query, params)
        statement = query.name
        await self._confirm_misplaced(statement, params)
        store = self._single_store(statement, [*domains_in(statement, params)])
        if statement == BEGIN_DOMAIN and not await store.read(BELOW, domains=[params["domain"]]):
            await self.require_all()  # another database may have the domain
        return store

    async def _store_of_work(self, work: Callable[[Transaction], Awaitable[object]]) -> DatabaseStore:
        """Return a transaction's database, which its first statement determines. `work` may run several times."""
        try:
            await work(_ProbeTransaction())
        except _FirstStatement as first:
            return await self._route(first.statement, first.params)
        return self._stores[HOME]  # the work has no statement

    async def write(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        limit: float | None = None,
        in_doubt: bool = False,
    ) -> T:
        """Run `work` in one transaction on one database. See `Store.write`. Raises DIFFERENT_DATABASES."""
        store = await self._store_of_work(work)
        return await store.write(name, work, limit=limit, in_doubt=in_doubt)

    async def write_at_once(self, query: Query[R], **params: object) -> list[R]:
        """Run one write statement in its domains' database. See `Store.write_at_once`."""
        store = await self._route(query, params)
        return await store.write_at_once(query, **params)

    async def begin_transaction(
        self, name: str, begin: Callable[[Transaction], Awaitable[T]]
    ) -> tuple[AsyncExitStack, AsyncTransaction, T]:
        """Start a transaction on one database that stays open. See `Store.begin_transaction`."""
        store = await self._store_of_work(begin)
        return await store.begin_transaction(name, begin)

    async def rehearse(self) -> None:
        """Make the home database plan the statements that earlier processes used."""
        await self._stores[HOME].rehearse()

    async def server_version(self) -> str:
        """Return the version of the home database's server."""
        return await self._stores[HOME].server_version()


async def _read_all(
    seconds: float, query: Query[R], parts: Sequence[tuple[DatabaseStore, Mapping[str, Any]]]
) -> list[R]:
    """Return the rows of all parts in order. The parts are read concurrently. Raises the first error."""
    rows: list[list[R]] = [[] for _ in parts]

    async def read(number: int, store: DatabaseStore, params: Mapping[str, Any]) -> None:
        if query.name in TOLERANT and store.name != HOME:
            rows[number] = await _read_tolerantly(store, query, params)
        else:
            rows[number] = await store.read_within(seconds, query, **params)

    try:
        async with anyio.create_task_group() as tasks:
            for number, part in enumerate(parts):
                tasks.start_soon(read, number, *part)
    except ExceptionGroup as group:
        raise group.exceptions[0] from group
    return [row for part_rows in rows for row in part_rows]


def _sort_and_limit(rows: list[R], query: Query[R], params: Mapping[str, Any]) -> list[R]:
    """Return the joined rows of several databases. If the statement has an order, sort and limit them again."""
    if query.name not in _ORDER:
        return rows
    return sorted(rows, key=_ORDER[query.name])[: cast("int", params["limit"])]


async def _read_tolerantly(store: DatabaseStore, query: Query[R], params: Mapping[str, Any]) -> list[R]:
    """Return a database's rows, or none if it cannot be reached now."""
    if query.name in PERIODIC and store.is_skipped:
        return []
    try:
        with anyio.fail_after(TOLERANT[query.name]):
            return await store.read(query, **params)
    except TimeoutError:
        store.record_failure(GraphError(Code.TIMEOUT, f"Database {store.name} did not answer in time"))
    except GraphError as error:
        if not store.is_failing:
            raise
        _log.info("database %s is omitted: %s", store.name, error)
    return []


@asynccontextmanager
async def open_routed_store(
    names: Sequence[str], placement: Placement, open_database: OpenDatabase, limits: Limits
) -> AsyncGenerator[RoutedStore]:
    """Yield a store for the home database and the databases with these names, after trying to open them all.

    A database that cannot be opened now is opened on its next use. Raises the home database's error, and STORE_CONFLICT
    if two databases are the same.
    """
    databases = Databases(names, placement, open_database, limits)
    try:
        errors: list[GraphError] = []
        async with anyio.create_task_group() as tasks:
            for store in databases.stores.values():
                tasks.start_soon(_try_to_open, store, errors)
        for error in errors:
            if error.code is Code.STORE_CONFLICT or "database" not in error.details:
                raise error
            _log.warning("%s", error)
        yield RoutedStore(databases)
    finally:
        await databases.close()


async def _try_to_open(store: DatabaseStore, errors: list[GraphError]) -> None:
    try:
        await store.server_version()
    except GraphError as error:
        errors.append(error)
