"""Reads the data for a recall, each kind with one statement, from the current or a past state of a domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.graph.connection_weights import ConnectionWeigher
from graph_memory.memory.recall.rendering.recall_input import MANY, Brief, Tie
from graph_memory.memory.search.retrieval.retrieval import Scope, TextsRow
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.request import EdgeFilter
from graph_memory.memory.traversal.walks.edges import Edge, EdgeRequest, instant
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import format_day, format_last_day
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.titles import shown_title
from graph_memory.storage.queries import query

PASSAGES = 12
"""Maximum number of passages of one content."""
TIES = 60
"""Maximum number of connections of one node. Those with the highest weight come first."""
_LOOKED_AT = 2_000
"""Number of events that are searched for the nodes that changed last."""


@dataclass(frozen=True, slots=True)
class RecallRow:
    """A node or connection for a recall. Times are milliseconds since 1970."""

    id: str
    type: str
    title: str
    path: str
    summary: str
    tags: list[str]
    facts: list[list[PropertyValue]]
    created: int | None
    modified: int | None
    valid_from: int | None
    valid_to: int | None
    from_id: str | None
    from_title: str
    to_id: str | None
    to_title: str
    session: str | None
    has_content: bool

    @property
    def ends(self) -> tuple[str, ...]:
        """The ids of the two nodes if the row is a connection, otherwise empty."""
        return tuple(end for end in (self.from_id, self.to_id) if end is not None)

    @property
    def named(self) -> str:
        """The title of the node, or a property if it has no title."""
        return _display_title(self)


@dataclass(frozen=True, slots=True)
class BriefRow:
    """A node with its title, and its properties if it has none."""

    id: str
    type: str
    title: str
    facts: list[list[PropertyValue]]


@dataclass(frozen=True, slots=True)
class CountRow:
    """The number of nodes of a type."""

    type: str
    nodes: int


CONTENTS_OF = query("recall/contents_of", TextsRow)
TOLD_OF = query("recall/told_of", RecallRow)
CALLED = query("recall/called", BriefRow)
RECENT = query("recall/recent", str)
CHANGED_AFTER = query("recall/changed_after", str)
TYPE_COUNTS = query("recall/type_counts", CountRow)


async def ties_of(
    scope: Scope, scale: ConnectionWeigher, ids: Sequence[str], most: int = TIES
) -> tuple[list[Tie], dict[str, int]]:
    """Return the distinct connections with the highest weights, and each node's approximate connection count."""
    frontier = Frontier(scope, scale, EdgeFilter(valid_at=scope.filters.valid_at))
    results = await frontier.read_edges(EdgeRequest(tuple(ids), most))
    edges = {edge.id: edge for edges_of_node in results.edges.values() for edge in edges_of_node}
    return [_tie(edge, scale.now) for edge in edges.values()], dict(results.degrees)


def _tie(edge: Edge, now: datetime) -> Tie:
    ends = None if edge.ends is None else instant(edge.ends)
    until = format_last_day(ends) if ends is not None and ends <= now else ""
    since = "" if until or edge.begins is None else format_day(instant(edge.begins))
    return Tie(edge.id, edge.type, edge.from_id, edge.to_id, edge.weight, until, since)


async def fetch_rows(scope: Scope, kind: Kind, ids: Sequence[str]) -> dict[str, RecallRow]:
    """Return the rows of existing nodes or connections by id."""
    params = {"kind": kind, "ids": list(ids), "at": scope.number}
    return {row.id: row for row in await scope.core.store.read(TOLD_OF, domain=scope.domain, **params)} if ids else {}


async def fetch_briefs(scope: Scope, ids: Sequence[str]) -> dict[str, Brief]:
    """Return the titles and types of existing nodes by id."""
    params = {"ids": list(ids), "at": scope.number}
    rows = await scope.core.store.read(CALLED, domain=scope.domain, **params) if ids else []
    return {row.id: Brief(_display_title(row), row.type) for row in rows}


def _display_title(row: RecallRow | BriefRow) -> str:
    return shown_title(row.type, row.title, {str(key): value for key, value in row.facts})


async def contents_of(scope: Scope, owners: Sequence[str]) -> dict[str, list[str]]:
    """Return the passages of contents in order, at most one more than `PASSAGES`."""
    if not owners:
        return {}
    params = {"owners": list(owners), "at": scope.number, "most": PASSAGES + 1}
    return {row.owner: row.texts for row in await scope.core.store.read(CONTENTS_OF, domain=scope.domain, **params)}


async def find_changed_since_indexed(scope: Scope, ids: Iterable[str]) -> frozenset[str]:
    """Return the subjects that changed after they were indexed, so that their index rows may be outdated."""
    if not scope.coverage.behind:
        return frozenset()
    params = {"ids": list(dict.fromkeys(ids)), "after": scope.coverage.seq, "at": scope.number}
    return frozenset(await scope.core.store.read(CHANGED_AFTER, domain=scope.domain, **params))


async def recent(scope: Scope, limit: int, after: int = 0, until: int | None = None) -> list[str]:
    """Return the most recently changed nodes, or those changed between two log positions, newest first."""
    last = scope.number if until is None else min(scope.number, until)
    counts = {"after": after, "at": last, "looked": _LOOKED_AT, "limit": limit}
    return await scope.core.store.read(RECENT, domain=scope.domain, **counts)


async def is_empty(core: Core, domain: str) -> bool:
    """Return whether a domain has no nodes, or does not exist."""
    return not any(row.nodes for row in await core.store.read(TYPE_COUNTS, domain=domain, most=1))


async def type_counts(scope: Scope) -> dict[str, int]:
    """Return the current number of nodes by type. Types without nodes are omitted."""
    rows = await scope.core.store.read(TYPE_COUNTS, domain=scope.domain, most=MANY)
    return {row.type: row.nodes for row in rows if row.nodes}


def join_passages(texts: Sequence[str]) -> str:
    """Return passages in order as one text. A sentence that two passages share is not repeated."""
    whole = ""
    for text in texts:
        shared = _overlap(whole, text)
        whole += text[shared:] if shared else f"{chr(10) if whole else ''}{text}"
    return whole


def _overlap(before: str, after: str) -> int:
    """Return the number of characters that two texts share at their joint. 0 if that is less than a sentence."""
    longest = min(len(before), len(after), _LONGEST_SHARED)
    for length in range(longest, _SHORTEST_SHARED - 1, -1):
        if before.endswith(after[:length]):
            return length
    return 0


_LONGEST_SHARED, _SHORTEST_SHARED = 600, 12
