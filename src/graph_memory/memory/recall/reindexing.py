"""Making an index complete, or anew: as long as it takes, and to be taken up again where it was cut off."""

from __future__ import annotations

import time

from graph_memory.memory.core import Core
from graph_memory.memory.recall.index import DELETED_AT_ONCE, Coverage, coverage, embed, index_page
from graph_memory.progress import Progress, silent
from graph_memory.storage.queries import Nothing, Query, query
from graph_memory.storage.store import Transaction

RESET = query("recall/reset", Nothing)
REMADE = query("recall/remade", Nothing)
CHANGE_MODEL = query("recall/change_model", int)


async def reindex(core: Core, domain: str, *, anew: bool, model: bool, progress: Progress) -> Coverage:
    """Make the index of a domain complete, anew, or its vectors by another model. `Upkeep.reindex` tells the rest."""
    await coverage(core, domain)
    if model and core.embedder is not None:
        await change_model(core, domain, core.embedder.model)
    if model or not anew:
        return await complete(core, domain, progress)
    await make_anew(core, domain)
    covered = await complete(core, domain, progress)
    await _run(core, REMADE, domain)
    return covered


async def make_anew(core: Core, domain: str) -> None:
    """Have the index of a domain made anew by whoever follows its log, unless it is being made anew already."""
    await _run(core, RESET, domain)


async def _run(core: Core, statement: Query[Nothing], domain: str) -> None:
    async def attempt(transaction: Transaction) -> None:
        await transaction.run(statement, domain=domain)

    await core.store.write("reindex", attempt)


async def change_model(core: Core, domain: str, model: str) -> None:
    """Have the vectors of a domain that other models made, made anew by this one."""

    async def change(transaction: Transaction) -> int:
        return sum(await transaction.run(CHANGE_MODEL, domain=domain, model=model, limit=DELETED_AT_ONCE))

    while await core.store.write("change_model", change):
        pass


async def complete(core: Core, domain: str, progress: Progress = silent) -> Coverage:
    """Index what a domain's index lacks, however long that takes. Raises ONTOLOGY_NOT_FOUND."""
    first = await coverage(core, domain)
    total = max(first.behind, 1)
    while await index_page(core, domain):
        left = (await coverage(core, domain)).behind
        progress("Indexing the log", 1 - min(left / total, 1.0))
    waiting = max((await coverage(core, domain)).without_vectors, 1)
    reason = None
    while reason is None and (left := (await coverage(core, domain)).without_vectors):
        progress("Making vectors", 1 - min(left / waiting, 1.0))
        reason = await embed(core, domain, time.monotonic() + 1.0)
    return await coverage(core, domain, reason)
