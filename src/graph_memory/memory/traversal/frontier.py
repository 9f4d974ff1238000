"""The connections of many nodes, read in one statement, in the current state or as of a log number.

Concurrent changes are read from their last events (`graph/consistent_read.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from graph_memory.memory.graph.connection_weights import ConnectionWeigher
from graph_memory.memory.graph.consistent_read import (
    MAX_READS,
    ConcurrentChange,
    MarkedRows,
    fetch_concurrent_changes,
    read_marked,
)
from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.search.place import DomainState
from graph_memory.memory.traversal.request import TAKES_ALL, EdgeFilter, NodeFilter
from graph_memory.memory.traversal.walks.edges import MAX_CHANGES, MAX_WEIGHED, Edge, EdgeReply, EdgeRequest, Steps
from graph_memory.memory.traversal.walks.weighting import to_number
from graph_memory.model.matching import Criteria
from graph_memory.model.ontology.ontology import TypeNames
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.values.strength import IMPORTANCE, Strength
from graph_memory.model.values.weight import strength_of
from graph_memory.storage.queries import query, with_mark

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class FrontierRow:
    """A node's connections: their approximate number, whether only some were read, and the rows."""

    node: str
    edges: int
    is_cut: bool
    rows: Sequence[Sequence[Any]]


def _edge_from_row(values: Sequence[Any]) -> tuple[Edge, bool]:
    """Return a row's edge, and whether the node at its other end still needs to be checked."""
    edge_id, kind, source, target, weight, strength, importance, age, ends, begins, properties, is_unsure = values
    user_values = user_properties(properties or {})
    edge = Edge(edge_id, kind, source, target, weight, strength, importance or 0.0, age, user_values, ends, begins)
    return edge, is_unsure


FRONTIER = with_mark(query("traversal/frontier", FrontierRow))


