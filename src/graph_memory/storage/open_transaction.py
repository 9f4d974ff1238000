"""A transaction that stays open between calls, and a store that works within it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import LiteralString, NoReturn, TypeVar

import anyio
from neo4j import AsyncTransaction
from neo4j.exceptions import DriverError, Neo4jError

from graph_memory.model.errors import GraphError
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.driver_errors import LOST, is_failed_commit, is_transient, open_transaction_error
from graph_memory.storage.queries import Query
from graph_memory.storage.store import SILENCE_SECONDS, Indeterminate, Store, Transaction

R = TypeVar("R")
T = TypeVar("T")

_FAILURES = (DriverError, Neo4jError, OSError)


class OpenTransaction(Transaction):
    """A write transaction that stays open between calls. After it has failed, each use raises the reason."""

    def __init__(self, inner: AsyncTransaction, limit: float) -> None:
        super().__init__(inner)
        self.written = 0
        """Number of write statements so far."""
        self._limit = limit
        self._turn = anyio.Lock()
        self._ended: GraphError | None = None

    async def run(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement, and return all of its rows.

        Raises TRANSACTION_LOST, TIMEOUT if the transaction was open for too long, and INVALID_ARGUMENT after its end.
        """
        async with self._turn:
            self.check()
            try:
                with anyio.fail_after(self._limit + SILENCE_SECONDS):
                    results = await super().run(query, **params)
            except _FAILURES as error:
                self._ended = open_transaction_error(error, self._limit)
                raise self._ended from error
            self.written += query.mode == "write"
            return results

    def check(self) -> None:
        """If the transaction has ended, raise the reason."""
        if self._ended is not None:
            raise self._ended

    def end(self, reason: GraphError) -> None:
        """End the transaction, so that each later use raises the reason. The first reason is kept."""
        self._ended = self._ended or reason

    async def commit(self) -> None:
        """Commit the transaction. Raises Indeterminate if it is unknown whether the commit succeeded."""
        async with self._turn:
            self.check()
            try:
                with anyio.fail_after(self._limit + SILENCE_SECONDS):
                    await self._inner.commit()
            except _FAILURES as error:
                if isinstance(error, (*LOST, DriverError)) or is_failed_commit(error) or is_transient(error):
                    raise Indeterminate(in_doubt=True) from error
                raise open_transaction_error(error, self._limit) from error


class StoreWithin(Store):
    """A store that works within an open transaction, so that reads include uncommitted changes.

    Operations that need a separate transaction are rejected.
    """

    def __init__(self, outer: Store, transaction: OpenTransaction) -> None:  # it opens no connections
        self._outer = outer
        self._within = transaction

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement within the transaction, and return its rows."""
        return await self._within.run(query, **params)

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        """Run one read statement within the transaction, and return its rows. `seconds` has no effect."""
        del seconds
        return await self._within.run(query, **params)

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
        not_within(name)

    async def write_at_once(self, query: Query[R], **params: object) -> list[R]:
        """Reject the write, because it needs a separate transaction."""
        del params
        not_within(query.name)

    async def begin_transaction(
        self, name: str, begin: Callable[[Transaction], Awaitable[T]]
    ) -> tuple[AsyncExitStack, AsyncTransaction, T]:
        """Reject a transaction within another."""
        del begin
        not_within(name)

    async def define(self, statement: LiteralString, **params: object) -> None:
        """Reject a change of the schema, because it and the transaction would wait for each other."""
        del statement, params
        not_within("A change of the schema")


def not_within(name: str) -> NoReturn:
    """Raise INVALID_ARGUMENT for an operation that cannot be part of a transaction."""
    message = f"{name} cannot be done inside a transaction"
    raise invalid_argument("transaction", message, "It needs separate transactions: call it before or after this one.")
