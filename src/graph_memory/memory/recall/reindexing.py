"""Making an index complete, or anew: as long as it takes, and to be taken up again where it was cut off."""

from __future__ import annotations

import time

from graph_memory.memory.core import Core
from graph_memory.memory.recall.index import DELETED_AT_ONCE, Coverage, behind, coverage, embed, index_page, make_anew
from graph_memory.progress import Progress, silent
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Transaction

REMADE = query("recall/remade", Nothing)
CHANGE_MODEL = query("recall/change_model", int)


async def reindex(core: Core, domain: str, *, anew: bool, model: bool, progress: Progress) -> Coverage:
    """Make the index of a domain complete, anew, or its vectors by another model. `Upkeep.reindex` tells the rest."""
    await behind(core, domain)  # of a domain that exists
    if model and core.embedder is not None:
        await change_model(core, domain, core.embedder.model)
    if model or not anew:
        return await complete(core, domain, progress)
    await make_anew(core, domain, once=True)
    covered = await complete(core, domain, progress)

    async def note(transaction: Transaction) -> None:
        await transaction.run(REMADE, domain=domain)

    await core.store.write("reindex", note)
    return covered


async def change_model(core: Core, domain: str, model: str) -> None:
    """Have the vectors of a domain that other models made, made anew by this one."""

    async def change(transaction: Transaction) -> int:
        return sum(await transaction.run(CHANGE_MODEL, domain=domain, model=model, limit=DELETED_AT_ONCE))

    while await core.store.write("change_model", change):
        pass


async def complete(core: Core, domain: str, progress: Progress = silent) -> Coverage:
    """Index what a domain's index lacks, however long that takes. Raises ONTOLOGY_NOT_FOUND."""
    total = max(await behind(core, domain), 1)
    while await index_page(core, domain):
        progress("Indexing the log", 1 - min(await behind(core, domain) / total, 1.0))
    covered = await coverage(core, domain)
    waiting = max(covered.without_vectors, 1)
    while covered.reason is None and covered.without_vectors:
        progress("Making vectors", 1 - min(covered.without_vectors / waiting, 1.0))
        covered = await coverage(core, domain, await embed(core, domain, time.monotonic() + 1.0))
    return covered
