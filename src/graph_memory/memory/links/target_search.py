"""Searches the target domain for the best target of a new link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions, texts_of
from graph_memory.memory.links.results import Candidate
from graph_memory.memory.search.place import DomainState
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import Hit, SearchMode
from graph_memory.memory.search.search import search
from graph_memory.memory.search.text.names import find_mentions, name_variants, split_words
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.queries import query

CANDIDATES = 5
MAX_HITS = 10
"""Maximum number of hits from which the candidates are chosen."""
MAX_QUERY = 2_000
"""Maximum number of characters of the source's text that are used as the query."""
MAX_TEXT = 20_000
"""Maximum number of characters of a node's title and text in which names are searched for."""
MENTION = 0.5
"""Score added for a mention of the hit in the source, and for a mention of the source in the hit. The most similar hit
has the score 1."""
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
class EdgeCountRow:
    """A hit, and the number of other hits to which it is connected."""

    id: str
    edges: int


EDGE_COUNTS = query("links/among", EdgeCountRow)


async def candidates_for(core: Core, domain: str, node_id: str, target: str) -> tuple[Candidate, ...]:
    """Return the best candidates in the target domain for a link from the node.

    Nodes that fit come first. Otherwise, candidates are sorted by score, highest first.
    """
    [source] = (await DomainState(core, domain, None).require_nodes([node_id])).values()
    texts_by_id = await _read_texts(core, domain, [source])
    result = await search(
        core, target, Request(texts_by_id[node_id][:MAX_QUERY], max_results=MAX_HITS, explanation=True)
    )
    scores_by_id = {hit.id: hit.score or 0.0 for hit in result.hits if hit.kind == "node"}
    rows = await fetch_descriptions(core, target, Kind.NODE, [*scores_by_id])
    if not rows:
        return ()
    edge_counts = {row.id: row.edges for row in await core.store.read(EDGE_COUNTS, domain=target, ids=[*scores_by_id])}
    texts = await _read_texts(core, target, rows)
    mention_counts = _count_mentions(source, texts_by_id[node_id], rows, texts)
    best_score, max_edges = max(scores_by_id.values()) or 1.0, max(edge_counts.values(), default=0) or 1
    scores = {
        row.id: scores_by_id[row.id] / best_score
        + MENTION * mention_counts[row.id]
        + CENTRALITY * edge_counts.get(row.id, 0) / max_edges
        for row in rows
    }
    short_counts = {row.id: is_short(texts_by_id[node_id]) + is_short(texts[row.id]) for row in rows}
    fitting_ids = {hit_id for hit_id in scores_by_id if mention_counts.get(hit_id)}
    fitting_ids |= {
        hit.id for hit in result.hits if hit.id in short_counts and _fits(hit, result.mode, short_counts[hit.id])
    }
    ranked = sorted(rows, key=lambda row: (row.id not in fitting_ids, -scores[row.id]))[:CANDIDATES]
    return tuple(
        Candidate(
            node_id=row.id,
            type=row.type,
            title=row.titled_node.title,
            score=round(scores[row.id] / (1 + 2 * MENTION + CENTRALITY), 4),
            fits=row.id in fitting_ids,
            mentions=mention_counts[row.id],
            connections=edge_counts.get(row.id, 0),
        )
        for row in ranked
    )


def is_short(text: str) -> bool:
    """Return whether a text has so few words that it is similar to any other text."""
    return len(set(split_words(text))) < MIN_WORDS


def _fits(hit: Hit, mode: SearchMode, short_count: int) -> bool:
    """Return whether a hit is similar to the source, or shares words with it and is similar enough.

    `short_count` is the number of short texts among the two, from 0 to 2.
    """
    score_parts = {part.name: part for part in hit.explanation or ()}
    cosine_detail = score_parts["semantic"].detail.get("cosine") if "semantic" in score_parts else None
    cosine = cosine_detail if isinstance(cosine_detail, float | int) else 0.0
    shares_words = "lexical" in score_parts and score_parts["lexical"].value > 0
    return cosine >= MIN_COSINES[short_count] or (
        shares_words and (cosine >= MIN_COSINE_WITH_WORDS or mode == "lexical")
    )


async def _read_texts(core: Core, domain: str, rows: Sequence[DescribedRow]) -> dict[str, str]:
    texts = await texts_of(core, domain, rows)
    return {row.id: f"{row.titled_node.title}\n{texts.get(row.id, '')}"[:MAX_TEXT] for row in rows}


def _count_mentions(
    source: DescribedRow, text: str, rows: Sequence[DescribedRow], texts: Mapping[str, str]
) -> dict[str, int]:
    """Return, by node id, the number of mentions between the source and the node, from 0 to 2 (one per direction)."""
    ids_by_form: dict[str, list[str]] = {}
    for row in rows:
        for form in name_variants(row.titled_node.title):
            ids_by_form.setdefault(form, []).append(row.id)
    by_source = find_mentions(text, ids_by_form)
    source_forms = dict.fromkeys(name_variants(source.titled_node.title), (source.id,))
    return {row.id: (row.id in by_source) + bool(find_mentions(texts[row.id], source_forms)) for row in rows}
