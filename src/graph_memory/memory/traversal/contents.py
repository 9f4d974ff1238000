"""What the nodes of a walk say: whole, in short, or as fits; and which of them say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from graph_memory.memory.graph.describe import DescribedRow, texts_of
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.place import Place
from graph_memory.memory.traversal.results import Deduplication, ReturnMode
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.storage.queries import query

SHORT = 200
"""Characters of what is told in short."""
NEAR = 2_000
"""Characters that `adaptive` tells of starts and of what is next to them."""
ALIKE = 0.95
"""Cosine of the angle between the vectors of nodes that say the same."""
_WHOLE = 2**53
_MOST_VECTORS = 8
_SUMMARY = "_content_summary"


@dataclass(frozen=True, slots=True)
class VectorsRow:
    """The vectors of a node's passages."""

    owner: str
    vectors: list[list[float]]


VECTORS_OF = query("traversal/vectors_of", VectorsRow)


def lengths(mode: ReturnMode, depth: int) -> tuple[int, ...]:
    """Return how many characters of a node of a depth are told, and less and less to have room for all."""
    match mode:
        case "full_content":
            return (_WHOLE, NEAR, 800, 400, SHORT, 100, 40, 0)
        case "summarized":
            return (SHORT, SHORT, SHORT, SHORT, SHORT, 100, 40, 0)
        case "adaptive":
            return (NEAR, NEAR, 800, 400, SHORT, 100, 40, 0) if depth <= 1 else lengths("summarized", depth)


STAGES = len(lengths("full_content", 0))


def cut(text: str, length: int) -> str | None:
    """Return the beginning of a text, None of nothing."""
    if length == 0 or not text:
        return None
    return text if len(text) <= length else f"{text[:length].rstrip()}…"


async def told_by(place: Place, rows: Mapping[str, DescribedRow], mode: ReturnMode) -> dict[str, str]:
    """Return what nodes say: their summaries, unless the whole is asked for, or their contents where these are text.

    A content that cannot be read has none.
    """
    found = {node: str(row.event[_SUMMARY]) for node, row in rows.items() if _SUMMARY in row.event}
    if mode == "full_content":
        found = {}
    return found | await texts_of(place.core, place.domain, (row for node, row in rows.items() if node not in found))


async def duplicates_of(
    place: Place, rows: Mapping[str, DescribedRow], starts: Sequence[str], how: Deduplication
) -> tuple[dict[str, str], list[str]]:
    """Return nodes that say what an earlier one says, with that, and what could not be compared. Starts stay."""
    same: dict[str, str] = {}
    if how == "none":
        return same, []
    first: dict[object, str] = {}
    for node, row in rows.items():
        ref = content_ref(row.event)
        if ref is not None and ref.size and first.setdefault(ref.sha256, node) != node and node not in starts:
            same[node] = first[ref.sha256]
    if how == "content_hash":
        return same, []
    left = [node for node in rows if node not in same]
    vectors = await directions_of(place, left)
    for node in left:
        earlier = (one for one in left[: left.index(node)] if one not in same and one in vectors)
        if node in vectors and node not in starts:
            alike = next((one for one in earlier if float(vectors[one] @ vectors[node]) >= ALIKE), None)
            if alike is not None:
                same[node] = alike
    missing = len(left) - len(vectors)
    text = f"{missing} of {len(left)} nodes have no vectors: these were compared by their content alone."
    return same, [text] if missing else []


async def directions_of(place: Place, nodes: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the direction in which the passages of each node point on the whole, of those that have vectors."""
    coverage = await catch_up(place.core, place.domain)
    if coverage.model is None or not nodes:
        return {}
    arguments = {"owners": list(nodes), "model": coverage.model, "at": place.number}
    rows = await place.core.store.read(VECTORS_OF, domain=place.domain, most=_MOST_VECTORS, **arguments)
    found: dict[str, np.ndarray] = {}
    for row in rows:
        if row.vectors:
            whole = np.mean(np.asarray(row.vectors, dtype=np.float64), axis=0)
            if (length := float(np.linalg.norm(whole))) > 0:
                found[row.owner] = cast("np.ndarray", whole / length)
    return found
