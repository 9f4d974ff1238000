"""The connections of many nodes, read in one statement: as they are, or as they were after a number of the log.

What is written meanwhile is judged by its last event, as all reads are (`graph/consistent_read.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from graph_memory.memory.graph.connection_weights import Scale
from graph_memory.memory.graph.consistent_read import ATTEMPTS, Look, OvertakenRow, look, overtaken
from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.search.place import Place
from graph_memory.memory.traversal.request import TAKES_ALL, EdgeFilter, NodeFilter
from graph_memory.memory.traversal.walks.edges import LOOKED, UNCUT, Asked, Edge, Found, Steps
from graph_memory.memory.traversal.walks.weighting import number
from graph_memory.model.matching import Wanted
from graph_memory.model.ontology.ontology import Names
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.values.strength import IMPORTANCE, Strength
from graph_memory.model.values.weight import strength_of
from graph_memory.storage.queries import marked, query

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class FrontierRow:
    """One of many nodes: about how many connections it has, whether only some were looked at, and what was found."""

    node: str
    edges: int
    is_cut: bool
    found: Sequence[Sequence[Any]]


def _edge(told: Sequence[Any]) -> tuple[Edge, bool]:
    """Return a connection as a walk sees it, and whether the node at its other end is still to be judged."""
    one, kind, begin, end, counts, strength, importance, age, ends, begins, properties, is_unsure = told
    told_of = user_properties(properties or {})
    return Edge(one, kind, begin, end, counts, strength, importance or 0.0, age, told_of, ends, begins), is_unsure


FRONTIER = marked(query("traversal/frontier", FrontierRow))


@dataclass(frozen=True, slots=True)
class Frontier:
    """Answers walks: which connections its nodes have that may be followed."""

    place: Place
    scale: Scale
    edges: EdgeFilter
    nodes: NodeFilter = TAKES_ALL
    starts: tuple[str, ...] = ()
    """Nodes that are reached whatever they are."""
    by: str | None = None
    """The property by which connections count, None for the weight."""
    more: bool = False
    """Whether what the weight is made of is asked for, and properties."""

    async def answer(self, steps: Steps[R]) -> R:
        """Return what a walk comes to."""
        try:
            asked = next(steps)
            while True:
                asked = steps.send(await self.found(asked))
        except StopIteration as ended:
            return cast("R", ended.value)

    @property
    def names(self) -> Names | None:
        """As what the connections that are followed are stored, None for all."""
        ontology = self.scale.ontology
        if not self.edges.types or ontology is None:
            return None
        several = [ontology.names_of(name) for name in self.edges.types]
        along = dict.fromkeys(one for names in several for one in names.along)
        against = dict.fromkeys(one for names in several for one in names.against)
        return Names(tuple(along), tuple(against))

    async def found(self, asked: Asked) -> Found:
        """Return the connections of nodes."""
        if not asked.nodes:
            return Found({})
        place, arguments = self.place, self.given(asked)
        seen: Look[FrontierRow] = Look(())
        changed: Sequence[OvertakenRow] = ()
        for _ in range(ATTEMPTS):
            seen = await look(place.core, FRONTIER, place.domain, **arguments)
            changed = await overtaken(place.core, place.domain, seen, self.scale.at)
            is_node = (row.event is None or row.event["_kind"] == Kind.NODE for row in changed)
            if self.nodes.takes_all or not any(is_node):
                break
        await self.scale.check()
        return await self._merged(asked, asked.most, seen.rows, changed)

    def given(self, asked: Asked) -> dict[str, object]:
        """Return what the statement is given that finds connections of nodes."""
        leaving, arriving = self._ways(asked)
        return {
            "past": self.place.at is not None,
            "at": self.scale.at,
            "uncut": UNCUT,
            "looked": LOOKED,
            "now": self.scale.now_ms,
            "least": self.edges.least,
            "limit": asked.most + 1,
            "more": self.more or self.by is not None,
            "asked": {
                "ids": list(asked.nodes),
                "leaving": leaving,
                "arriving": arriving,
                "out_types": self._every if leaving is None else leaving,
                "in_types": self._every if arriving is None else arriving,
                "filter": self.edges.properties,
                "valid_at": self.edges.valid_at,
                "half_lives": self.scale.half_lives,
                "co_access": dict(self.scale.co_access),
                "by": self.by,
                "node_types": list(self.nodes.types) or None,
                "tags": list(self.nodes.tags),
                "node_filter": None if self.nodes.takes_all else self.nodes.properties,
                "starts": list(self.starts),
                "known": list(asked.known),
                "towards": None if asked.towards is None else list(asked.towards),
            },
        }

    def _ways(self, asked: Asked) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """Return the types of what is followed out of nodes and into them, None for all."""
        names, direction = self.names, self.edges.direction
        along, against = (None, ()) if names is None else (names.along, names.against)
        if direction == "both":
            return (None, None) if names is None else (names.types, names.types)
        return (along, against) if (direction == "out") != asked.backward else (against, along)

    @property
    def _every(self) -> list[str]:
        """The types of all connections of the domain."""
        ontology = self.scale.ontology
        return [type_.name for type_ in ontology.connection_types] if ontology else []

    async def _merged(
        self, asked: Asked, most: int, rows: Sequence[FrontierRow], changed: Sequence[OvertakenRow]
    ) -> Found:
        """Return the connections that were read, those that changed meanwhile by their last events."""
        gone = {row.subject for row in changed}
        edges: dict[str, dict[str, Edge]] = {node: {} for node in asked.nodes}
        unsure: list[tuple[str, Edge]] = []
        for row in rows:
            for edge, is_unsure in map(_edge, row.found):
                if edge.id not in gone:
                    edges[row.node][edge.id] = edge
                    if is_unsure:
                        unsure.append((row.node, edge))
        for edge in (self._judged(row) for row in changed):
            for node in {edge.from_id, edge.to_id}.intersection(edges) if edge else ():
                if edge and self._leads(asked, node, edge):
                    edges[node][edge.id] = edge
                    unsure.append((node, edge))
        for node, edge in await self._refused(unsure):
            edges[node].pop(edge.id, None)
        found = {node: sorted(several.values(), key=self._order) for node, several in edges.items()}
        hubs = frozenset(row.node for row in rows if row.is_cut)
        cut = hubs.union(node for node, several in found.items() if len(several) > most)
        degrees = {row.node: row.edges for row in rows}
        return Found({node: several[:most] for node, several in found.items()}, cut, hubs, degrees)

    def _order(self, edge: Edge) -> tuple[float, str]:
        return -(edge.weight if self.by is None else number(edge.properties.get(self.by))), edge.id

    async def _refused(self, unsure: Sequence[tuple[str, Edge]]) -> list[tuple[str, Edge]]:
        """Return the connections of nodes that lead to what is not asked for, by the log."""
        if self.nodes.takes_all or not unsure:
            return []
        taken = await self.taken({edge.other(node) for node, edge in unsure})
        return [(node, edge) for node, edge in unsure if edge.other(node) not in taken]

    async def taken(self, nodes: Collection[str]) -> set[str]:
        """Return those of some nodes that may be reached, by the log; the starts may."""
        others, starts = sorted({*nodes}.difference(self.starts)), {*nodes}.intersection(self.starts)
        wanted = Wanted(kind=Kind.NODE, properties=self.nodes.properties)
        states = await states_of(self.place.core, self.place.domain, others, self.scale.at)
        return starts | {
            str(state["_subject"])
            for state in states
            if wanted.takes(state)
            and (not self.nodes.types or state["_type"] in self.nodes.types)
            and frozenset(self.nodes.tags).issubset(cast("Sequence[str]", state.get("_tags") or ()))
        }

    def _leads(self, asked: Asked, node: str, edge: Edge) -> bool:
        """Say whether a connection may be followed from a node."""
        leaving, arriving = self._ways(asked)
        other = edge.other(node)
        is_way = (edge.from_id == node and (leaving is None or edge.type in leaving)) or (
            edge.to_id == node and (arriving is None or edge.type in arriving)
        )
        return is_way and other not in asked.known and (asked.towards is None or other in asked.towards)

    def _judged(self, row: OvertakenRow) -> Edge | None:
        """Return a connection that changed, by its last event; None for what is not to be followed."""
        event = row.event
        wanted = Wanted(kind=Kind.CONNECTION, properties=self.edges.properties, valid_at=self.edges.valid_at)
        if event is None or not wanted.takes(event) or (counts := self.scale.weight_of(event)) < self.edges.least:
            return None
        rendered = cast("Mapping[str, str]", event)
        return Edge(
            row.subject,
            rendered["_type"],
            rendered["_from"],
            rendered["_to"],
            counts,
            strength_of(Strength.from_state(event)),
            cast("float", event.get(IMPORTANCE) or 0.0),
            self.scale.age_days(event),
            user_properties(event),
            _milliseconds(event.get("_valid_to")),
            _milliseconds(event.get("_valid_from") or event.get("_created")),
        )


def _milliseconds(at: object) -> int | None:
    return round(at.timestamp() * 1000) if isinstance(at, datetime) else None
