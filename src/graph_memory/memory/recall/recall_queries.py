"""Reads the data for a recall from the current or a past state of a domain. Each kind of data takes one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.graph.connection_weights import ConnectionWeigher
from graph_memory.memory.recall.rendering.recall_input import MANY, RecallEdge, TitleAndType
from graph_memory.memory.search.retrieval.retrieval import Scope, TextsRow
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.request import EdgeFilter
from graph_memory.memory.traversal.walks.edges import Edge, EdgeRequest, to_datetime
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import format_day, format_last_day
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.titles import shown_title
from graph_memory.storage.queries import query

MAX_PASSAGES = 12
"""Maximum number of passages that are read per content."""
MAX_CONNECTIONS_READ = 60
"""Maximum number of connections that are read per node, highest weights first."""
_MAX_SEARCHED_EVENTS = 2_000
"""Number of newest events that are searched for the nodes that changed last."""
_MAX_OVERLAP, _MIN_OVERLAP = 600, 12
"""The length, in characters, of a text that two adjacent passages share. A shorter overlap may be a coincidence."""


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
    def shown_title(self) -> str:
        """The title of the node, or a property if it has no title."""
        return _display_title(self)


@dataclass(frozen=True, slots=True)
class BriefRow:
    """A node with its title, or with its properties if it has no title."""

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


async def strongest_connections_of(
    scope: Scope, scale: ConnectionWeigher, ids: Sequence[str], most: int = MAX_CONNECTIONS_READ
) -> tuple[list[RecallEdge], dict[str, int]]:
    """Return the distinct connections with the highest weights, and each node's approximate connection count."""
    frontier = Frontier(scope, scale, EdgeFilter(valid_at=scope.filters.valid_at))
    results = await frontier.read_edges(EdgeRequest(tuple(ids), most))
    edges = {edge.id: edge for edges_of_node in results.edges.values() for edge in edges_of_node}
    return [_connection_from_edge(edge, scale.now) for edge in edges.values()], dict(results.degrees)


def _connection_from_edge(edge: Edge, now: datetime) -> RecallEdge:
    ends = None if edge.ends is None else to_datetime(edge.ends)
    until = format_last_day(ends) if ends is not None and ends <= now else ""
    since = "" if until or edge.begins is None else format_day(to_datetime(edge.begins))
    return RecallEdge(edge.id, edge.type, edge.from_id, edge.to_id, edge.weight, until, since)


async def fetch_rows(scope: Scope, kind: Kind, ids: Sequence[str]) -> dict[str, RecallRow]:
    """Return the rows of existing nodes or connections, keyed by id."""
    params = {"kind": kind, "ids": list(ids), "at": scope.number}
    return {row.id: row for row in await scope.core.store.read(TOLD_OF, domain=scope.domain, **params)} if ids else {}


async def fetch_briefs(scope: Scope, ids: Sequence[str]) -> dict[str, TitleAndType]:
    """Return the titles and types of existing nodes, keyed by id."""
    params = {"ids": list(ids), "at": scope.number}
    rows = await scope.core.store.read(CALLED, domain=scope.domain, **params) if ids else []
    return {row.id: TitleAndType(_display_title(row), row.type) for row in rows}


def _display_title(row: RecallRow | BriefRow) -> str:
    return shown_title(row.type, row.title, {str(key): value for key, value in row.facts})


async def contents_of(scope: Scope, owners: Sequence[str]) -> dict[str, list[str]]:
    """Return the first `MAX_PASSAGES + 1` passages of each owner's content. The last shows whether there are more."""
    if not owners:
        return {}
    params = {"owners": list(owners), "at": scope.number, "most": MAX_PASSAGES + 1}
    return {row.owner: row.texts for row in await scope.core.store.read(CONTENTS_OF, domain=scope.domain, **params)}


async def find_changed_since_indexed(scope: Scope, ids: Iterable[str]) -> frozenset[str]:
    """Return the subjects that changed after they were indexed, so that their index rows may be outdated."""
    if not scope.coverage.behind:
        return frozenset()
    params = {"ids": list(dict.fromkeys(ids)), "after": scope.coverage.seq, "at": scope.number}
    return frozenset(await scope.core.store.read(CHANGED_AFTER, domain=scope.domain, **params))


async def read_recently_changed(scope: Scope, limit: int, after: int = 0, until: int | None = None) -> list[str]:
    """Return the nodes that changed last, newest first. `after` and `until` limit the log positions of the changes."""
    last_position = scope.number if until is None else min(scope.number, until)
    params = {"after": after, "at": last_position, "looked": _MAX_SEARCHED_EVENTS, "limit": limit}
    return await scope.core.store.read(RECENT, domain=scope.domain, **params)


async def is_empty(core: Core, domain: str) -> bool:
    """Return whether a domain has no nodes, or does not exist."""
    return not any(row.nodes for row in await core.store.read(TYPE_COUNTS, domain=domain, most=1))


async def read_type_counts(scope: Scope) -> dict[str, int]:
    """Return the current number of nodes of each type. Types without nodes are omitted."""
    rows = await scope.core.store.read(TYPE_COUNTS, domain=scope.domain, most=MANY)
    return {row.type: row.nodes for row in rows if row.nodes}


def join_passages(texts: Sequence[str]) -> str:
    """Return passages in order as one text. A sentence that two passages share is not repeated."""
    joined = ""
    for text in texts:
        overlap = _overlap_length(joined, text)
        joined += text[overlap:] if overlap else f"{chr(10) if joined else ''}{text}"
    return joined


def _overlap_length(before: str, after: str) -> int:
    """Return the length of the longest suffix of `before` that is a prefix of `after`, or 0 if it is too short."""
    longest = min(len(before), len(after), _MAX_OVERLAP)
    for length in range(longest, _MIN_OVERLAP - 1, -1):
        if before.endswith(after[:length]):
            return length
    return 0
