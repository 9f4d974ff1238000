"""How much of what answers a question is found: any search, beside plain BM25, vectors and their rank fusion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import mean

import anyio.to_thread

from benchmarks.ranking_study import Index, Ranking, embed_texts, plainly, recall
from benchmarks.retrieval_data import Store

Search = Callable[[str, str, int], Awaitable[Sequence[str]]]
"""The best of a domain for a question, at most so many: `await search(domain, question, k)` gives ids of entries."""
PLAIN = {"BM25, English": "bm25", "vectors": "vector", "their reciprocal rank fusion": "rrf"}


async def retrieval(searches: Mapping[str, Search], stores: Sequence[Store]) -> str:
    """Return a table of the recall of searches, and of three rankings to beat, on the same questions.

    The first is the search itself, others are variants of it: their lines say by how much. A store is a
    domain of the same name, and holds its entries under their ids.
    """
    lines = {name: await measure_recall(search, stores) for name, search in searches.items()}
    indexes = [Index(store, await embed_texts(store)) for store in stores]
    for name, side in PLAIN.items():
        lines[name] = await anyio.to_thread.run_sync(recall, indexes, plainly(side))
    return table(lines, stores)


async def measure_recall(search: Search, stores: Sequence[Store]) -> dict[str, float]:
    """Return the recall of a search on each set of questions, in points."""
    points: dict[str, list[float]] = {}
    for store in stores:
        for question in store.questions:
            first = set((await search(store.name, question.text, store.k))[: store.k])
            points.setdefault(store.set, []).append(100 * len(question.answers & first) / len(question.answers))
    return {name: mean(values) for name, values in points.items()}


def table(lines: Mapping[str, Mapping[str, float]], stores: Sequence[Store]) -> str:
    """Return a table of recalls; behind each of all but the first, the difference to it."""
    columns = {store.set: f"{store.set}, recall@{store.k}" for store in stores}
    rows = ["| | " + " | ".join(columns.values()) + " |", "|---|" + "--:|" * len(columns)]
    best = next(iter(lines.values()))
    for name, points in lines.items():
        cells = (
            f"{points[column]:.1f}" + ("" if points is best else f" ({points[column] - best[column]:+.1f})")
            for column in columns
        )
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def in_memory(indexes: Mapping[str, Index], ranked: Ranking) -> Search:
    """Return a ranking in memory as a search, to compare the tool with."""

    async def search(domain: str, question: str, k: int) -> Sequence[str]:
        index = indexes[domain]
        result = next(candidate for candidate in index.store.questions if candidate.text == question)
        return ranked(index, result)[:k]

    return search
