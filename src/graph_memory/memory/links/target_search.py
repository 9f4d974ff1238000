"""Searches another domain for the node that a link should lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions, texts_of
from graph_memory.memory.links.results import Candidate
from graph_memory.memory.search.place import Place
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import Hit, SearchMode
from graph_memory.memory.search.search import search
from graph_memory.memory.search.text.names import find_mentions, forms, words
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.queries import query

CANDIDATES = 5
MAX_HITS = 10
"""Number of hits from which the candidates are chosen."""
MAX_QUERY = 2_000
"""Maximum number of characters of the source that are used as the query."""
MAX_TEXT = 20_000
"""Maximum number of characters of a text that are searched for names."""
MENTION = 0.5
"""Score for a mention: the source names the hit, or the hit names the source. The most similar hit has the score 1."""
CENTRALITY = 0.02
"""Score added to the hit with the most connections to other hits. Higher values choose wrong nodes: see benchmarks."""
MIN_COSINES = (0.3, 0.5, 0.65)
"""Minimum cosine similarity of a fitting hit: if neither text is short, if one is, and if both are.

Unrelated texts have similarities from 0 to 0.2. Headings of one word, such as `# Apples` and `# Ideas`, have up to 0.6.
"""
MIN_COSINE_WITH_WORDS = 0.15
"""Minimum cosine similarity of a fitting hit that shares words with the source."""
MIN_WORDS = 5
"""Minimum number of different words of a text that is not short."""


@dataclass(frozen=True, slots=True)
class AmongRow:
    """The number of hits to which a hit is connected."""

    id: str
    edges: int


AMONG = query("links/among", AmongRow)


async def candidates_for(core: Core, domain: str, node_id: str, target: str) -> tuple[Candidate, ...]:
    """Return the nodes of the target domain that are most similar to the node, fitting ones first, then by score."""
    [source] = (await Place(core, domain, None).require([node_id])).values()
    texts_by_id = await _texts_of(core, domain, [source])
    result = await search(
        core, target, Request(texts_by_id[node_id][:MAX_QUERY], max_results=MAX_HITS, explanation=True)
    )
    scores_by_id = {hit.id: hit.score or 0.0 for hit in result.hits if hit.kind == "node"}
    rows = await fetch_descriptions(core, target, Kind.NODE, [*scores_by_id])
    if not rows:
        return ()
    edges = {row.id: row.edges for row in await core.store.read(AMONG, domain=target, ids=[*scores_by_id])}
    texts = await _texts_of(core, target, rows)
    mentions = _mentions(source, texts_by_id[node_id], rows, texts)
    best, max_edges = max(scores_by_id.values()) or 1.0, max(edges.values(), default=0) or 1
    scores = {
        row.id: scores_by_id[row.id] / best + MENTION * mentions[row.id] + CENTRALITY * edges.get(row.id, 0) / max_edges
        for row in rows
    }
    short_counts = {row.id: is_short(texts_by_id[node_id]) + is_short(texts[row.id]) for row in rows}
    fitting = {node_key for node_key in scores_by_id if mentions.get(node_key)}
    fitting |= {
        hit.id for hit in result.hits if hit.id in short_counts and _fits(hit, result.mode, short_counts[hit.id])
    }
    ranked = sorted(rows, key=lambda row: (row.id not in fitting, -scores[row.id]))[:CANDIDATES]
    return tuple(
        Candidate(
            node_id=row.id,
            type=row.type,
            title=row.titled_node.title,
            score=round(scores[row.id] / (1 + 2 * MENTION + CENTRALITY), 4),
            fits=row.id in fitting,
            mentions=mentions[row.id],
            connections=edges.get(row.id, 0),
        )
        for row in ranked
    )


def is_short(text: str) -> bool:
    """Return whether a text has so few words that it is similar to any other text."""
    return len(set(words(text))) < MIN_WORDS


def _fits(hit: Hit, mode: SearchMode, short: int) -> bool:
    """Return whether a hit is similar to the source, or shares words with it and is similar enough.

    `short` is how many of the two texts are short: 0 to 2.
    """
    parts = {part.name: part for part in hit.explanation or ()}
    detail = parts["semantic"].detail.get("cosine") if "semantic" in parts else None
    cosine = detail if isinstance(detail, float | int) else 0.0
    has_words = "lexical" in parts and parts["lexical"].value > 0
    return cosine >= MIN_COSINES[short] or (has_words and (cosine >= MIN_COSINE_WITH_WORDS or mode == "lexical"))


async def _texts_of(core: Core, domain: str, rows: Sequence[DescribedRow]) -> dict[str, str]:
    texts = await texts_of(core, domain, rows)
    return {row.id: f"{row.titled_node.title}\n{texts.get(row.id, '')}"[:MAX_TEXT] for row in rows}


def _mentions(
    source: DescribedRow, text: str, rows: Sequence[DescribedRow], texts: Mapping[str, str]
) -> dict[str, int]:
    """Return the number of mentions between each node and the source, in either direction: 0 to 2."""
    ids_by_form: dict[str, list[str]] = {}
    for row in rows:
        for form in forms(row.titled_node.title):
            ids_by_form.setdefault(form, []).append(row.id)
    by_source = find_mentions(text, ids_by_form)
    source_forms = dict.fromkeys(forms(source.titled_node.title), (source.id,))
    return {row.id: (row.id in by_source) + bool(find_mentions(texts[row.id], source_forms)) for row in rows}
