"""Making an index complete, or anew: as long as it takes, and to be taken up again where it was cut off."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import LiteralString

from graph_memory.embedding import Embedder, EmbeddingUnavailable
from graph_memory.memory.core import Core
from graph_memory.memory.search.index.coverage import Coverage, count_unindexed, coverage
from graph_memory.memory.search.index.index import (
    AT_ONCE,
    PUT_AT_ONCE,
    WaitingRow,
    begin,
    embed,
    index_page,
    make_anew,
)
from graph_memory.memory.search.index.rows import embedded
from graph_memory.model.text.analysers import ANALYSERS, LABELS, label_of
from graph_memory.model.text.wording import shown
from graph_memory.model.values.arguments import fault
from graph_memory.progress import Progress, silent
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.schema import ensure_analyser
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class AnotherRow(WaitingRow):
    """A text whose vector another model made, and the first that says it."""

    owner: str


REMADE = query("search/remade", Nothing)
OF_ANOTHER_MODEL = query("search/of_another_model", AnotherRow)
PUT_NEXT = query("search/put_next_vectors", int)
TAKE_MODEL = query("search/take_model", Nothing)
EXCHANGE_VECTORS = query("search/exchange_vectors", str)
EXCHANGED_AT_ONCE = 1_000
NEXT_ANALYSER = query("search/next_analyser", Nothing)
RELABEL = query("search/relabel", str)
TAKE_ANALYSER = query("search/take_analyser", Nothing)
RELABELLED_AT_ONCE = 2_000
"""Maximum number of passages that are put into another index in one transaction."""


async def reindex(
    core: Core, domain: str, *, anew: bool, model: bool, analyser: str | None, progress: Progress
) -> Coverage:
    """Make the index of a domain complete, anew, or for another model or analyser. `Upkeep.reindex` tells the rest."""
    wanted = _analyser(analyser) if analyser is not None else None
    await count_unindexed(core, domain)  # of a domain that exists
    if wanted is not None:
        await change_analyser(core, domain, wanted, progress)
        return await complete(core, domain, progress)
    if model and core.embedder is not None:
        try:
            await change_model(core, domain, core.embedder, progress)
        except EmbeddingUnavailable as error:
            return await coverage(core, domain, error.message)
    if model or not anew:
        return await complete(core, domain, progress)
    await make_anew(core, domain, once=True)
    covered = await complete(core, domain, progress)

    async def note(transaction: Transaction) -> None:
        await transaction.run(REMADE, domain=domain)

    await core.store.write("reindex", note)
    return covered


def _analyser(name: str) -> LiteralString:
    for analyser in ANALYSERS:
        if analyser == name:
            return analyser
    raise fault("analyser", f"There is no analyser {shown(name)}", f"There are {', '.join(ANALYSERS)}.")


async def change_analyser(core: Core, domain: str, analyser: LiteralString, progress: Progress = silent) -> None:
    """Have the words of a domain read by another analyser.

    Until all passages are in its index, they are in the one before as well, where searches find them.
    """
    label = label_of(analyser)
    await ensure_analyser(core.store, analyser)
    await begin(core, domain, analyser)

    async def announce(transaction: Transaction) -> None:
        await transaction.run(NEXT_ANALYSER, domain=domain, label=label)

    async def take(transaction: Transaction) -> None:
        await transaction.run(TAKE_ANALYSER, domain=domain, label=label)

    await core.store.write("change_analyser", announce)
    await _relabel(core, domain, progress)
    await core.store.write("change_analyser", take)
    await _relabel(core, domain, progress)


async def _relabel(core: Core, domain: str, progress: Progress) -> None:
    """Have each passage be in the indexes that it should be in, some at a time."""
    after = ""

    async def attempt(transaction: Transaction) -> str | None:
        return await transaction.one(RELABEL, domain=domain, labels=list(LABELS), after=after, limit=RELABELLED_AT_ONCE)

    while last := await core.store.write("relabel", attempt):
        progress("Reading words anew", None)
        after = last


async def change_model(
    core: Core, domain: str, embedder: Embedder, progress: Progress = silent, within: float = math.inf
) -> None:
    """Have the vectors of a domain that other models made, made anew by this one, and then exchanged.

    Until all are there, they stand beside those that searches compare. After `within` seconds the rest is left to the
    next call. Raises EmbeddingUnavailable.
    """
    model, until = embedder.model, time.monotonic() + within
    while await _embed_anew(core, domain, embedder, progress, until):
        pass  # what was written meanwhile
    if time.monotonic() > until:
        return
    await core.store.write("change_model", partial(_take_model, domain=domain, model=model))
    last = ""

    async def exchange(transaction: Transaction) -> str | None:
        arguments = {"from": last, "limit": EXCHANGED_AT_ONCE}
        return await transaction.one(EXCHANGE_VECTORS, domain=domain, model=model, **arguments)

    while (found := await core.store.write("change_model", exchange)) is not None:
        last = found


async def _take_model(transaction: Transaction, domain: str, model: str) -> None:
    await transaction.run(TAKE_MODEL, domain=domain, model=model)


async def _embed_anew(core: Core, domain: str, embedder: Embedder, progress: Progress, until: float) -> bool:
    """Embed the passages whose vectors come from another model. Return whether there were any."""
    model, owner, done = embedder.model, "", 0
    total = max((await coverage(core, domain)).open, 1)
    while time.monotonic() <= until:
        arguments: dict[str, object] = {"model": model, "from": owner, "limit": AT_ONCE}
        rows = await core.store.read(OF_ANOTHER_MODEL, domain=domain, **arguments)
        if not rows:
            return done > 0
        progress("Making vectors", min(done / total, 1.0))
        vectors = await embedder.passages([embedded(row.head, row.text) for row in rows])
        made = [{"sha256": row.sha256, "vector": vector} for row, vector in zip(rows, vectors, strict=True)]

        async def put(transaction: Transaction, made: Sequence[Mapping[str, object]] = made) -> int:
            return sum(await transaction.run(PUT_NEXT, domain=domain, rows=made, model=model, limit=PUT_AT_ONCE))

        while await core.store.write("put_vectors", put) == PUT_AT_ONCE:
            pass
        done, owner = done + len(rows), rows[-1].owner
    return False


async def complete(core: Core, domain: str, progress: Progress = silent) -> Coverage:
    """Index what a domain's index lacks, however long that takes. Raises ONTOLOGY_NOT_FOUND."""
    total = max(await count_unindexed(core, domain), 1)
    while await index_page(core, domain):
        progress("Indexing the log", 1 - min(await count_unindexed(core, domain) / total, 1.0))
    covered = await coverage(core, domain)
    waiting = max(covered.without_vectors, 1)
    while covered.reason is None and covered.without_vectors:
        progress("Making vectors", 1 - min(covered.without_vectors / waiting, 1.0))
        covered = await coverage(core, domain, await embed(core, domain, time.monotonic() + 1.0))
    return covered
