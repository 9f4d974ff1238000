"""Following the logs behind the calls, in a process that stays, so that a search seldom has to wait."""

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

EVERY = 2.0
"""Seconds between two looks at the logs."""
AT_ONCE = 5.0
"""Seconds for which one domain is indexed before the others have their turn."""
LEASE = 30_000
"""Milliseconds after which somebody else may index a domain behind the calls."""
PAUSE = 15
"""Looks for which a domain rests whose vectors cannot be had."""

LEASE_OF = query("search/lease", bool)
BEHIND = query("search/behind", str)
_log = logging.getLogger(__name__)


async def follow_logs(core: Core) -> None:
    """Index the domains that this process works in, as their logs go on, until it is cancelled."""
    run, resting = new_id("run"), dict[str, int]()
    earlier = EARLIER.get(core.embedder.model) if core.embedder else None
    while True:
        await anyio.sleep(EVERY)
        try:
            for domain in await core.store.read(
                BEHIND, domains=core.log.domains, word_rules_version=WORD_RULES_VERSION, earlier=earlier
            ):
                resting[domain] = resting.get(domain, 0) - 1
                if resting[domain] < 0 and await _is_ours(core, domain, run):
                    resting[domain] = PAUSE if await _follow(core, domain) else 0
        except GraphError as error:
            _log.info("following the logs: %s", error)


async def _follow(core: Core, domain: str) -> str | None:
    """Index a domain for a while, and replace vectors of the earlier model. Return why vectors are missing, if any."""
    try:
        covered = await catch_up(core, domain, within=AT_ONCE)
        if core.embedder is not None and covered.model == EARLIER.get(core.embedder.model, ""):
            await change_model(core, domain, core.embedder, within=AT_ONCE)
    except EmbeddingUnavailable as error:
        return error.message
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:  # it was deleted
            raise
        return None
    return covered.reason


async def _is_ours(core: Core, domain: str, run: str) -> bool:
    """Take the lease of a domain's index. One that has none yet is anybody's."""

    async def take(transaction: Transaction) -> bool:
        return await transaction.one(LEASE_OF, domain=domain, run=run, milliseconds=LEASE) is not False

    return await core.store.write("lease", take)
