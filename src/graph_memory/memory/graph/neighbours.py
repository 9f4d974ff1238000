"""Reads the neighbours of one node page by page, or of many nodes at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal, TypeVar

from graph_memory.memory.background import task_group
from graph_memory.memory.changes.plan import node_not_found_error
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.closure import Step, check_depth, check_transitive, find_reachable
from graph_memory.memory.graph.consistent_read import MarkedRows, fetch_concurrent_changes, read_marked
from graph_memory.memory.graph.describe import AT_ONCE, node_briefs, states_of
from graph_memory.memory.graph.queries import Page, find_connection_ids, id_query
from graph_memory.memory.graph.stored_type_names import with_names
from graph_memory.model.matching import Criteria
from graph_memory.model.ontology.ontology import TypeNames
from graph_memory.model.results import ConnectedNode, ConnectedNodes, Direction, Link
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED, check_direction
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.queries import query, with_mark

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class NeighboursRow:
    """A node, and the ids of its neighbours."""

    id: str
    ids: list[str]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A connection with its type and the ids of its start and end nodes."""

    id: str
    type: str
    from_id: str
    to_id: str

    @classmethod
    def of(cls, event: Mapping[str, object]) -> LinkRow:
        """Return the connection that an event describes."""
        return cls(*(str(event[name]) for name in ("_subject", "_type", "_from", "_to")))


ReadAllLinks = Callable[[], Awaitable[Sequence[LinkRow]]]
"""Returns all connections of a node, including those with concurrent changes."""

CONNECTED_NODES = id_query("graph/connected_nodes")
LINKS = with_mark(query("graph/links", LinkRow))
NEIGHBOURS = with_mark(query("graph/neighbours", NeighboursRow))


@dataclass(frozen=True, slots=True)
class ConnectionSelector:
    """A selection of a node's connections. Raises INVALID_ARGUMENT for an unknown direction."""

    direction: Direction
    type: str | None
    valid_at: datetime | None = None
    names: TypeNames | None = None
    """The names under which the type is stored, or None if it is stored under its own name."""

    def __post_init__(self) -> None:
        check_direction(self.direction)

    @property
    def params(self) -> dict[str, object]:
        """The parameters of a statement: stored types of outgoing and incoming connections, and validity time."""
        stored = self.criteria.stored_names
        outgoing, incoming = (None, ()) if stored is None else (stored.forward_types, stored.reverse_types)
        match self.direction:
            case "out":
                leaving, arriving = outgoing, incoming
            case "in":
                leaving, arriving = incoming, outgoing
            case "both":
                leaving = arriving = None if stored is None else stored.types
        return {"leaving": leaving, "arriving": arriving, "valid_at": self.valid_at}

    @property
    def types(self) -> Sequence[str] | None:
        """The stored types of the connections. None means all types."""
        stored = self.criteria.stored_names
        return stored and stored.types

    @property
    def criteria(self) -> Criteria:
        """The filter on the type and validity of connections, without a condition on their endpoints."""
        return Criteria(kind=Kind.CONNECTION, type=self.type, properties={}, valid_at=self.valid_at, names=self.names)

    def end_filters(self, node_id: str) -> list[Criteria]:
        """Return one filter for each selected direction: for connections that start at a node, or that end at it."""
        outgoing, incoming = replace(self.criteria, from_id=node_id), replace(self.criteria, to_id=node_id)
        return {"out": [outgoing], "in": [incoming], "both": [outgoing, incoming]}[self.direction]

    def links_by_neighbour(self, node_id: str, rows: Iterable[LinkRow]) -> dict[str, list[Link]]:
        """Return the connections between a node and its neighbours, keyed by the neighbour's id."""
        links: dict[str, list[Link]] = {}
        for row in rows:
            if link := self._link_from(node_id, row):
                links.setdefault(row.to_id if row.from_id == node_id else row.from_id, []).append(link)
        return links

    def _link_from(self, node_id: str, row: LinkRow) -> Link | None:
        """Return a connection as seen from a node, or None if the selection does not include the connection.

        A connection that matches in both directions is returned in its stored direction.
        """
        stored = self.criteria.stored_names
        is_along = stored is None or row.type in stored.forward_types
        is_against = stored is not None and row.type in stored.reverse_types
        ends: tuple[tuple[Literal["out", "in"], str, str], ...]
        ends = (("out", row.from_id, row.to_id), ("in", row.to_id, row.from_id))
        followed_ends = [end_pair for end_pair in ends if self.direction in (end_pair[0], "both")]
        for direction, start, _ in followed_ends if is_along else ():
            if start == node_id:
                return Link(id=row.id, type=row.type, direction=direction)
        for direction, _, start in followed_ends if is_against else ():
            if start == node_id:
                return Link(id=row.id, type=self.type or row.type, direction=direction, inferred=True)
        return None


