"""Walks and paths in a random graph, each beside the raw driver on the same graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from neo4j import AsyncDriver

from benchmarks.graph import fresh, say
from benchmarks.measure import Operation, compare
from benchmarks.report import single
from benchmarks.sizes import Place
from graph_memory import Memory, ontology_from

LINKS = 3
"""Connections for each node."""
AT_ONCE = 1_000
DEPTH = 3
NODES = 50
NEIGHBOURHOOD = f"""
MATCH (n:_Node {{_domain: $domain, _id: $id}})-[r]-{{1,{DEPTH}}}(m)
RETURN DISTINCT m._id AS id, m._title AS title LIMIT {NODES}
"""
LARGEST_LINKED = 10_000
LINKED = 0.1
"""The part of the nodes that is linked to a copy of the graph in another domain."""
ABROAD = f"""
MATCH (n:_Node {{_domain: $domain, _id: $id}})-[r]-{{1,{2 * DEPTH}}}(m:_Node)
RETURN DISTINCT m._domain AS domain, m._id AS id, m._title AS title LIMIT {NODES}
"""
NEXT = "MATCH (n:_Node {_domain: $domain, _id: $id})-[r]-(m) RETURN r._id AS id, m._id AS other, m._title AS title"
PATH = """
MATCH p = SHORTEST 1 (a:_Node {_domain: $domain, _id: $id})-[]-{1,6}(b:_Node {_domain: $domain, _id: $other})
RETURN [n IN nodes(p) | n._id] AS ids
"""


@dataclass(frozen=True)
class Graph:
    """A random graph, asked in our way and by Cypher."""

    memory: Memory
    driver: AsyncDriver
    domain: str
    size: int
    seq: int

    def node(self, turn: int) -> str:
        """Return some node."""
        return f"n{turn * 7919 % self.size}"

    async def raw(self, statement: str, turn: int) -> object:
        """Ask the driver."""
        parameters = {"domain": self.domain, "id": self.node(turn), "other": self.node(turn + 1)}
        async with self.driver.session() as session:
            result = await session.run(statement, parameters)  # pyright: ignore[reportArgumentType]
            return await result.data()

    def walk(self, name: str, **arguments: object) -> Operation:
        """Return a walk, beside its floor."""
        limits: dict[str, object] = {"max_depth": DEPTH, "max_nodes": NODES, **arguments}

        async def ours(turn: int) -> object:
            return await self.memory.recall.traverse_memories(self.node(turn), **limits)  # pyright: ignore[reportArgumentType]

        return Operation(f"{name}, {self.size:,} nodes", ours, lambda turn: self.raw(NEIGHBOURHOOD, turn))

    async def walk_over_links(self) -> Operation:
        """Return a walk over links to a copy of the graph, once there are some."""
        copy = f"{self.domain}-copy"
        await self.memory.history.branch(copy)
        say(f"linking {self.size * LINKED:,.0f} nodes")
        for number in range(0, self.size, round(1 / LINKED)):
            await self.memory.links.create_cross_domain_link(f"n{number}", copy, f"n{self.size - number - 1}")
        walk = self.walk(f"the same over links, of which a tenth of the nodes has one, max {NODES}", cross_domains=True)
        return replace(walk, floor=lambda turn: self.raw(ABROAD, turn))

    def path(self, mode: str) -> Operation:
        """Return a search for paths, beside the shortest path of the driver."""

        async def ours(turn: int) -> object:
            path = self.memory.recall.find_path
            return await path(self.node(turn), self.node(turn + 1), mode=mode, max_depth=6)  # pyright: ignore[reportArgumentType]

        return Operation(f"path, {mode}, {self.size:,} nodes", ours, lambda turn: self.raw(PATH, turn))


async def walks(place: Place, sizes: Sequence[int]) -> str:
    """Return the table."""
    operations: list[Operation] = []
    for size in sizes:
        graph = await _fill(place, size)
        operations += [
            graph.walk(f"breadth first to depth {DEPTH}, {NODES} nodes at most"),
            graph.walk("the same, weighted", strategy="weighted"),
            graph.walk("the same, as of halfway through the connections", as_of=graph.seq),
            Operation(
                f"neighbors, {size:,} nodes",
                lambda turn, graph=graph: graph.memory.recall.get_neighbors(graph.node(turn)),
                lambda turn, graph=graph: graph.raw(NEXT, turn),
            ),
            graph.path("shortest"),
            graph.path("k_shortest"),
        ]
        operations += [await graph.walk_over_links()] if size <= LARGEST_LINKED else []
    results = [await compare(operation, place.calls, turn=max(1, place.calls // 10)) for operation in operations]
    return "\n".join(["## Walks and paths\n", single(results)])


async def _fill(place: Place, size: int) -> Graph:
    domain, random = fresh(f"bench-walks-{size}-"), Random(size)
    memory = place.memory.in_domain(domain)
    say(f"a random graph of {size:,} nodes")
    types = {"node_types": ["Thing"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
    await memory.create_ontology(ontology_from(types))
    for start in range(0, size, AT_ONCE):
        page = range(start, min(start + AT_ONCE, size))
        await memory.execute_batch(
            [
                {"op": "create_node", "type": "Thing", "content": f"Thing {number}", "id": f"n{number}"}
                for number in page
            ]
        )
    seq = 0
    for start in range(0, size * LINKS, AT_ONCE):
        page = range(start, min(start + AT_ONCE, size * LINKS))
        await memory.execute_batch([_link(random, size) for _ in page])
        if seq == 0 and start + AT_ONCE >= size * LINKS // 2:
            seq = (await memory.history.log(limit=1)).entries[0].seq
    return Graph(memory, place.driver, domain, size, seq)


def _link(random: Random, size: int) -> dict[str, object]:
    ends = {"from_node_id": f"n{random.randrange(size)}", "to_node_id": f"n{random.randrange(size)}"}
    return {"op": "create_connection", "type": "Link", **ends, "strength": random.random()}
