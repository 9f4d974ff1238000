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
from graph_memory.memory.search.index.index import begin, catch_up
from graph_memory.memory.search.index.reindexing import change_model
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import new_id
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Store, Transaction

R = TypeVar("R")
T = TypeVar("T")

NAME = "following the logs"
"""The name of the task in the background."""
INTERVAL = 2.0
"""Seconds between two checks of the logs."""
SECONDS_PER_DOMAIN = 5.0
"""Maximum number of seconds for which one domain is indexed before the others."""
LEASE_MILLISECONDS = 30_000
"""Milliseconds without an extension after which another process may index a domain in the background."""
PAUSED_CHECKS = 15
"""Number of checks for which a domain without available vectors is skipped."""

TAKE_LEASE = query("search/lease", int)
HAS_LEASE = query("search/has_lease", bool)
BEHIND = query("search/behind", str)
_log = logging.getLogger(__name__)


class LeaseLost(Exception):  # noqa: N818 - not an error: another process continues
    """Another process has taken the lease, so nothing of this process may be written anymore."""


class FencedStore(Store):
    """A store whose writes are rolled back once another process has taken the lease of the domain's index."""

    def __init__(self, outer: Store, domain: str, lease: int) -> None:  # it opens no connections
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
        """Write as `Store.write` does, in a transaction that locks the index first. Raises LeaseLost."""

        async def work_with_lease(transaction: Transaction) -> T:
            if not await transaction.first_row(HAS_LEASE, domain=self._domain, lease=self._lease):
                raise LeaseLost
            return await work(transaction)

        return await self._outer.write(name, work_with_lease, limit=limit, in_doubt=in_doubt)


async def follow_logs(core: Core) -> None:
    """Index the domains of this process as their logs grow, until cancelled."""
    run, resting = new_id("run"), dict[str, int]()
    earlier = EARLIER.get(core.embedder.model) if core.embedder else None
    while True:
        await anyio.sleep(INTERVAL)
        try:
            for domain in await core.store.read(
                BEHIND, domains=core.log.domains, word_rules_version=WORD_RULES_VERSION, earlier=earlier
            ):
                resting[domain] = resting.get(domain, 0) - 1
                if resting[domain] < 0 and (lease := await _take_lease(core, domain, run)):
                    fenced = replace(core, store=FencedStore(core.store, domain, lease))
                    resting[domain] = PAUSED_CHECKS if await _follow(fenced, domain) else 0
            core.background.note_round(NAME)
        except GraphError as error:
            _log.info("indexing in the background: %s", error)


async def _follow(core: Core, domain: str) -> str | None:
    """Index a domain for a while, and replace vectors of the earlier model. Return why vectors are missing, or None."""
    try:
        covered = await catch_up(core, domain, within=SECONDS_PER_DOMAIN)
        if core.embedder is not None and covered.model == EARLIER.get(core.embedder.model, ""):
            await change_model(core, domain, core.embedder, within=SECONDS_PER_DOMAIN)
    except EmbeddingUnavailable as error:
        return error.message
    except LeaseLost:
        return None
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:  # the domain was deleted
            raise
        return None
    return covered.reason


async def _take_lease(core: Core, domain: str, run: str) -> int | None:
    """Take or extend the lease of a domain's index, which is begun if there is none.

    Returns the number of the lease, which grows with each take-over, or None if another process has it.
    """

    async def take(transaction: Transaction) -> int | None:
        return await transaction.first_row(TAKE_LEASE, domain=domain, run=run, milliseconds=LEASE_MILLISECONDS)

    if (lease := await core.store.write("lease", take)) is None:
        await begin(core, domain)
        lease = await core.store.write("lease", take)
    return lease or None
