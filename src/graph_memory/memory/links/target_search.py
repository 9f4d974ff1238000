"""Where to enter another domain: the node of it that a link from a node should lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import DescribedRow, described, texts_of
from graph_memory.memory.links.results import Candidate
from graph_memory.memory.search.place import Place
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import Hit, SearchMode
from graph_memory.memory.search.search import search
from graph_memory.memory.search.text.names import find_mentions, forms, words
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.queries import query

CANDIDATES = 5
LOOKED = 10
"""Hits among which the candidates are chosen."""
ASKED = 2_000
"""Characters of the source with which the target is asked."""
READ = 20_000
"""Characters of a text in which names are looked for."""
MENTION = 0.5
"""What it counts that the source names a hit, or the hit the source; the best fitting hit has 1."""
CENTRALITY = 0.02
"""What it counts to be connected to the most other hits. More of it finds the right node less often: see benchmarks."""
LEAST = (0.3, 0.5, 0.65)
"""Cosine from which a hit fits: if no text is short, if one of the two is, and if both are.

Texts that have nothing to do with each other have cosines from 0 to 0.2; headings of one word, such as `# Apples` and
`# Ideas`, up to 0.6.
"""
LEAST_OF_WORDS = 0.15
"""Cosine from which a hit fits that has words of the source."""
SHORT = 5
"""Number of different words from which a text is not short."""


@dataclass(frozen=True, slots=True)
class AmongRow:
    """How many of some nodes one of them is connected to."""

    id: str
    edges: int


AMONG = query("links/among", AmongRow)


async def candidates_for(core: Core, domain: str, node_id: str, target: str) -> tuple[Candidate, ...]:
    """Return the nodes of the target that come nearest to what a node says, those that fit first, each best first."""
    [source] = (await Place(core, domain, None).require([node_id])).values()
    said = await _said(core, domain, [source])
    result = await search(core, target, Request(said[node_id][:ASKED], max_results=LOOKED, explanation=True))
    fits = {hit.id: hit.score or 0.0 for hit in result.hits if hit.kind == "node"}
    rows = await described(core, target, Kind.NODE, [*fits])
    if not rows:
        return ()
    edges = {row.id: row.edges for row in await core.store.read(AMONG, domain=target, ids=[*fits])}
    texts = await _said(core, target, rows)
    mentions = _mentions(source, said[node_id], rows, texts)
    best, most = max(fits.values()) or 1.0, max(edges.values(), default=0) or 1
    scores = {
        row.id: fits[row.id] / best + MENTION * mentions[row.id] + CENTRALITY * edges.get(row.id, 0) / most
        for row in rows
    }
    short = {row.id: is_short(said[node_id]) + is_short(texts[row.id]) for row in rows}
    fitting = {fit for fit in fits if mentions.get(fit)}
    fitting |= {hit.id for hit in result.hits if hit.id in short and _fits(hit, result.mode, short[hit.id])}
    ranked = sorted(rows, key=lambda row: (row.id not in fitting, -scores[row.id]))[:CANDIDATES]
    return tuple(
        Candidate(
            node_id=row.id,
            type=row.type,
            title=row.named.title,
            score=round(scores[row.id] / (1 + 2 * MENTION + CENTRALITY), 4),
            fits=row.id in fitting,
            mentions=mentions[row.id],
            connections=edges.get(row.id, 0),
        )
        for row in ranked
    )


def is_short(text: str) -> bool:
    """Say whether a text has so few words that its meaning is near to that of any other."""
    return len(set(words(text))) < SHORT


def _fits(hit: Hit, mode: SearchMode, short: int) -> bool:
    """Say whether a hit is close to the source in meaning, or has words of it and is not far.

    `short` is the number of short texts of the two.
    """
    parts = {part.name: part for part in hit.explanation or ()}
    told = parts["semantic"].detail.get("cosine") if "semantic" in parts else None
    cosine = told if isinstance(told, float | int) else 0.0
    has_words = "lexical" in parts and parts["lexical"].value > 0
    return cosine >= LEAST[short] or (has_words and (cosine >= LEAST_OF_WORDS or mode == "lexical"))


async def _said(core: Core, domain: str, rows: Sequence[DescribedRow]) -> dict[str, str]:
    """Return the titles and texts of nodes, by id."""
    texts = await texts_of(core, domain, rows)
    return {row.id: f"{row.named.title}\n{texts.get(row.id, '')}"[:READ] for row in rows}


def _mentions(
    source: DescribedRow, text: str, rows: Sequence[DescribedRow], texts: Mapping[str, str]
) -> dict[str, int]:
    """Return of each node how often it and the source name each other: 0 to 2."""
    named: dict[str, list[str]] = {}
    for row in rows:
        for form in forms(row.named.title):
            named.setdefault(form, []).append(row.id)
    by_source = find_mentions(text, named)
    own = dict.fromkeys(forms(source.named.title), (source.id,))
    return {row.id: (row.id in by_source) + bool(find_mentions(texts[row.id], own)) for row in rows}