FindConnections = Callable[[Page, Criteria], Awaitable[list[str]]]
"""Returns the ids of matching connections, including one id beyond the page to detect a next page."""
ReadLinks = Callable[[ConnectionSelector, str], Awaitable[Sequence[LinkRow]]]
"""Returns the connections of a node that match an additional filter."""


async def get_connected_nodes(
    core: Core,
    domain: str,
    node_id: str,
    page: Page,
    *,
    direction: Direction,
    connection_type: str | None,
    detail: bool,
    read_links: ReadLinks | None = None,
    transitive: bool = False,
    max_depth: int | None = None,
) -> ConnectedNodes:
    """Return the neighbours of a node. See `Memory.get_connected_nodes`."""
    depth = check_depth(max_depth, transitive=transitive)
    selector = ConnectionSelector(direction, connection_type, page.valid_at)
    if transitive:
        ontology = await core.log.require_ontology(domain)
        named_selector = replace(selector, names=ontology.names_of(check_transitive(ontology, connection_type)))
        return await read_reachable_nodes(
            core,
            domain,
            node_id,
            page,
            lambda ids: _read_neighbours(core, domain, ids, named_selector),
            depth,
            detail=detail,
        )

    async def read(names: TypeNames | None) -> tuple[ConnectionSelector, MarkedRows[str | None]]:
        named_selector = replace(selector, names=names)
        end_arguments = (
            named_selector.params if read_links is None else {**named_selector.params, "leaving": (), "arriving": ()}
        )
        arguments = {"id": node_id, "after": page.after, "limit": page.size, **end_arguments}
        return named_selector, await read_marked(core, CONNECTED_NODES, domain, **arguments)

    selector, marked_rows = await with_names(core, domain, connection_type, read)
    if not marked_rows.epoch:
        raise no_ontology_error(domain)
    if not marked_rows.rows:
        raise node_not_found_error(domain, node_id)
    read_all = partial(_read_stored_links, core, domain, node_id, selector)
    return await read_neighbour_page(
        core, domain, node_id, page, selector, marked_rows, read_all, detail=detail, read_links=read_links
    )


