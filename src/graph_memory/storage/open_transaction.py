"""A transaction that stays open between calls, and a store whose reads and writes belong to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import LiteralString, NoReturn, TypeVar

import anyio
from neo4j import AsyncSession, AsyncTransaction
from neo4j.exceptions import DriverError, Neo4jError

from graph_memory.model.errors import GraphError
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.driver_errors import LOST, is_failed_commit, is_transient, open_transaction_error
from graph_memory.storage.queries import Query
from graph_memory.storage.statement_rights import Check, check_statement
from graph_memory.storage.store import ALL_ROWS, SILENCE_SECONDS, RetryableWriteError, Store, Transaction

R = TypeVar("R")
T = TypeVar("T")

_DRIVER_ERRORS = (DriverError, Neo4jError, OSError)


class OpenTransaction(Transaction):
    """A write transaction that stays open between calls. After its end or failure, each call raises the reason."""

    def __init__(self, inner: AsyncTransaction, limit: float, check: Check = check_statement) -> None:
        super().__init__(inner, check=check)
        self.written = 0
        """Number of write statements that the transaction has run so far."""
        self.limit = limit
        """The time limit of the transaction, in seconds."""
        self._lock = anyio.Lock()
        self._end_reason: GraphError | None = None

    async def run(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement, and return all its rows.

        Raises TRANSACTION_LOST if the connection breaks, TIMEOUT if the transaction was open for too long, and
        INVALID_ARGUMENT after its end.
        """
        async with self._lock:
            self.check()
            try:
                with anyio.fail_after(self.limit + SILENCE_SECONDS):
                    results = await super().run(query, **params)
            except _DRIVER_ERRORS as error:
                self._end_reason = open_transaction_error(error, self.limit)
                raise self._end_reason from error
            self.written += query.mode == "write"
            return results

    def check(self) -> None:
        """If the transaction has ended, raise the reason."""
        if self._end_reason is not None:
            raise self._end_reason

    def end(self, reason: GraphError) -> None:
        """End the transaction, so that each later call raises the reason. The first reason is kept."""
        self._end_reason = self._end_reason or reason

    async def commit(self) -> None:
        """Commit the transaction. Raises RetryableWriteError if it is unknown whether the commit succeeded."""
        async with self._lock:
            self.check()
            try:
                with anyio.fail_after(self.limit + SILENCE_SECONDS):
                    await self._inner.commit()
            except _DRIVER_ERRORS as error:
                if isinstance(error, (*LOST, DriverError)) or is_failed_commit(error) or is_transient(error):
                    raise RetryableWriteError(in_doubt=True) from error
                raise open_transaction_error(error, self.limit) from error


class TransactionStore(Store):
    """A store within an open transaction, whose reads include uncommitted changes.

    A statement that covers several databases reads the others outside the transaction. Operations that need a separate
    transaction are rejected.
    """

    def __init__(self, outer: Store, transaction: OpenTransaction, domain: str) -> None:  # it opens no connections
        self._outer = outer
        self._transaction = transaction
        self._domain = domain

    def require_one_database(self, *domains: str) -> None:
        """Raise DIFFERENT_DATABASES if the domains are in different databases."""
        self._outer.require_one_database(*domains)

    async def require_all(self) -> None:
        """Raise STORE_UNAVAILABLE if one of several databases cannot be reached."""
        await self._outer.require_all()

    def other_databases(self, domain: str) -> Sequence[str]:
        """Return the names of the databases other than the domain's."""
        return self._outer.other_databases(domain)

    @property
    def unavailable(self) -> Sequence[str]:
        """The names of the databases that could not be reached at the last attempt."""
        return self._outer.unavailable

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement within the transaction, and return its rows."""
        return await self.read_within(self._transaction.limit, query, **params)

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        """Run one read statement within the transaction, and return its rows.

        The time limit `seconds` applies only to other databases.
        """
        rows = await self._transaction.run(query, **params)
        return await self._outer.add_other_databases(self._domain, rows, seconds, query, params)

    async def read_in_session(
        self, seconds: float, read: Callable[[AsyncSession], Awaitable[T]], rows_at_once: int = ALL_ROWS
    ) -> T:
        """Reject the caller's statement, because a session cannot see uncommitted changes."""
        del seconds, read, rows_at_once
        reject_in_transaction("query_cypher")

    async def write(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        limit: float | None = None,
        in_doubt: bool = False,
    ) -> T:
        """Reject the write, because it needs a separate transaction."""
        del work, limit, in_doubt
        reject_in_transaction(name)

    async def write_at_once(self, query: Query[R], **params: object) -> list[R]:
        """Reject the write, because it needs a separate transaction."""
        del params
        reject_in_transaction(query.name)

    async def begin_transaction(
        self, name: str, begin: Callable[[Transaction], Awaitable[T]]
    ) -> tuple[AsyncExitStack, AsyncTransaction, T]:
        """Reject the transaction, because it would be within another transaction."""
        del begin
        reject_in_transaction(name)

    async def define(self, statement: LiteralString, **params: object) -> None:
        """Reject a schema change, because it and the open transaction would wait for each other."""
        del statement, params
        reject_in_transaction("A change of the schema")


def reject_in_transaction(name: str) -> NoReturn:
    """Raise INVALID_ARGUMENT for an operation that cannot be part of a transaction."""
    message = f"{name} cannot be done inside a transaction"
    hint = "It needs separate transactions: call it before or after this transaction."
    raise invalid_argument("transaction", message, hint)
