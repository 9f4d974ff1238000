"""Where to enter another domain: the node of it that a link from a node should lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import texts_of
from graph_memory.memory.links.results import Candidate
from graph_memory.memory.recall.place import Place
from graph_memory.memory.recall.request import Request
from graph_memory.memory.recall.results import Hit
from graph_memory.memory.recall.search import search
from graph_memory.storage.queries import query

CANDIDATES = 5
ASKED = 2_000
"""Characters of the source with which the target is asked."""
CENTRALITY = 0.1
"""What the best connected candidate gains; the best fitting has 1."""


@dataclass(frozen=True, slots=True)
class AmongRow:
    """How many of some nodes one of them is connected to."""

    id: str
    edges: int


AMONG = query("links/among", AmongRow)


async def candidates_for(core: Core, domain: str, node_id: str, target: str) -> tuple[Candidate, ...]:
    """Return the nodes of the target that fit best what a node says, best first; none if nothing fits."""
    [row] = (await Place(core, domain, None).require([node_id])).values()
    texts = await texts_of(core, domain, [row])
    asked = f"{row.named.title}\n{texts.get(node_id, '')}"[:ASKED]
    found = await search(core, target, Request(asked, max_results=CANDIDATES * 2))
    hits = [hit for hit in found.hits if hit.kind == "node"][:CANDIDATES]
    if not hits:
        return ()
    rows = await core.store.read(AMONG, domain=target, ids=[hit.id for hit in hits])
    degrees = {row.id: row.edges for row in rows}
    return tuple(sorted(_candidates(hits, degrees), key=lambda one: -one.score))


def _candidates(hits: Sequence[Hit], degrees: dict[str, int]) -> list[Candidate]:
    best = max(hit.score or 0.0 for hit in hits) or 1.0
    most = max(degrees.values(), default=0) or 1
    return [
        Candidate(
            node_id=hit.id,
            type=hit.type,
            title=hit.title,
            score=round(((hit.score or 0.0) / best + CENTRALITY * degrees.get(hit.id, 0) / most) / (1 + CENTRALITY), 4),
            connections=degrees.get(hit.id, 0),
        )
        for hit in hits
    ]
