"""What is around nodes: those at the other ends of their connections, of one node page by page or of many at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal, TypeVar

from graph_memory.memory.background import task_group
from graph_memory.memory.changes.plan import node_not_found
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.closure import Step, check_depth, check_transitive, reached
from graph_memory.memory.graph.consistent_read import Look, look, overtaken
from graph_memory.memory.graph.describe import STATES, node_briefs
from graph_memory.memory.graph.queries import Page, id_query, matching_connections
from graph_memory.memory.graph.stored_type_names import with_names
from graph_memory.model.matching import Wanted
from graph_memory.model.ontology.ontology import Names
from graph_memory.model.results import ConnectedNode, ConnectedNodes, Direction, Link
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED, check_direction
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.queries import marked, query

S = TypeVar("S")

AT_ONCE = 500
"""Ids that one statement takes."""


@dataclass(frozen=True, slots=True)
class NeighboursRow:
    """The nodes at the other ends of a node's connections."""

    id: str
    ids: list[str]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A connection and its ends."""

    id: str
    type: str
    from_id: str
    to_id: str

    @classmethod
    def of(cls, event: Mapping[str, object]) -> LinkRow:
        """Return the connection that an event is about."""
        return cls(*(str(event[name]) for name in ("_subject", "_type", "_from", "_to")))


Exact = Callable[[], Awaitable[Sequence[LinkRow]]]
"""Gives all connections of a node, however its neighbours are changed meanwhile."""

CONNECTED_NODES = id_query("graph/connected_nodes")
LINKS = marked(query("graph/links", LinkRow))
NEIGHBOURS = marked(query("graph/neighbours", NeighboursRow))


@dataclass(frozen=True, slots=True)
class Around:
    """Which connections of a node are followed. Raises INVALID_ARGUMENT for a direction that is none."""

    direction: Direction
    type: str | None
    valid_at: datetime | None = None
    names: Names | None = None
    """As what connections of the type are stored, where that is known; otherwise as the type says."""

    def __post_init__(self) -> None:
        check_direction(self.direction)

    @property
    def params(self) -> dict[str, object]:
        """Return what is followed as statements take it: the types of what leaves a node, and of what arrives."""
        stored = self.wanted.stored
        out, back = (None, ()) if stored is None else (stored.along, stored.against)
        match self.direction:
            case "out":
                leaving, arriving = out, back
            case "in":
                leaving, arriving = back, out
            case "both":
                leaving = arriving = None if stored is None else stored.types
        return {"leaving": leaving, "arriving": arriving, "valid_at": self.valid_at}

    @property
    def types(self) -> Sequence[str] | None:
        """The types as which the connections are stored; None for all."""
        stored = self.wanted.stored
        return stored and stored.types

    @property
    def wanted(self) -> Wanted:
        """The connections, of whatever node."""
        return Wanted(kind=Kind.CONNECTION, type=self.type, properties={}, valid_at=self.valid_at, names=self.names)

    def ends(self, node_id: str) -> list[Wanted]:
        """Return by which ends the connections of a node are found."""
        out, back = replace(self.wanted, from_id=node_id), replace(self.wanted, to_id=node_id)
        return {"out": [out], "in": [back], "both": [out, back]}[self.direction]

    def links(self, node_id: str, rows: Iterable[LinkRow]) -> dict[str, list[Link]]:
        """Return the other ends of a node's connections, each with those connections."""
        found: dict[str, list[Link]] = {}
        for row in rows:
            if link := self._link(node_id, row):
                found.setdefault(row.to_id if row.from_id == node_id else row.from_id, []).append(link)
        return found

    def _link(self, node_id: str, row: LinkRow) -> Link | None:
        """Return a connection as it is seen from a node, None where it is not followed.

        One that is seen both ways, as it is stored and by its inverse, is told as it is stored.
        """
        stored = self.wanted.stored
        is_along = stored is None or row.type in stored.along
        is_against = stored is not None and row.type in stored.against
        ways: tuple[tuple[Literal["out", "in"], str, str], ...]
        ways = (("out", row.from_id, row.to_id), ("in", row.to_id, row.from_id))
        followed = [way for way in ways if self.direction in (way[0], "both")]
        for direction, here, _ in followed if is_along else ():
            if here == node_id:
                return Link(id=row.id, type=row.type, direction=direction)
        for direction, _, here in followed if is_against else ():
            if here == node_id:
                return Link(id=row.id, type=self.type or row.type, direction=direction, inferred=True)
        return None


