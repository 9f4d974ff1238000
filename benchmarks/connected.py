"""Neighbours by a type, by its inverse and over many connections, each beside the raw driver on the same graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from neo4j import AsyncDriver

from benchmarks.graph import fresh, say
from benchmarks.measure import Operation, compare
from benchmarks.report import single
from benchmarks.sizes import Place
from graph_memory import Memory, load_ontology, merge_ontologies, ontology_from

HUB = 100_000
"""Parts of the largest whole."""
SMALL = 10
"""Parts of the others."""
DEPTH = 5
"""How far a tree reaches in which each whole has `SPREAD` parts."""
SPREAD = 5
PAGE = 100
"""Neighbours that a call asks for."""
LEAST = 0.8
"""The weight of one in ten connections of the hub."""
AT_ONCE = 5_000
Pair = tuple[str, str]

NEIGHBOURS = """
MATCH (n:_Node {_domain: $domain, _id: $id})-[:contains]->(m) RETURN m._id AS id ORDER BY id LIMIT $limit
"""
WHOLES = "MATCH (n:_Node {_domain: $domain, _id: $id})<-[:contains]-(m) RETURN m._id AS id ORDER BY id LIMIT $limit"
CLOSURE = f"""
MATCH (n:_Node {{_domain: $domain, _id: $id}})-[:contains]->{{1,{DEPTH}}}(m) RETURN DISTINCT m._id AS id ORDER BY id
"""
WEIGHED = """
MATCH (n:_Node {_domain: $domain, _id: $id})-[r:contains]->(m)
WITH r, m, (coalesce(r._strength_semantic, 0.5) + coalesce(r._strength_structural, 0.5)) / 2
  * coalesce(r._strength_confidence, 0.9) * coalesce(r._strength_temporal, 1.0)
  * 2.0 ^ (-(datetime().epochMillis - r._modified.epochMillis) / 86400000.0 / 365.0) AS weight
"""
STRONGEST = f"{WEIGHED} RETURN r._id AS id, weight ORDER BY weight DESC LIMIT $limit"
STRONG = f"{WEIGHED} WHERE weight >= {LEAST} RETURN m._id AS id ORDER BY id LIMIT $limit"


@dataclass(frozen=True)
class Parts:
    """Wholes with their parts, asked for in our way and by Cypher for this graph alone."""

    memory: Memory
    driver: AsyncDriver
    domain: str

    async def ours(self, node: str, name: str, *, transitive: bool = False) -> object:
        """Ask for what a node is connected to."""
        options = {"max_depth": DEPTH} if transitive else {"limit": PAGE}
        return await self.memory.get_connected_nodes(
            node, direction="out", connection_type=name, transitive=transitive, **options
        )

    async def strong(self, node: str) -> object:
        """Ask for what a node is connected to by connections that count."""
        return await self.memory.get_connected_nodes(
            node, direction="out", connection_type="contains", min_strength=LEAST, limit=PAGE
        )

    async def strongest(self, node: str) -> object:
        """Ask for the connections of a node that count most."""
        return await self.memory.get_strongest_connections(
            node, direction="out", connection_type="contains", limit=PAGE
        )

    async def raw(self, statement: str, node: str) -> object:
        """Ask the driver."""
        async with self.driver.session() as session:
            result = await session.run(statement, domain=self.domain, id=node, limit=PAGE)  # pyright: ignore[reportArgumentType]
            return await result.data()

    def operation(self, name: str, node: str, type_name: str, statement: str, *, transitive: bool = False) -> Operation:
        """Return a question, beside its floor."""
        return Operation(
            name,
            lambda _: self.ours(node, type_name, transitive=transitive),
            lambda _: self.raw(statement, node),
        )


async def compare_connected_nodes(place: Place) -> str:
    """Return the table."""
    domain = fresh("bench-parts-")
    memory = place.memory.in_domain(domain)
    say(f"a whole of {HUB:,} parts, and a tree of depth {DEPTH}")
    ontology = ontology_from({"node_types": ["Thing"], "connection_types": []})
    await memory.apply_ontology(merge_ontologies([ontology, load_ontology("standard")]))
    pairs = [("few", f"few-{part}") for part in range(SMALL)]
    pairs += [("hub", f"hub-{part}") for part in range(HUB)]
    pairs += _tree("tree", DEPTH)
    await _fill(memory, pairs)
    parts = Parts(memory, place.driver, domain)
    operations = [
        parts.operation(f"{SMALL} parts", "few", "contains", NEIGHBOURS),
        parts.operation("the whole of a part, by the inverse", "few-1", "part_of", WHOLES),
        parts.operation(f"{PAGE} of {HUB:,} parts", "hub", "contains", NEIGHBOURS),
        parts.operation(f"the whole of one of {HUB:,} parts, by the inverse", "hub-1", "part_of", WHOLES),
        Operation(
            f"the strongest {PAGE} of {HUB:,}",
            lambda _: parts.strongest("hub"),
            lambda _: parts.raw(STRONGEST, "hub"),
        ),
        Operation(
            f"{PAGE} of {HUB:,} parts, min_strength {LEAST}",
            lambda _: parts.strong("hub"),
            lambda _: parts.raw(STRONG, "hub"),
        ),
        parts.operation(f"all parts to depth {DEPTH}", "tree", "contains", CLOSURE, transitive=True),
    ]
    calls = [place.calls // part for part in (1, 1, 10, 1, 10, 10, 5)]
    results = [
        await compare(operation, count, turn=max(1, count // 10))
        for operation, count in zip(operations, calls, strict=True)
    ]
    return "\n".join(["## Connected nodes, inverses and closures\n", single(results)])


def _tree(root: str, depth: int) -> Iterator[Pair]:
    for part in range(SPREAD if depth else 0):
        yield root, f"{root}-{part}"
        yield from _tree(f"{root}-{part}", depth - 1)


async def _fill(memory: Memory, pairs: list[Pair]) -> None:
    nodes = iter(dict.fromkeys(node for pair in pairs for node in pair))
    while some := [*islice(nodes, AT_ONCE)]:
        await memory.execute_batch(
            [{"op": "create_node", "type": "Thing", "content": "", "id": node_id} for node_id in some]
        )
    links = iter(pairs)
    while few := [*islice(links, AT_ONCE)]:
        await memory.execute_batch(
            [
                {
                    "op": "create_connection",
                    "type": "contains",
                    "from_node_id": whole,
                    "to_node_id": part,
                    **_strength(place),
                }
                for place, (whole, part) in enumerate(few)
            ]
        )


def _strength(place: int) -> dict[str, float]:
    return {"strength": place % 10 / 9}
