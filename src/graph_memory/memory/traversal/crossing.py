"""Walks that follow links to other domains. Each domain is queried for its own connections.

A node in another domain has a key that consists of its domain, a slash and its id. Ids never contain a slash.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.graph.connection_weights import create_weigher
from graph_memory.memory.search.place import DomainState
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.walks.edges import Edge, EdgeReply, EdgeRequest
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import can_read
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """A link with the node `node` as an endpoint."""

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
    """Return the key of a node or connection in a walk from the domain `home`."""
    return subject if domain == home else f"{domain}/{subject}"


def split_key(home: str, key: str) -> tuple[str, str]:
    """Return a key's domain and id."""
    domain, _, subject = key.rpartition("/")
    return domain or home, subject


def ids_by_domain(home: str, keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the node ids in the given keys, grouped by domain."""
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        domain, subject = split_key(home, key)
        ids[domain].append(subject)
    return ids


def states_by_domain(home: DomainState, keys: Iterable[str]) -> list[tuple[DomainState, dict[str, str]]]:
    """Return the state of each domain in the keys, with a mapping from the domain's node ids to their keys.

    Domains other than `home` are returned in their current state.
    """
    node_ids = ids_by_domain(home.domain, keys)
    return [
        (
            home if domain == home.domain else DomainState(home.core, domain, None),
            {subject_id: key_of(home.domain, domain, subject_id) for subject_id in ids},
        )
        for domain, ids in node_ids.items()
    ]


@dataclass(frozen=True, slots=True)
class MultiDomainFrontier(Frontier):
    """Reads connections for walks that follow links to other domains. The same filters apply in all domains.

    For links, only the minimum strength of the edge filter applies, not its types and properties.
    """

    others: dict[str, Frontier] = field(default_factory=dict[str, Frontier])

    async def read_edges(self, request: EdgeRequest) -> EdgeReply:
        """Return the connections and links of nodes."""
        edges: dict[str, Sequence[Edge]] = {}
        cut, hubs, degrees = set[str](), set[str](), dict[str, int]()
        for domain, nodes in ids_by_domain(self.place.domain, request.nodes).items():
            if (frontier := await self._frontier(domain)) is None:
                continue
            reply = await frontier.read_edges(self._for_domain(request, domain, nodes))
            links = await self._links(request, domain, nodes)
            for node in nodes:
                key = self._key(domain, node)
                edges_here = [self._with_keys(domain, edge) for edge in reply.edges.get(node, ())]
                node_edges = sorted([*edges_here, *links.get(key, ())], key=self._order)
                edges[key] = node_edges[: request.most]
                cut |= {key} if len(node_edges) > request.most else set()
            cut |= {self._key(domain, node) for node in reply.cut}
            hubs |= {self._key(domain, node) for node in reply.hubs}
            degrees |= {self._key(domain, node): count for node, count in reply.degrees.items()}
        return EdgeReply(edges, frozenset(cut), frozenset(hubs), degrees)

    def _key(self, domain: str, subject: str) -> str:
        return key_of(self.place.domain, domain, subject)

    async def _frontier(self, domain: str) -> Frontier | None:
        if domain not in self.others:
            place = self.place if domain == self.place.domain else DomainState(self.place.core, domain, None)
            try:
                weigher = self.scale if place is self.place else await create_weigher(place.core, domain)
            except GraphError as error:
                if error.code is not Code.ONTOLOGY_NOT_FOUND:
                    raise
                return None
            starts = tuple(ids_by_domain(self.place.domain, self.starts).get(domain, ()))
            self.others[domain] = Frontier(place, weigher, self.edges, self.nodes, starts, self.by, self.more)
        return self.others[domain]

    def _for_domain(self, request: EdgeRequest, domain: str, nodes: Sequence[str]) -> EdgeRequest:
        """Return the part of a request for one domain, with node ids in place of keys."""
        home = self.place.domain
        towards = None if request.towards is None else tuple(ids_by_domain(home, request.towards).get(domain, ()))
        known = tuple(ids_by_domain(home, request.known).get(domain, ()))
        return replace(request, nodes=tuple(nodes), known=known, towards=towards)

    def _with_keys(self, domain: str, edge: Edge) -> Edge:
        """Return a connection with keys of the walk instead of its ids."""
        if domain == self.place.domain:
            return edge
        ends = {"from_id": self._key(domain, edge.from_id), "to_id": self._key(domain, edge.to_id)}
        return replace(edge, id=self._key(domain, edge.id), **ends)

    async def _links(self, request: EdgeRequest, domain: str, nodes: Sequence[str]) -> Mapping[str, list[Edge]]:
        """Return the links that a walk can follow from a domain's nodes, by node key."""
        direction = self.edges.direction
        follows_out = direction == "both" or (direction == "out") != request.backward
        follows_in = direction == "both" or not follows_out
        directions = {"out": follows_out, "in": follows_in}
        arguments = {"ids": list(nodes), "least": self.edges.least, "limit": request.most + 1, **directions}
        rows = await self.place.core.store.read(LINKED, domain=domain, **arguments)
        links: dict[str, list[Edge]] = {}
        for row in rows:
            if not (can_read(row.source_domain) and can_read(row.target_domain)):
                continue
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
            if other not in request.known and (request.towards is None or other in request.towards):
                links.setdefault(node, []).append(edge)
        return await self._filter_links(links)

    async def _filter_links(self, links: Mapping[str, list[Edge]]) -> Mapping[str, list[Edge]]:
        if self.nodes.takes_all:
            return links
        admitted = set[str]()
        neighbours = {edge.other(node) for node, edges in links.items() for edge in edges}
        for domain, ids in ids_by_domain(self.place.domain, neighbours).items():
            if frontier := await self._frontier(domain):
                admitted |= {self._key(domain, node_id) for node_id in await frontier.filter_nodes(ids)}
        return {node: [edge for edge in edges if edge.other(node) in admitted] for node, edges in links.items()}