Matching = Callable[[Page, Wanted], Awaitable[list[str]]]
"""Gives the ids of connections that are wanted: one more than the page takes, if there are as many."""
Only = Callable[[Around, str], Awaitable[Sequence[LinkRow]]]
"""Gives the connections of a node that count, where not all of them do."""


async def get_connected_nodes(
    core: Core,
    domain: str,
    node_id: str,
    page: Page,
    *,
    direction: Direction,
    connection_type: str | None,
    detail: bool,
    only: Only | None = None,
    transitive: bool = False,
    max_depth: int | None = None,
) -> ConnectedNodes:
    """Return the nodes at the other ends. `Memory.get_connected_nodes` tells the rest."""
    depth = check_depth(max_depth, transitive=transitive)
    context = Around(direction, connection_type, page.valid_at)
    if transitive:
        ontology = await core.log.require_ontology(domain)
        named = replace(context, names=ontology.names_of(check_transitive(ontology, connection_type)))
        return await reached_nodes(
            core, domain, node_id, page, lambda ids: _neighbours(core, domain, ids, named), depth, detail=detail
        )

    async def read(names: Names | None) -> tuple[Around, Look[str | None]]:
        named = replace(context, names=names)
        followed = named.params if only is None else {**named.params, "leaving": (), "arriving": ()}
        arguments = {"id": node_id, "after": page.after, "limit": page.size, **followed}
        return named, await look(core, CONNECTED_NODES, domain, **arguments)

    context, found = await with_names(core, domain, connection_type, read)
    if not found.epoch:
        raise no_ontology(domain)
    if not found.rows:
        raise node_not_found(domain, node_id)
    exact = partial(_exact, core, domain, node_id, context)
    return await connected(core, domain, node_id, page, context, found, exact, detail=detail, only=only)


async def reached_nodes(
    core: Core, domain: str, node_id: str, page: Page, step: Step, depth: int, *, detail: bool, at: int = END
) -> ConnectedNodes:
    """Return the page of nodes that steps lead to, with `detail` also after how many. Raises NODE_NOT_FOUND."""

    async def checked(ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        found = await step(ids)
        if list(ids) == [node_id] and not found:
            raise node_not_found(domain, node_id)
        return found

    steps, is_cut = await reached(node_id, checked, depth)
    ids, cursor = page.cut(sorted(step for step in steps if step > page.after)[: page.size])
    briefs = await node_briefs(core, domain, ids, at) if detail else ()
    nodes = tuple(ConnectedNode(**brief.model_dump(), connections=(), steps=steps[brief.id]) for brief in briefs)
    warnings = (f"There may be more than {depth} steps away.",) if is_cut else None
    return ConnectedNodes(node_ids=ids, nodes=nodes if detail else None, next_cursor=cursor, warnings=warnings)


async def connected(
    core: Core,
    domain: str,
    node_id: str,
    page: Page,
    around: Around,
    found: Look[str | None],
    exact: Exact,
    *,
    detail: bool,
    at: int = END,
    only: Only | None = None,
) -> ConnectedNodes:
    """Return the page of nodes that were found at the other ends, or by the connections where some may be missing.

    With `only`, not all of the connections count.
    """
    if only is not None:
        return await _of_some(core, domain, node_id, page, around, await only(around, node_id), detail=detail, at=at)
    others = set(found.rows)
    if await may_lack(core, domain, found, {node_id: others}, at):
        others = {link for link in around.links(node_id, await exact()) if link > page.after}
    ids, cursor = page.cut(sorted(other for other in others if other is not None)[: page.size])
    nodes = await _detailed(core, domain, node_id, ids, around, exact, at) if detail else None
    warnings = await page.warnings(core, domain, around.wanted, ids)
    return ConnectedNodes(node_ids=ids, nodes=nodes, next_cursor=cursor, warnings=warnings)


async def _of_some(
    core: Core,
    domain: str,
    node_id: str,
    page: Page,
    context: Around,
    rows: Sequence[LinkRow],
    *,
    detail: bool,
    at: int,
) -> ConnectedNodes:
    """Return the page of nodes to which some connections lead."""
    links = context.links(node_id, rows)
    ids, cursor = page.cut(sorted(link for link in links if link > page.after)[: page.size])
    briefs = await node_briefs(core, domain, ids, at) if detail else ()
    nodes = tuple(ConnectedNode(**brief.model_dump(), connections=tuple(links[brief.id])) for brief in briefs)
    warnings = await page.warnings(core, domain, context.wanted, ids)
    return ConnectedNodes(node_ids=ids, nodes=nodes if detail else None, next_cursor=cursor, warnings=warnings)


async def _detailed(
    core: Core, domain: str, node_id: str, ids: Sequence[str], context: Around, exact: Exact, at: int
) -> tuple[ConnectedNode, ...]:
    """Return what the nodes are, and how they are connected; both are asked for at once."""
    links: Mapping[str, Sequence[Link]] = {}

    async def find_links() -> None:
        nonlocal links
        arguments = {"id": node_id, "ids": list(ids), "at": at, "types": context.types, "valid_at": context.valid_at}
        seen = await look(core, LINKS, domain, **arguments)
        is_sure = not await may_lack(core, domain, seen, {node_id: set()}, at)
        links = context.links(node_id, seen.rows if is_sure else await exact())

    async with task_group() as tasks:
        tasks.start_soon(find_links)
        briefs = await node_briefs(core, domain, ids, at)
    return tuple(ConnectedNode(**brief.model_dump(), connections=tuple(links.get(brief.id, ()))) for brief in briefs)


async def neighbours(
    core: Core,
    domain: str,
    ids: Sequence[str],
    *,
    direction: Direction,
    connection_type: str | None,
    valid_at: datetime | None = None,
) -> dict[str, tuple[str, ...]]:
    """Return the nodes at the other ends of each node's connections; a node that is not there is left out."""
    context = Around(direction, connection_type, valid_at)

    async def read(names: Names | None) -> dict[str, tuple[str, ...]]:
        return await _neighbours(core, domain, ids, replace(context, names=names))

    return await with_names(core, domain, connection_type, read)


async def _neighbours(core: Core, domain: str, ids: Sequence[str], context: Around) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(ids), AT_ONCE):
        seen = await look(core, NEIGHBOURS, domain, ids=ids[start : start + AT_ONCE], **context.params)
        others: dict[str, set[str | None]] = {row.id: {id_ or None for id_ in row.ids} for row in seen.rows}
        found |= {node_id: tuple(sorted(one for one in several if one)) for node_id, several in others.items()}
        for node_id in await may_lack(core, domain, seen, others):
            found[node_id] = tuple(sorted(context.links(node_id, await _exact(core, domain, node_id, context))))
    return found


