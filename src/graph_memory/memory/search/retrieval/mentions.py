"""Finds the nodes whose names occur in the query or in the texts of the best units."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from graph_memory.memory.search.ranking.ranking import RankedUnit, pass_on_scores, seeds
from graph_memory.memory.search.ranking.scoring import ScoredPassage
from graph_memory.memory.search.retrieval.node_filter import NodeFilter
from graph_memory.memory.search.retrieval.ranking_features import find_tool_outputs
from graph_memory.memory.search.retrieval.retrieval import NameRow, Scope, find_names, read_passages_of, texts_of
from graph_memory.memory.search.text.names import Mention, find_mentions, is_common
from graph_memory.model.values.arguments import UNLIMITED

Admit = Callable[[Collection[str]], Awaitable[frozenset[str]]]
"""A filter for nodes with matching names. Returns those ids whose nodes match the search's filters."""


async def owners_of_names(rows: Sequence[NameRow], text_count: int, admit: Admit) -> dict[str, tuple[str, ...]]:
    """Return the names, grouped by the nodes that have them. Common names and filtered nodes are omitted."""
    names_by_owner: dict[str, list[str]] = {}
    for name, owners in (await _admitted_owners(rows, text_count, admit)).items():
        for owner in owners:
            names_by_owner.setdefault(owner, []).append(name)
    return {owner: tuple(names) for owner, names in names_by_owner.items()}


async def spread_scores(
    scope: Scope, ranked: Sequence[RankedUnit], scored: Mapping[str, ScoredPassage], text_count: int, admit: Admit
) -> list[RankedUnit]:
    """Return the ranking after the best units have passed a share of their scores on to the units that they mention."""
    best = [seed.owner for seed in seeds(ranked)]
    if not best:
        return list(ranked)
    text_by_owner = await texts_of(scope, best)
    for seed in seeds(ranked):
        if seed.best is not None and (passage := scored.get(seed.best.passage)) is not None:
            text_by_owner[seed.owner] = f"{text_by_owner.get(seed.owner, '')} {passage.passage.text}"
    rows = await find_names(scope, "\n".join(text_by_owner.values()))
    owners_by_name = await _admitted_owners(rows, text_count, admit)
    mentions: dict[str, Mapping[str, Mention]] = {
        owner: find_mentions(text, owners_by_name) for owner, text in text_by_owner.items()
    }
    return pass_on_scores(ranked, mentions)


async def _admitted_owners(rows: Sequence[NameRow], text_count: int, admit: Admit) -> dict[str, list[str]]:
    """Return the admitted owners of each name that is not common. Names without such owners are omitted."""
    owners_by_name = {row.name: row.owners for row in rows if not is_common(row.having, text_count)}
    admitted = await admit({owner for owners in owners_by_name.values() for owner in owners})
    admitted_by_name = {
        name: [owner for owner in owners if owner in admitted] for name, owners in owners_by_name.items()
    }
    return {name: owners for name, owners in admitted_by_name.items() if owners}


def make_name_filter(
    scope: Scope, node_filter: NodeFilter, scored_units: Collection[str], tool_outputs: Collection[str]
) -> Admit:
    """Return a function that filters nodes with matching names. It rejects nodes that contain tool output."""

    async def admit(owners: Collection[str]) -> frozenset[str]:
        unknown_owners = frozenset(owners).difference(scored_units)
        unscored_owners = sorted(unknown_owners.difference(await find_tool_outputs(scope, unknown_owners)))
        trusted = frozenset(owners).intersection(scored_units).difference(tool_outputs)
        if scope.filters.is_empty or not unscored_owners:
            return trusted.union(unscored_owners)
        matching = {
            passage.owner
            for passage in await read_passages_of(scope, unscored_owners, None, UNLIMITED)
            if scope.accepts(passage)
        }
        return trusted.union(await node_filter.select([owner for owner in unscored_owners if owner in matching]))

    return admit
