"""The contents of a walk's nodes, complete or shortened, and the duplicate nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from graph_memory.memory.graph.describe import DescribedRow, texts_of
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.place import DomainState
from graph_memory.memory.traversal.results import Deduplication, ReturnMode
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.storage.queries import query

SHORT = 200
"""Maximum number of characters of a node's content in mode `summarized`."""
MEDIUM = 2_000
"""Maximum number of characters in mode `adaptive` for start nodes and their neighbours."""
MIN_DUPLICATE_COSINE = 0.95
"""Minimum cosine similarity of duplicates."""
_WHOLE = 2**53
_MAX_VECTORS = 8
_SUMMARY = "_content_summary"


@dataclass(frozen=True, slots=True)
class VectorsRow:
    """The vectors of a node's passages."""

    owner: str
    vectors: list[list[float]]


VECTORS_OF = query("traversal/vectors_of", VectorsRow)


def max_lengths(mode: ReturnMode, depth: int) -> tuple[int, ...]:
    """Return a content's maximum length in characters at each stage of shortening."""
    match mode:
        case "full_content":
            return (_WHOLE, MEDIUM, 800, 400, SHORT, 100, 40, 0)
        case "summarized":
            return (SHORT, SHORT, SHORT, SHORT, SHORT, 100, 40, 0)
        case "adaptive":
            return (MEDIUM, MEDIUM, 800, 400, SHORT, 100, 40, 0) if depth <= 1 else max_lengths("summarized", depth)


STAGES = len(max_lengths("full_content", 0))


def shorten(text: str, length: int) -> str | None:
    """Return at most `length` characters of a text, with `…` if it was cut, or None if nothing would remain."""
    if length == 0 or not text:
        return None
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


async def texts_by_mode(place: DomainState, rows: Mapping[str, DescribedRow], mode: ReturnMode) -> dict[str, str]:
    """Return a text for each node: its summary, or else its content if it is text.

    In mode `full_content`, the summary is never used. Unreadable contents are omitted.
    """
    with_summary = () if mode == "full_content" else [node for node, row in rows.items() if _SUMMARY in row.event]
    texts = {node: str(rows[node].event[_SUMMARY]) for node in with_summary}
    return texts | await texts_of(place.core, place.domain, (row for node, row in rows.items() if node not in texts))


async def duplicates_of(
    place: DomainState, rows: Mapping[str, DescribedRow], starts: Sequence[str], method: Deduplication
) -> tuple[dict[str, str], list[str]]:
    """Return each node that duplicates an earlier node, with the earlier node, and warnings.

    Start nodes never count as duplicates.
    """
    original_by_node: dict[str, str] = {}
    if method == "none":
        return original_by_node, []
    first_by_hash: dict[object, str] = {}
    for node, row in rows.items():
        ref = content_ref(row.event)
        if ref is not None and ref.size and first_by_hash.setdefault(ref.sha256, node) != node and node not in starts:
            original_by_node[node] = first_by_hash[ref.sha256]
    if method == "content_hash":
        return original_by_node, []
    unique_nodes = [node for node in rows if node not in original_by_node]
    vectors = await directions_of(place, unique_nodes)
    for node in unique_nodes:
        candidates = (
            other
            for other in unique_nodes[: unique_nodes.index(node)]
            if other not in original_by_node and other in vectors
        )
        if node in vectors and node not in starts:
            duplicate_of = next(
                (other for other in candidates if float(vectors[other] @ vectors[node]) >= MIN_DUPLICATE_COSINE), None
            )
            if duplicate_of is not None:
                original_by_node[node] = duplicate_of
    missing = len(unique_nodes) - len(vectors)
    warning = f"{missing} of {len(unique_nodes)} nodes have no vectors, and were compared by their content alone."
    return original_by_node, [warning] if missing else []


async def directions_of(place: DomainState, nodes: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the normalised mean vector of each node's passages. Nodes without vectors are omitted."""
    coverage = await catch_up(place.core, place.domain)
    if coverage.model is None or not nodes:
        return {}
    arguments = {"owners": list(nodes), "model": coverage.model, "at": place.number}
    rows = await place.core.store.read(VECTORS_OF, domain=place.domain, most=_MAX_VECTORS, **arguments)
    directions: dict[str, np.ndarray] = {}
    for row in rows:
        if row.vectors:
            mean = np.mean(np.asarray(row.vectors, dtype=np.float64), axis=0)
            if (length := float(np.linalg.norm(mean))) > 0:
                directions[row.owner] = cast("np.ndarray", mean / length)
    return directions