async def may_lack(
    core: Core, domain: str, found: Look[S], others: Mapping[str, set[str | None]], at: int = END
) -> list[str]:
    """Return the nodes of whose neighbours some may have been missed, by what overtook the look at them.

    Which connections a list of neighbours rests on is not seen. So a connection that changed is told by its ends, and a
    neighbour that changed by an id that was seen by halves. An event that was erased has no ends: it counts for all.
    """
    rows = await overtaken(core, domain, found, at)
    events = [row.event for row in rows if row.event is not None]
    touched = {event.get(end) for event in events if event["_kind"] == Kind.CONNECTION for end in ("_from", "_to")}
    is_touched = {one: None in touched or one in touched or None in several for one, several in others.items()}
    return [other for other in others if rows and is_touched[other]]


async def _exact(core: Core, domain: str, node_id: str, context: Around) -> list[LinkRow]:
    async def matching(page: Page, wanted: Wanted) -> list[str]:
        return await matching_connections(core, domain, page, wanted)

    return await all_links(context, node_id, matching, lambda subjects: states_of(core, domain, subjects))


async def states_of(core: Core, domain: str, subjects: Sequence[str], at: int = END) -> list[Mapping[str, object]]:
    """Return the events by which subjects are as they were after a number of the log, of those that there were."""
    results: list[Mapping[str, object]] = []
    for start in range(0, len(subjects), AT_ONCE):
        results += await core.store.read(STATES, domain=domain, ids=list(subjects[start : start + AT_ONCE]), at=at)
    return results


async def all_links(
    around: Around,
    node_id: str,
    matching: Matching,
    states: Callable[[Sequence[str]], Awaitable[list[Mapping[str, object]]]],
) -> list[LinkRow]:
    """Return the connections of a node, found one by one, in order."""
    connections = await ids_around(around, node_id, matching)
    return [LinkRow.of(event) for event in await states(connections)]


async def ids_around(around: Around, node_id: str, matching: Matching) -> list[str]:
    """Return the ids of the connections of a node, in order."""
    results: set[str] = set()
    for wanted in around.ends(node_id):
        results.update(await matching(Page("", UNLIMITED, around.valid_at), wanted))
    return sorted(results)
