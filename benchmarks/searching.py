"""Hits and times of the search through the tool, all stores in one database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.graph import fresh, say
from benchmarks.retrieval import Search, retrieval
from benchmarks.retrieval_data import Entry, Store, long_stores, stores
from benchmarks.sizes import Place
from graph_memory import Memory, ontology_from
from graph_memory.evaluation.cases import parse_time
from graph_memory.operations.toolsets.recall import search_memories

AT_ONCE = 200
"""Entries that are written in one batch."""


@dataclass(frozen=True)
class Ablation:
    """The tool without one of its parts."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


ABLATIONS = (
    Ablation("search_memories"),
    Ablation("words alone", {"search_mode": "lexical"}),
    Ablation("meaning alone", {"search_mode": "semantic"}),
)


async def searching(place: Place) -> str:
    """Return a table of what the tool finds of the answers to known questions, beside the three that it is to beat."""
    all_stores = [*stores(), *long_stores()]
    domains = {store.name: fresh(f"bench-{store.name}-") for store in all_stores}
    for store in all_stores:
        say(f"filling {store.name}: {len(store.entries):,} entries")
        await fill(place.memory.in_domain(domains[store.name]), store)
    searches = {ablation.name: _search(place.memory, all_stores, domains, ablation) for ablation in ABLATIONS}
    table = await retrieval(searches, all_stores)
    return f"## Search: answers found, through the tool, {len(all_stores)} stores in one database\n\n{table}"


def ids_of(store: Store) -> dict[str, str]:
    """Return the node id of each entry id."""
    return {entry.id: f"entry-{place}" for place, entry in enumerate(store.entries)}


def _search(memory: Memory, all_stores: Sequence[Store], domains: Mapping[str, str], ablation: Ablation) -> Search:
    entries = {store.name: {name: entry for entry, name in ids_of(store).items()} for store in all_stores}

    async def search(domain: str, question: str, k: int) -> Sequence[str]:
        query_arguments: Any = {"query": question, "max_results": k, "domain": domains[domain], **ablation.arguments}
        return [entries[domain][hit.id] for hit in (await search_memories(memory, query_arguments)).hits]

    return search


async def fill(memory: Memory, store: Store) -> None:
    """Write a store as an agent would: a turn below the path of its conversation, a document with its title."""
    await memory.create_ontology(ontology_from({"node_types": ["Entry"]}))
    ids = ids_of(store)
    for start in range(0, len(store.entries), AT_ONCE):
        some = store.entries[start : start + AT_ONCE]
        await memory.execute_batch([_operation(ids[entry.id], entry) for entry in some])
        dated = [
            {"op": "set_validity", "id": ids[entry.id], "valid_from": at.isoformat()}
            for entry in some
            if (at := parse_time(entry.date))
        ]
        if dated:
            await memory.execute_batch(dated)
    await memory.upkeep.reindex(anew=False)


def _operation(name: str, entry: Entry) -> dict[str, object]:
    arguments: dict[str, object] = {"op": "create_node", "type": "Entry", "format": "text", "id": name}
    if entry.named:
        return {**arguments, "content": entry.text, "title": entry.title}
    return {**arguments, "content": f"{entry.title}: {entry.text}", "path": f"/{entry.sequence}"}
