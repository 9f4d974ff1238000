"""Whom texts mention: names that stand in the question, and in the texts of the best."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from graph_memory.memory.search.ranking.ranking import Ranked, hop, seeds
from graph_memory.memory.search.ranking.scoring import Scored
from graph_memory.memory.search.retrieval.retrieval import NameRow, Scope, names_in, texts_of
from graph_memory.memory.search.text.names import Mention, is_common, mentioned

Admit = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""Says who of those that only a name brings in is what hits must be."""


async def named(rows: Sequence[NameRow], texts: int, admit: Admit) -> dict[str, tuple[str, ...]]:
    """Return who bears names that stand in a text, each with these; common names say nothing."""
    rendered = _telling(rows, texts)
    admitted = await admit({owner for owners in rendered.values() for owner in owners})
    found: dict[str, list[str]] = {}
    for name, owners in rendered.items():
        for owner in owners:
            if owner in admitted:
                found.setdefault(owner, []).append(name)
    return {owner: tuple(names) for owner, names in found.items()}


async def hopped(
    scope: Scope, ranked: Sequence[Ranked], scored: Mapping[str, Scored], texts: int, admit: Admit
) -> list[Ranked]:
    """Return the ranking after the best have passed something on to those that their whole texts mention."""
    best = [seed.owner for seed in seeds(ranked)]
    if not best:
        return list(ranked)
    whole = await texts_of(scope, best)
    for each in seeds(ranked):
        if each.best is not None and (shown := scored.get(each.best.passage)) is not None:
            whole[each.owner] = f"{whole.get(each.owner, '')} {shown.passage.text}"
    rows = await names_in(scope, "\n".join(whole.values()))
    rendered = _telling(rows, texts)
    admitted = await admit({owner for owners in rendered.values() for owner in owners})
    names = {
        name: kept for name, owners in rendered.items() if (kept := [owner for owner in owners if owner in admitted])
    }
    mentions: dict[str, Mapping[str, Mention]] = {owner: mentioned(text, names) for owner, text in whole.items()}
    return hop(ranked, mentions)


def _telling(rows: Sequence[NameRow], texts: int) -> dict[str, list[str]]:
    return {row.name: row.owners for row in rows if not is_common(row.having, texts)}
