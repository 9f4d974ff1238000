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
    begin_index,
    embed_pending,
    index_page,
    schedule_rebuild,
)
from graph_memory.memory.search.index.rows import text_to_embed
from graph_memory.model.text.analysers import ANALYSERS, LABELS, label_of
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress, log_progress
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.schema import ensure_analyser
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class OldVectorRow(WaitingRow):
    """A text whose vector is from another model, and the first owner of the text."""

    owner: str


REBUILT = query("search/remade", NoRow)
OF_ANOTHER_MODEL = query("search/of_another_model", OldVectorRow)
PUT_NEXT = query("search/put_next_vectors", int)
TAKE_MODEL = query("search/take_model", NoRow)
EXCHANGE_VECTORS = query("search/exchange_vectors", str)
MAX_EXCHANGED = 1_000
NEXT_ANALYSER = query("search/next_analyser", NoRow)
RELABEL = query("search/relabel", str)
TAKE_ANALYSER = query("search/take_analyser", NoRow)
MAX_RELABELLED = 2_000
"""Maximum number of passages moved to another index in one transaction."""


async def reindex(
    core: Core, domain: str, *, rebuild: bool, model: bool, analyser: str | None, progress: Progress
) -> Coverage:
    """Complete or rebuild a domain's index, or change its model or analyser. See `Upkeep.reindex`."""
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
    raise invalid_argument("analyser", f"{quote(name)} is not an analyser", f"Use one of {', '.join(ANALYSERS)}.")


async def change_analyser(core: Core, domain: str, analyser: LiteralString, progress: Progress = log_progress) -> None:
    """Change the analyser for a domain's texts.

    Searches use the old index until the new index contains all passages.
    """
    label = label_of(analyser)
    await ensure_analyser(core.store.of(domain), analyser)
    await begin_index(core, domain, analyser)

    async def announce(transaction: Transaction) -> None:
        await transaction.run(NEXT_ANALYSER, domain=domain, label=label)

    async def use_analyser(transaction: Transaction) -> None:
        await transaction.run(TAKE_ANALYSER, domain=domain, label=label)

    await core.store.write("change_analyser", announce)
    await _relabel(core, domain, progress)
    await core.store.write("change_analyser", use_analyser)
    await _relabel(core, domain, progress)


async def _relabel(core: Core, domain: str, progress: Progress) -> None:
    """Move a domain's passages to the full-text indexes of its analysers, page by page."""
    after = ""

    async def attempt(transaction: Transaction) -> str | None:
        return await transaction.first_row(
            RELABEL, domain=domain, labels=list(LABELS), after=after, limit=MAX_RELABELLED
        )

    while last_id := await core.store.write("relabel", attempt):
        progress("Tokenizing words", None)
        after = last_id


async def change_model(
    core: Core, domain: str, embedder: Embedder, progress: Progress = log_progress, within: float = math.inf
) -> None:
    """Replace the vectors of other models with vectors from `embedder`.

    Searches use the old vectors until all new vectors are computed. After `within` seconds, the remaining vectors are
    left to the next call. Raises EmbeddingUnavailable if the model fails.
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
    """Embed the passages whose vectors are from another model.

    Returns True if there were such passages and all of them are now embedded. Other processes may have written more of
    them meanwhile, so the caller must call again.
    """
    model, owner, embedded_count = embedder.model, "", 0
    total = max((await read_coverage(core, domain)).open, 1)
    while time.monotonic() <= until:
        arguments: dict[str, object] = {"model": model, "from": owner, "limit": AT_ONCE}
        rows = await core.store.read(OF_ANOTHER_MODEL, domain=domain, **arguments)
        if not rows:
            return embedded_count > 0
        progress("Computing vectors", min(embedded_count / total, 1.0))
        vectors = await embedder.passages([text_to_embed(row.head, row.text) for row in rows])
        new_vectors = [{"sha256": row.sha256, "vector": vector} for row, vector in zip(rows, vectors, strict=True)]

        async def store_vectors(
            transaction: Transaction, vector_rows: Sequence[Mapping[str, object]] = new_vectors
        ) -> int:
            return sum(await transaction.run(PUT_NEXT, domain=domain, rows=vector_rows, model=model, limit=MAX_VECTORS))

        while await core.store.write("put_vectors", store_vectors) == MAX_VECTORS:
            pass
        embedded_count, owner = embedded_count + len(rows), rows[-1].owner
    return False


async def complete(core: Core, domain: str, progress: Progress = log_progress) -> Coverage:
    """Index all missing changes of a domain, then compute the missing vectors. Return the coverage.

    Raises ONTOLOGY_NOT_FOUND if the domain does not exist.
    """
    total = max(await count_unindexed(core, domain), 1)
    while await index_page(core, domain):
        progress("Indexing the log", 1 - min(await count_unindexed(core, domain) / total, 1.0))
    index_coverage = await read_coverage(core, domain)
    initially_waiting = max(index_coverage.without_vectors, 1)
    while index_coverage.reason is None and index_coverage.without_vectors:
        progress("Computing vectors", 1 - min(index_coverage.without_vectors / initially_waiting, 1.0))
        index_coverage = await read_coverage(core, domain, await embed_pending(core, domain, time.monotonic() + 1.0))
    return index_coverage
