"""Finds the nodes that texts mention, by names in the query and in the texts of the best units."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from graph_memory.memory.search.ranking.ranking import Ranked, hop, seeds
from graph_memory.memory.search.ranking.scoring import Scored
from graph_memory.memory.search.retrieval.retrieval import NameRow, Scope, find_names, texts_of
from graph_memory.memory.search.text.names import Mention, find_mentions, is_common

Admit = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""Returns the nodes that match the filters of the search, among nodes found only by their names."""


async def owners_of_names(rows: Sequence[NameRow], texts: int, admit: Admit) -> dict[str, tuple[str, ...]]:
    """Return the owners of names that occur in a text, each with those names. Common names are ignored."""
    owners_by_name = _rare_names(rows, texts)
    admitted = await admit({owner for owners in owners_by_name.values() for owner in owners})
    names_by_owner: dict[str, list[str]] = {}
    for name, owners in owners_by_name.items():
        for owner in owners:
            if owner in admitted:
                names_by_owner.setdefault(owner, []).append(name)
    return {owner: tuple(names) for owner, names in names_by_owner.items()}


async def spread_scores(
    scope: Scope, ranked: Sequence[Ranked], scored: Mapping[str, Scored], texts: int, admit: Admit
) -> list[Ranked]:
    """Return the ranking after the best units have passed a share of their scores on to the units that they mention."""
    best = [seed.owner for seed in seeds(ranked)]
    if not best:
        return list(ranked)
    text_by_owner = await texts_of(scope, best)
    for seed in seeds(ranked):
        if seed.best is not None and (passage := scored.get(seed.best.passage)) is not None:
            text_by_owner[seed.owner] = f"{text_by_owner.get(seed.owner, '')} {passage.passage.text}"
    rows = await find_names(scope, "\n".join(text_by_owner.values()))
    owners_by_name = _rare_names(rows, texts)
    admitted = await admit({owner for owners in owners_by_name.values() for owner in owners})
    names = {
        name: kept
        for name, owners in owners_by_name.items()
        if (kept := [owner for owner in owners if owner in admitted])
    }
    mentions: dict[str, Mapping[str, Mention]] = {
        owner: find_mentions(text, names) for owner, text in text_by_owner.items()
    }
    return hop(ranked, mentions)


def _rare_names(rows: Sequence[NameRow], texts: int) -> dict[str, list[str]]:
    return {row.name: row.owners for row in rows if not is_common(row.having, texts)}
