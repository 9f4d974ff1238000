"""Walks that follow links to other domains: each domain is asked for its own connections, and links lead between them.

A node of another domain is known to the walk by a key: its domain, a slash and its id, which never has one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.graph.connection_weights import scale
from graph_memory.memory.search.place import Place
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.walks.edges import Asked, Edge, Found
from graph_memory.model.errors import Code, GraphError
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """A link of one of many nodes, which is one of its ends."""

    node: str
    id: str
    type: str
    source_domain: str
    source: str
    target_domain: str
    target: str
    strength: float


LINKED = query("traversal/linked", LinkedRow)


def key_of(home: str, domain: str, subject: str) -> str:
    """Return by what a walk from `home` knows a node or connection of a domain."""
    return subject if domain == home else f"{domain}/{subject}"


def parted(home: str, key: str) -> tuple[str, str]:
    """Return the domain and the id for which a key stands."""
    domain, _, subject = key.rpartition("/")
    return domain or home, subject


def by_domain(home: str, keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the ids for which keys stand, by domain."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        domain, subject = parted(home, key)
        found[domain].append(subject)
    return found


def places(home: Place, keys: Iterable[str]) -> list[tuple[Place, dict[str, str]]]:
    """Return where the nodes are for which keys stand, with the key of each by its id."""
    found = by_domain(home.domain, keys)
    return [
        (
            home if domain == home.domain else Place(home.core, domain, None),
            {id_: key_of(home.domain, domain, id_) for id_ in ids},
        )
        for domain, ids in found.items()
    ]


@dataclass(frozen=True, slots=True)
class Crossing(Frontier):
    """Answers walks that may leave their domain by links. What is filtered is filtered everywhere by the same filters.

    Types and properties of connections are asked of connections; of links only how strong they are.
    """

    others: dict[str, Frontier] = field(default_factory=dict[str, Frontier])

    async def found(self, asked: Asked) -> Found:
        """Return the connections and links of nodes."""
        edges: dict[str, Sequence[Edge]] = {}
        cut, hubs, degrees = set[str](), set[str](), dict[str, int]()
        for domain, nodes in by_domain(self.place.domain, asked.nodes).items():
            if (frontier := await self._frontier(domain)) is None:
                continue
            hit = await frontier.found(self._within(asked, domain, nodes))
            links = await self._links(asked, domain, nodes)
            for node in nodes:
                key = self._key(domain, node)
                own = [self._abroad(domain, edge) for edge in hit.edges.get(node, ())]
                several = sorted([*own, *links.get(key, ())], key=self._order)
                edges[key] = several[: asked.most]
                cut |= {key} if len(several) > asked.most else set()
            cut |= {self._key(domain, node) for node in hit.cut}
            hubs |= {self._key(domain, node) for node in hit.hubs}
            degrees |= {self._key(domain, node): count for node, count in hit.degrees.items()}
        return Found(edges, frozenset(cut), frozenset(hubs), degrees)

    def _key(self, domain: str, subject: str) -> str:
        return key_of(self.place.domain, domain, subject)

    async def _frontier(self, domain: str) -> Frontier | None:
        """Return what answers for a domain, None for one that is gone by now."""
        if domain not in self.others:
            place = self.place if domain == self.place.domain else Place(self.place.core, domain, None)
            try:
                weighs = self.scale if place is self.place else await scale(place.core, domain)
            except GraphError as error:
                if error.code is not Code.ONTOLOGY_NOT_FOUND:
                    raise
                return None
            starts = tuple(by_domain(self.place.domain, self.starts).get(domain, ()))
            self.others[domain] = Frontier(place, weighs, self.edges, self.nodes, starts, self.by, self.more)
        return self.others[domain]

    def _within(self, asked: Asked, domain: str, nodes: Sequence[str]) -> Asked:
        """Return the same question to one domain."""
        home = self.place.domain
        towards = None if asked.towards is None else tuple(by_domain(home, asked.towards).get(domain, ()))
        known = tuple(by_domain(home, asked.known).get(domain, ()))
        return replace(asked, nodes=tuple(nodes), known=known, towards=towards)

    def _abroad(self, domain: str, edge: Edge) -> Edge:
        """Return a connection as the walk knows it."""
        if domain == self.place.domain:
            return edge
        ends = {"from_id": self._key(domain, edge.from_id), "to_id": self._key(domain, edge.to_id)}
        return replace(edge, id=self._key(domain, edge.id), **ends)

    async def _links(self, asked: Asked, domain: str, nodes: Sequence[str]) -> Mapping[str, list[Edge]]:
        """Return the links of nodes of a domain that may be followed, by the keys of the nodes."""
        direction = self.edges.direction
        ways = {"out": direction == "both" or (direction == "out") != asked.backward}
        ways["in"] = direction == "both" or not ways["out"]
        arguments = {"ids": list(nodes), "least": self.edges.least, "limit": asked.most + 1, **ways}
        rows = await self.place.core.store.read(LINKED, domain=domain, **arguments)
        passed: dict[str, list[Edge]] = {}
        for row in rows:
            edge = Edge(
                self._key(row.source_domain, row.id),
                row.type,
                self._key(row.source_domain, row.source),
                self._key(row.target_domain, row.target),
                row.strength,
                row.strength,
            )
            node = self._key(domain, row.node)
            other = edge.other(node)
            if other not in asked.known and (asked.towards is None or other in asked.towards):
                passed.setdefault(node, []).append(edge)
        return await self._admitted(passed)

    async def _admitted(self, passed: Mapping[str, list[Edge]]) -> Mapping[str, list[Edge]]:
        """Return the links that lead to nodes that pass the filter, which each domain judges for its own."""
        if self.nodes.takes_all:
            return passed
        taken = set[str]()
        reached = {edge.other(node) for node, edges in passed.items() for edge in edges}
        for domain, ids in by_domain(self.place.domain, reached).items():
            if frontier := await self._frontier(domain):
                taken |= {self._key(domain, one) for one in await frontier.taken(ids)}
        return {node: [edge for edge in edges if edge.other(node) in taken] for node, edges in passed.items()}
