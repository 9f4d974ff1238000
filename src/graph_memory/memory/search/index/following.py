"""Indexes the logs in the background of long-running processes, so that searches rarely have to wait."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import anyio

from graph_memory.embedding import EARLIER, EmbeddingUnavailable
from graph_memory.memory.core import Core
from graph_memory.memory.search.index.coverage import WORD_RULES_VERSION
from graph_memory.memory.search.index.index import begin_index, catch_up
from graph_memory.memory.search.index.reindexing import change_model
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import new_id
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Store, Transaction

R = TypeVar("R")
T = TypeVar("T")

NAME = "following the logs"
"""The name of the background task."""
INTERVAL = 2.0
"""Number of seconds between two checks of the logs."""
SECONDS_PER_DOMAIN = 5.0
"""Maximum number of seconds for indexing one domain before the next domain."""
LEASE_MILLISECONDS = 30_000
"""Number of milliseconds after which a lease expires unless it is extended. Then another process can take it."""
PAUSED_CHECKS = 15
"""Number of checks that skip a domain after its vectors could not be computed."""

TAKE_LEASE = query("search/lease", int)
HAS_LEASE = query("search/has_lease", bool)
BEHIND = query("search/behind", str)
_log = logging.getLogger(__name__)


class LeaseLost(Exception):  # noqa: N818 - not an error: another process continues
    """Raised if another process has taken the lease, so that this process must not write to the index any more."""


class FencedStore(Store):
    """A store whose writes are rolled back if another process has taken the lease of the domain's index."""

    def __init__(self, outer: Store, domain: str, lease: int) -> None:  # the base class would open connections
        self._outer = outer
        self._domain = domain
        self._lease = lease

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows."""
        return await self._outer.read(query, **params)

    async def write(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        limit: float | None = None,
        in_doubt: bool = False,
    ) -> T:
        """Write like `Store.write`, in a transaction that first locks the index.

        Raises LeaseLost if another process has taken the lease.
        """

        async def work_with_lease(transaction: Transaction) -> T:
            if not await transaction.first_row(HAS_LEASE, domain=self._domain, lease=self._lease):
                raise LeaseLost
            return await work(transaction)

        return await self._outer.write(name, work_with_lease, limit=limit, in_doubt=in_doubt)


async def follow_logs(core: Core) -> None:
    """Index the domains of this process as their logs grow, until cancelled."""
    run_id, checks_to_skip = new_id("run"), dict[str, int]()
    earlier_model = EARLIER.get(core.embedder.model) if core.embedder else None
    while True:
        await anyio.sleep(INTERVAL)
        try:
            for domain in await core.store.read(
                BEHIND, domains=core.log.domains, word_rules_version=WORD_RULES_VERSION, earlier=earlier_model
            ):
                checks_to_skip[domain] = checks_to_skip.get(domain, 0) - 1
                if checks_to_skip[domain] < 0 and (lease := await _take_lease(core, domain, run_id)):
                    fenced = replace(core, store=FencedStore(core.store, domain, lease))
                    checks_to_skip[domain] = PAUSED_CHECKS if await _follow(fenced, domain) else 0
            core.background.record_round(NAME)
        except GraphError as error:
            _log.info("indexing in the background: %s", error)


async def _follow(core: Core, domain: str) -> str | None:
    """Index a domain for a limited time, and replace the vectors of an earlier model.

    Returns the reason if vectors could not be computed, otherwise None.
    """
    try:
        index_coverage = await catch_up(core, domain, within=SECONDS_PER_DOMAIN)
        if core.embedder is not None and index_coverage.model == EARLIER.get(core.embedder.model, ""):
            await change_model(core, domain, core.embedder, within=SECONDS_PER_DOMAIN)
    except EmbeddingUnavailable as error:
        return error.message
    except LeaseLost:
        return None
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:  # the domain was deleted
            raise
        return None
    return index_coverage.reason


async def _take_lease(core: Core, domain: str, run_id: str) -> int | None:
    """Take or extend the lease of a domain's index. A missing index is created first.

    Returns the number of the lease, which increases with each take-over, or None if another process holds the lease.
    """

    async def take_lease(transaction: Transaction) -> int | None:
        return await transaction.first_row(TAKE_LEASE, domain=domain, run=run_id, milliseconds=LEASE_MILLISECONDS)

    if (lease := await core.store.write("lease", take_lease)) is None:
        await begin_index(core, domain)
        lease = await core.store.write("lease", take_lease)
    return lease or None
