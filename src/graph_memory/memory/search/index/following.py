"""Indexes the logs in the background of long-running processes, so that searches rarely have to wait."""

from __future__ import annotations

import logging

import anyio

from graph_memory.embedding import EARLIER, EmbeddingUnavailable
from graph_memory.memory.core import Core
from graph_memory.memory.search.index.coverage import WORD_RULES_VERSION
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.index.reindexing import change_model
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import new_id
from graph_memory.storage.queries import query
from graph_memory.storage.store import Transaction

NAME = "following the logs"
"""The name of the task in the background."""
INTERVAL = 2.0
"""Seconds between two checks of the logs."""
SECONDS_PER_DOMAIN = 5.0
"""Maximum number of seconds for which one domain is indexed before the others."""
LEASE_MILLISECONDS = 30_000
"""Milliseconds after which another process may index a domain in the background."""
PAUSED_CHECKS = 15
"""Number of checks for which a domain without available vectors is skipped."""

TAKE_LEASE = query("search/lease", bool)
BEHIND = query("search/behind", str)
_log = logging.getLogger(__name__)


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
                if resting[domain] < 0 and await _take_lease(core, domain, run):
                    resting[domain] = PAUSED_CHECKS if await _follow(core, domain) else 0
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
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:  # the domain was deleted
            raise
        return None
    return covered.reason


async def _take_lease(core: Core, domain: str, run: str) -> bool:
    """Try to take the lease of a domain's index. Return whether this process may index, also without an index."""

    async def take(transaction: Transaction) -> bool:
        return (
            await transaction.first_row(TAKE_LEASE, domain=domain, run=run, milliseconds=LEASE_MILLISECONDS)
            is not False
        )

    return await core.store.write("lease", take)