async def read_reachable_nodes(
    core: Core, domain: str, node_id: str, page: Page, step: Step, depth: int, *, detail: bool, at: int = END
) -> ConnectedNodes:
    """Return a page of the nodes that are reachable from a node. With `detail`, includes the number of steps.

    Raises NODE_NOT_FOUND if the start node does not exist.
    """

    async def checked_step(ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        neighbours_by_id = await step(ids)
        if list(ids) == [node_id] and not neighbours_by_id:
            raise node_not_found_error(domain, node_id)
        return neighbours_by_id

    steps, is_incomplete = await find_reachable(node_id, checked_step, depth)
    ids, cursor = page.cut(sorted(step for step in steps if step > page.after)[: page.size])
    briefs = await node_briefs(core, domain, ids, at) if detail else ()
    nodes = tuple(ConnectedNode(**brief.model_dump(), connections=(), steps=steps[brief.id]) for brief in briefs)
    warnings = (f"There may be more nodes beyond {depth} steps.",) if is_incomplete else None
    return ConnectedNodes(node_ids=ids, nodes=nodes if detail else None, next_cursor=cursor, warnings=warnings)


async def read_neighbour_page(
    core: Core,
    domain: str,
    node_id: str,
    page: Page,
    selector: ConnectionSelector,
    marked_rows: MarkedRows[str | None],
    read_all: ReadAllLinks,
    *,
    detail: bool,
    at: int = END,
    read_links: ReadLinks | None = None,
) -> ConnectedNodes:
    """Return a page of the neighbours in `marked_rows`. Reads them again if concurrent changes may have hidden some.

    If `read_links` is given, the neighbours are those at the other end of the connections that it returns.
    """
    links: Mapping[str, Sequence[Link]] | None = None
    neighbour_ids = set(marked_rows.rows)
    if read_links is not None:
        links = selector.links_by_neighbour(node_id, await read_links(selector, node_id))
        neighbour_ids = {neighbour for neighbour in links if neighbour > page.after}
    elif await find_incomplete(core, domain, marked_rows, {node_id: neighbour_ids}, at):
        all_links = selector.links_by_neighbour(node_id, await read_all())
        neighbour_ids = {neighbour for neighbour in all_links if neighbour > page.after}
    ids, cursor = page.cut(sorted(neighbour for neighbour in neighbour_ids if neighbour is not None)[: page.size])
    nodes = await _read_details(core, domain, node_id, ids, selector, read_all, at, links) if detail else None
    warnings = await page.warnings(core, domain, selector.criteria, ids)
    return ConnectedNodes(node_ids=ids, nodes=nodes, next_cursor=cursor, warnings=warnings)


async def _read_details(
    core: Core,
    domain: str,
    node_id: str,
    ids: Sequence[str],
    selector: ConnectionSelector,
    read_all: ReadAllLinks,
    at: int,
    links: Mapping[str, Sequence[Link]] | None,
) -> tuple[ConnectedNode, ...]:
    """Return the nodes with their connections. Unless `links` is given, reads the connections in parallel."""

    async def find_links() -> None:
        nonlocal links
        arguments = {"id": node_id, "ids": list(ids), "at": at, "types": selector.types, "valid_at": selector.valid_at}
        marked_rows = await read_marked(core, LINKS, domain, **arguments)
        is_complete = not await find_incomplete(core, domain, marked_rows, {node_id: set()}, at)
        links = selector.links_by_neighbour(node_id, marked_rows.rows if is_complete else await read_all())

    async with task_group() as tasks:
        if links is None:
            tasks.start_soon(find_links)
        briefs = await node_briefs(core, domain, ids, at)
    found_links = links or {}
    return tuple(
        ConnectedNode(**brief.model_dump(), connections=tuple(found_links.get(brief.id, ()))) for brief in briefs
    )


async def read_neighbours(
    core: Core,
    domain: str,
    ids: Sequence[str],
    *,
    direction: Direction,
    connection_type: str | None,
    valid_at: datetime | None = None,
) -> dict[str, tuple[str, ...]]:
    """Return the ids of each node's neighbours, keyed by node id. Missing nodes are omitted."""
    selector = ConnectionSelector(direction, connection_type, valid_at)

    async def read(names: TypeNames | None) -> dict[str, tuple[str, ...]]:
        return await _read_neighbours(core, domain, ids, replace(selector, names=names))

    return await with_names(core, domain, connection_type, read)


async def _read_neighbours(
    core: Core, domain: str, ids: Sequence[str], selector: ConnectionSelector
) -> dict[str, tuple[str, ...]]:
    results: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(ids), AT_ONCE):
        marked_rows = await read_marked(core, NEIGHBOURS, domain, ids=ids[start : start + AT_ONCE], **selector.params)
        neighbour_ids: dict[str, set[str | None]] = {
            row.id: {subject_id or None for subject_id in row.ids} for row in marked_rows.rows
        }
        results |= {
            node_id: tuple(sorted(neighbour for neighbour in neighbours if neighbour))
            for node_id, neighbours in neighbour_ids.items()
        }
        for node_id in await find_incomplete(core, domain, marked_rows, neighbour_ids):
            results[node_id] = tuple(
                sorted(selector.links_by_neighbour(node_id, await _read_stored_links(core, domain, node_id, selector)))
            )
    return results


async def find_incomplete(
    core: Core, domain: str, marked_rows: MarkedRows[S], neighbour_ids: Mapping[str, set[str | None]], at: int = END
) -> list[str]:
    """Return the nodes whose neighbours may be incomplete because of concurrent changes.

    The rows do not contain the connections. Therefore a changed connection is recognised by its start and end nodes,
    and a changed neighbour by a missing id. The event of an erased connection lacks both, so it affects all nodes.
    """
    rows = await fetch_concurrent_changes(core, domain, marked_rows, at)
    if not rows:
        return []
    events = [row.event for row in rows if row.event is not None]
    changed_ends = {event.get(end) for event in events if event["_kind"] == Kind.CONNECTION for end in ("_from", "_to")}
    return [
        node_id
        for node_id, ids in neighbour_ids.items()
        if None in changed_ends or node_id in changed_ends or None in ids
    ]


async def _read_stored_links(core: Core, domain: str, node_id: str, selector: ConnectionSelector) -> list[LinkRow]:
    find_ids, states = partial(find_connection_ids, core, domain), partial(states_of, core, domain)
    return await read_all_links(selector, node_id, find_ids, states)


async def read_all_links(
    selector: ConnectionSelector,
    node_id: str,
    find_ids: FindConnections,
    states: Callable[[Sequence[str]], Awaitable[list[Mapping[str, object]]]],
) -> list[LinkRow]:
    """Return the connections of a node, sorted by id. Each connection is read from its own events."""
    connection_ids: set[str] = set()
    for criteria in selector.end_filters(node_id):
        connection_ids.update(await find_ids(Page("", UNLIMITED, selector.valid_at), criteria))
    return [LinkRow.of(event) for event in await states(sorted(connection_ids))]