@dataclass(frozen=True, slots=True)
class Frontier:
    """Reads the connections that a walk may follow."""

    place: DomainState
    scale: ConnectionWeigher
    edges: EdgeFilter
    nodes: NodeFilter = TAKES_ALL
    starts: tuple[str, ...] = ()
    """The start nodes. The node filter never excludes them."""
    by: str | None = None
    """The property that ranks connections. None means the weight."""
    more: bool = False
    """Whether to read the properties and the components of the weight too."""

    async def run(self, steps: Steps[R]) -> R:
        """Run a walk: answer its requests for connections, and return its result."""
        try:
            request = next(steps)
            while True:
                request = steps.send(await self.read_edges(request))
        except StopIteration as stop:
            return cast("R", stop.value)

    @property
    def names(self) -> TypeNames | None:
        """The stored names of the connection types to follow. None means all types."""
        ontology = self.scale.ontology
        if not self.edges.types or ontology is None:
            return None
        stored = [ontology.names_of(name) for name in self.edges.types]
        forward_types = dict.fromkeys(type_name for names in stored for type_name in names.forward_types)
        reverse_types = dict.fromkeys(type_name for names in stored for type_name in names.reverse_types)
        return TypeNames(tuple(forward_types), tuple(reverse_types))

    async def read_edges(self, request: EdgeRequest) -> EdgeReply:
        """Return the connections of nodes that can be followed."""
        if not request.nodes:
            return EdgeReply({})
        place, arguments = self.place, self.params(request)
        marked_rows: MarkedRows[FrontierRow] = MarkedRows(())
        changed: Sequence[ConcurrentChange] = ()
        for _ in range(MAX_READS):
            marked_rows = await read_marked(place.core, FRONTIER, place.domain, **arguments)
            changed = await fetch_concurrent_changes(place.core, place.domain, marked_rows, self.scale.at)
            is_node = (row.event is None or row.event["_kind"] == Kind.NODE for row in changed)
            if self.nodes.takes_all or not any(is_node):
                break
        await self.scale.check()
        return await self._merge_changes(request, marked_rows.rows, changed)

    def params(self, request: EdgeRequest) -> dict[str, object]:
        """Return the parameters of the statement that reads connections."""
        leaving, arriving = self._types_to_follow(request)
        return {
            "past": self.place.at is not None,
            "at": self.scale.at,
            "uncut": MAX_WEIGHED,
            "looked": MAX_CHANGES,
            "now": self.scale.now_ms,
            "least": self.edges.least,
            "limit": request.most + 1,
            "more": self.more or self.by is not None,
            "request": {
                "ids": list(request.nodes),
                "leaving": leaving,
                "arriving": arriving,
                "out_types": self._all_connection_types if leaving is None else leaving,
                "in_types": self._all_connection_types if arriving is None else arriving,
                "filter": self.edges.properties,
                "valid_at": self.edges.valid_at,
                "half_lives": self.scale.half_lives,
                "co_access": dict(self.scale.co_access),
                "by": self.by,
                "node_types": list(self.nodes.types) or None,
                "tags": list(self.nodes.tags),
                "node_filter": None if self.nodes.takes_all else self.nodes.properties,
                "starts": list(self.starts),
                "known": list(request.known),
                "towards": None if request.towards is None else list(request.towards),
            },
        }

    def _types_to_follow(self, request: EdgeRequest) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the outgoing and incoming connection types to follow. None means all types."""
        names, direction = self.names, self.edges.direction
        forward_types, reverse_types = (None, ()) if names is None else (names.forward_types, names.reverse_types)
        if direction == "both":
            return (None, None) if names is None else (names.types, names.types)
        follows_out = (direction == "out") != request.backward
        return (forward_types, reverse_types) if follows_out else (reverse_types, forward_types)

    @property
    def _all_connection_types(self) -> list[str]:
        ontology = self.scale.ontology
        return [connection_type.name for connection_type in ontology.connection_types] if ontology else []

    async def _merge_changes(
        self, request: EdgeRequest, rows: Sequence[FrontierRow], changed: Sequence[ConcurrentChange]
    ) -> EdgeReply:
        """Return the read connections, with concurrent changes applied from their last events."""
        changed_ids = {row.subject for row in changed}
        edges: dict[str, dict[str, Edge]] = {node: {} for node in request.nodes}
        uncertain_edges: list[tuple[str, Edge]] = []
        for row in rows:
            for edge, is_unsure in map(_edge_from_row, row.rows):
                if edge.id not in changed_ids:
                    edges[row.node][edge.id] = edge
                    if is_unsure:
                        uncertain_edges.append((row.node, edge))
        for edge in (self._changed_edge(row) for row in changed):
            for node in {edge.from_id, edge.to_id}.intersection(edges) if edge else ():
                if edge and self._may_follow(request, node, edge):
                    edges[node][edge.id] = edge
                    uncertain_edges.append((node, edge))
        if uncertain_edges and not self.nodes.takes_all:  # concurrent writes may have changed the nodes at their ends
            allowed = await self.filter_nodes({edge.other(node) for node, edge in uncertain_edges})
            for node, edge in uncertain_edges:
                if edge.other(node) not in allowed:
                    edges[node].pop(edge.id, None)
        edges_by_node = {node: sorted(node_edges.values(), key=self._order) for node, node_edges in edges.items()}
        hubs = frozenset(row.node for row in rows if row.is_cut)
        cut = hubs.union(node for node, node_edges in edges_by_node.items() if len(node_edges) > request.most)
        degrees = {row.node: row.edges for row in rows}
        strongest = {node: node_edges[: request.most] for node, node_edges in edges_by_node.items()}
        return EdgeReply(strongest, cut, hubs, degrees)

    def _order(self, edge: Edge) -> tuple[float, str]:
        return -(edge.weight if self.by is None else to_number(edge.properties.get(self.by))), edge.id

    async def filter_nodes(self, nodes: Collection[str]) -> set[str]:
        """Return the nodes that pass the node filter, according to the log. Start nodes always pass."""
        others, starts = sorted({*nodes}.difference(self.starts)), {*nodes}.intersection(self.starts)
        criteria = Criteria(kind=Kind.NODE, properties=self.nodes.properties)
        states = await states_of(self.place.core, self.place.domain, others, self.scale.at)
        return starts | {
            str(state["_subject"])
            for state in states
            if criteria.matches(state)
            and (not self.nodes.types or state["_type"] in self.nodes.types)
            and frozenset(self.nodes.tags).issubset(cast("Sequence[str]", state.get("_tags") or ()))
        }

    def _may_follow(self, request: EdgeRequest, node: str, edge: Edge) -> bool:
        leaving, arriving = self._types_to_follow(request)
        other = edge.other(node)
        leads_on = (edge.from_id == node and (leaving is None or edge.type in leaving)) or (
            edge.to_id == node and (arriving is None or edge.type in arriving)
        )
        return leads_on and other not in request.known and (request.towards is None or other in request.towards)

    def _changed_edge(self, row: ConcurrentChange) -> Edge | None:
        """Return the connection's state after its last event, or None if the filter excludes it."""
        event = row.event
        criteria = Criteria(kind=Kind.CONNECTION, properties=self.edges.properties, valid_at=self.edges.valid_at)
        if event is None or not criteria.matches(event) or (weight := self.scale.weight_of(event)) < self.edges.least:
            return None
        values = cast("Mapping[str, str]", event)
        return Edge(
            row.subject,
            values["_type"],
            values["_from"],
            values["_to"],
            weight,
            strength_of(Strength.from_state(event)),
            cast("float", event.get(IMPORTANCE) or 0.0),
            self.scale.age_days(event),
            user_properties(event),
            _milliseconds(event.get("_valid_to")),
            _milliseconds(event.get("_valid_from") or event.get("_created")),
        )


def _milliseconds(at: object) -> int | None:
    return round(at.timestamp() * 1000) if isinstance(at, datetime) else None
