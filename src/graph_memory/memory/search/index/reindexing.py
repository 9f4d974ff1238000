"""Completes or rebuilds an index, without a time limit. An interrupted run can be resumed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import LiteralString

from graph_memory.embedding import Embedder, EmbeddingUnavailable
from graph_memory.memory.core import Core
from graph_memory.memory.search.index.coverage import Coverage, count_unindexed, read_coverage
from graph_memory.memory.search.index.index import (
    AT_ONCE,
    MAX_VECTORS,
    WaitingRow,
    begin,
    embed,
    index_page,
    schedule_rebuild,
)
from graph_memory.memory.search.index.rows import text_to_embed
from graph_memory.model.text.analysers import ANALYSERS, LABELS, label_of
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress, silent
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.schema import ensure_analyser
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class OldVectorRow(WaitingRow):
    """A text whose vector is from another model, and the first owner of the text."""

    owner: str


REBUILT = query("search/remade", Nothing)
OF_ANOTHER_MODEL = query("search/of_another_model", OldVectorRow)
PUT_NEXT = query("search/put_next_vectors", int)
TAKE_MODEL = query("search/take_model", Nothing)
EXCHANGE_VECTORS = query("search/exchange_vectors", str)
MAX_EXCHANGED = 1_000
NEXT_ANALYSER = query("search/next_analyser", Nothing)
RELABEL = query("search/relabel", str)
TAKE_ANALYSER = query("search/take_analyser", Nothing)
MAX_RELABELLED = 2_000
"""Maximum number of passages that are moved to another index in one transaction."""


async def reindex(
    core: Core, domain: str, *, rebuild: bool, model: bool, analyser: str | None, progress: Progress
) -> Coverage:
    """Complete or rebuild the index of a domain, or change its model or analyser. See `Upkeep.reindex`."""
    new_analyser = _parse_analyser(analyser) if analyser is not None else None
    await count_unindexed(core, domain)  # raises ONTOLOGY_NOT_FOUND if the domain does not exist
    if new_analyser is not None:
        await change_analyser(core, domain, new_analyser, progress)
        return await complete(core, domain, progress)
    if model and core.embedder is not None:
        try:
            await change_model(core, domain, core.embedder, progress)
        except EmbeddingUnavailable as error:
            return await read_coverage(core, domain, error.message)
    if model or not rebuild:
        return await complete(core, domain, progress)
    await schedule_rebuild(core, domain, once=True)
    result = await complete(core, domain, progress)

    async def mark_rebuilt(transaction: Transaction) -> None:
        await transaction.run(REBUILT, domain=domain)

    await core.store.write("reindex", mark_rebuilt)
    return result


def _parse_analyser(name: str) -> LiteralString:
    for analyser in ANALYSERS:
        if analyser == name:
            return analyser
    raise invalid_argument("analyser", f"There is no analyser {printable(name)}", f"Use one of {', '.join(ANALYSERS)}.")


async def change_analyser(core: Core, domain: str, analyser: LiteralString, progress: Progress = silent) -> None:
    """Change the analyser of a domain's texts.

    Searches use the old index until the new one contains all passages.
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
    """Move passages to the indexes to which they belong, in pages."""
    after = ""

    async def attempt(transaction: Transaction) -> str | None:
        return await transaction.first_row(
            RELABEL, domain=domain, labels=list(LABELS), after=after, limit=MAX_RELABELLED
        )

    while last := await core.store.write("relabel", attempt):
        progress("Tokenizing words", None)
        after = last


async def change_model(
    core: Core, domain: str, embedder: Embedder, progress: Progress = silent, within: float = math.inf
) -> None:
    """Replace the vectors of other models by vectors of this model.

    Searches use the old vectors until all new ones are computed. After `within` seconds, the remaining vectors are left
    to the next call. Raises EmbeddingUnavailable.
    """
    model, until = embedder.model, time.monotonic() + within
    while await _embed_old_vectors(core, domain, embedder, progress, until):
        pass  # repeats for passages that were written during the last run
    if time.monotonic() > until:
        return
    await core.store.write("change_model", partial(_take_model, domain=domain, model=model))
    owner = ""

    async def exchange(transaction: Transaction) -> str | None:
        arguments = {"from": owner, "limit": MAX_EXCHANGED}
        return await transaction.first_row(EXCHANGE_VECTORS, domain=domain, model=model, **arguments)

    while (next_owner := await core.store.write("change_model", exchange)) is not None:
        owner = next_owner


async def _take_model(transaction: Transaction, domain: str, model: str) -> None:
    await transaction.run(TAKE_MODEL, domain=domain, model=model)


async def _embed_old_vectors(core: Core, domain: str, embedder: Embedder, progress: Progress, until: float) -> bool:
    """Embed the passages whose vectors are from another model. Return whether there were any."""
    model, owner, done = embedder.model, "", 0
    total = max((await read_coverage(core, domain)).open, 1)
    while time.monotonic() <= until:
        arguments: dict[str, object] = {"model": model, "from": owner, "limit": AT_ONCE}
        rows = await core.store.read(OF_ANOTHER_MODEL, domain=domain, **arguments)
        if not rows:
            return done > 0
        progress("Computing vectors", min(done / total, 1.0))
        vectors = await embedder.passages([text_to_embed(row.head, row.text) for row in rows])
        new_vectors = [{"sha256": row.sha256, "vector": vector} for row, vector in zip(rows, vectors, strict=True)]

        async def put(transaction: Transaction, made: Sequence[Mapping[str, object]] = new_vectors) -> int:
            return sum(await transaction.run(PUT_NEXT, domain=domain, rows=made, model=model, limit=MAX_VECTORS))

        while await core.store.write("put_vectors", put) == MAX_VECTORS:
            pass
        done, owner = done + len(rows), rows[-1].owner
    return False


async def complete(core: Core, domain: str, progress: Progress = silent) -> Coverage:
    """Index all missing changes of a domain. Raises ONTOLOGY_NOT_FOUND."""
    total = max(await count_unindexed(core, domain), 1)
    while await index_page(core, domain):
        progress("Indexing the log", 1 - min(await count_unindexed(core, domain) / total, 1.0))
    covered = await read_coverage(core, domain)
    waiting = max(covered.without_vectors, 1)
    while covered.reason is None and covered.without_vectors:
        progress("Computing vectors", 1 - min(covered.without_vectors / waiting, 1.0))
        covered = await read_coverage(core, domain, await embed(core, domain, time.monotonic() + 1.0))
    return covered
