"""How much of what answers a question is found: any search, beside plain BM25, vectors and their rank fusion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import mean

import anyio.to_thread

from benchmarks.ranking_study import Index, Ranking, embedded, plainly, recall
from benchmarks.retrieval_data import Store

Search = Callable[[str, str, int], Awaitable[Sequence[str]]]
"""The best of a domain for a question, at most so many: `await search(domain, question, k)` gives ids of entries."""
PLAIN = {"BM25, English": "bm25", "vectors": "vector", "their reciprocal rank fusion": "rrf"}


async def retrieval(searches: Mapping[str, Search], asked: Sequence[Store]) -> str:
    """Return a table of the recall of searches, and of the three that each is to beat, on the same questions.

    The first is the search itself, others are it with something changed: their lines say by how much. A store is a
    domain of the same name, and holds its entries under their ids.
    """
    lines = {name: await found(search, asked) for name, search in searches.items()}
    indexes = [Index(store, await embedded(store)) for store in asked]
    for name, side in PLAIN.items():
        lines[name] = await anyio.to_thread.run_sync(recall, indexes, plainly(side))
    return table(lines, asked)


async def found(search: Search, asked: Sequence[Store]) -> dict[str, float]:
    """Return the recall of a search on each set of questions, in points."""
    points: dict[str, list[float]] = {}
    for store in asked:
        for question in store.questions:
            first = set((await search(store.name, question.text, store.k))[: store.k])
            points.setdefault(store.set, []).append(100 * len(question.answers & first) / len(question.answers))
    return {name: mean(values) for name, values in points.items()}


def table(lines: Mapping[str, Mapping[str, float]], asked: Sequence[Store]) -> str:
    """Return a table of recalls; behind each of all but the first, the difference to it."""
    columns = {store.set: f"{store.set}, recall@{store.k}" for store in asked}
    rows = ["| | " + " | ".join(columns.values()) + " |", "|---|" + "--:|" * len(columns)]
    best = next(iter(lines.values()))
    for name, points in lines.items():
        cells = (
            f"{points[each]:.1f}" + ("" if points is best else f" ({points[each] - best[each]:+.1f})")
            for each in columns
        )
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def in_memory(indexes: Mapping[str, Index], ranked: Ranking) -> Search:
    """Return a ranking in memory as a search, to compare the tool with."""

    async def search(domain: str, question: str, k: int) -> Sequence[str]:
        index = indexes[domain]
        asked = next(each for each in index.store.questions if each.text == question)
        return ranked(index, asked)[:k]

    return search
