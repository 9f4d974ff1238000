"""The operations, each beside its floor."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from neo4j import AsyncDriver, AsyncManagedTransaction
from neo4j.exceptions import TransientError

from benchmarks.graph import BATCH, GROUP, RAW_NODES, fresh, node_id, rare_word, raw_node, text_of, write_nodes
from benchmarks.measure import Operation
from graph_memory import Memory

PLAIN = range(1, BATCH + 1)
"""Places whose texts have no rare word."""


@dataclass(frozen=True)
class Sides:
    """Both graphs of a size."""

    memory: Memory
    driver: AsyncDriver
    domain: str
    size: int

    def operations(self) -> Sequence[Operation]:
        """Return the operations to compare."""
        return (
            Operation("get_node", self.get, self.raw_get),
            Operation("query_nodes, indexed property", self.query, self.raw_query),
            Operation("get_connected_nodes", self.neighbours, self.raw_neighbours),
            Operation("search_content, rare word", self.search, self.raw_search),
            Operation("create_node", self.create, self.raw_create, writes=True),
            Operation("update_node", self.update, self.raw_update, writes=True),
            Operation("create_connection", self.connect, self.raw_connect, writes=True),
        )

    def batch(self) -> Operation:
        """Return a batch of nodes in one write, beside one UNWIND."""
        return Operation(f"{BATCH} nodes in one write", self.create_many, self.raw_create_many, writes=True)

    def any_id(self, place: int) -> str:
        """Return an id, the same for the same place."""
        return node_id(random.Random(place).randrange(self.size))

    async def raw(self, statement: str, **arguments: object) -> list[dict[str, object]]:
        """Run one statement in a transaction of its own, again after a deadlock, as ours is."""
        while True:
            try:
                async with self.driver.session() as session:
                    result = await session.run(statement, domain=self.domain, **arguments)  # pyright: ignore[reportArgumentType]
                    return await result.data()
            except TransientError:
                continue

    async def get(self, place: int) -> object:
        """Read a node."""
        return await self.memory.get_node(self.any_id(place))

    async def raw_get(self, place: int) -> object:
        """Match a node."""
        return await self.raw("MATCH (n:Bench {domain: $domain, id: $id}) RETURN n", id=self.any_id(place))

    async def query(self, place: int) -> object:
        """Find the nodes with a value."""
        code = random.Random(place).randrange(self.size) // GROUP
        ids = (await self.memory.query_nodes(type="Thing", properties={"code": code})).node_ids
        assert ids
        return ids

    async def raw_query(self, place: int) -> object:
        """Match the nodes with a value."""
        code = random.Random(place).randrange(self.size) // GROUP
        results = await self.raw("MATCH (n:Bench {domain: $domain, code: $code}) RETURN n.id ORDER BY n.id", code=code)
        assert results
        return results

    async def neighbours(self, place: int) -> object:
        """Find what is around a node."""
        return await self.memory.get_connected_nodes(self.any_id(place), direction="out", connection_type="Link")

    async def raw_neighbours(self, place: int) -> object:
        """Match what is around a node."""
        statement = "MATCH (:Bench {domain: $domain, id: $id})-[:BenchLink]->(m) RETURN DISTINCT m.id ORDER BY m.id"
        return await self.raw(statement, id=self.any_id(place))

    async def search(self, place: int) -> object:
        """Search for a word that is in one text."""
        ids = (await self.memory.search_content(self.rare(place))).node_ids
        assert len(ids) == 1
        return ids

    async def raw_search(self, place: int) -> object:
        """Ask the full-text index for the same word."""
        statement = (
            "CALL db.index.fulltext.queryNodes('bench_text', $word) YIELD node WITH node "
            "WHERE node.domain = $domain RETURN node.id"
        )
        results = await self.raw(statement, word=self.rare(place))
        assert len(results) == 1
        return results

    def rare(self, place: int) -> str:
        """Return a word that is in one text."""
        return rare_word(random.Random(place).randrange(self.size // 1000))

    async def create(self, place: int) -> object:
        """Create a node."""
        return await self.memory.create_node("Thing", text_of(place * 1000 + 1), properties={"code": -1})

    async def raw_create(self, place: int) -> object:
        """Create a node with the same indexes."""
        return await self.raw("CREATE (n:Bench) SET n = $row", row=raw_node(self.domain, 1, fresh("new")))

    async def update(self, place: int) -> object:
        """Change a property."""
        return await self.memory.update_node(self.any_id(place), properties={"turn": fresh("")})

    async def raw_update(self, place: int) -> object:
        """Read, then write, in one transaction."""
        node = self.any_id(place)

        async def work(transaction: AsyncManagedTransaction) -> None:
            match = "MATCH (n:Bench {domain: $domain, id: $id}) "
            read = await transaction.run(match + "RETURN n", domain=self.domain, id=node)
            await read.data()
            written = await transaction.run(match + "SET n.turn = $turn", domain=self.domain, id=node, turn=fresh(""))
            await written.consume()

        async with self.driver.session() as session:
            return await session.execute_write(work)

    async def connect(self, place: int) -> object:
        """Connect two nodes."""
        return await self.memory.create_connection("Link", self.any_id(place), self.any_id(-place - 1))

    async def raw_connect(self, place: int) -> object:
        """Match two nodes and connect them."""
        statement = (
            "MATCH (a:Bench {domain: $domain, id: $from}) MATCH (b:Bench {domain: $domain, id: $to}) "
            "CREATE (a)-[:BenchLink {domain: $domain, id: $id}]->(b)"
        )
        ends = {"from": self.any_id(place), "to": self.any_id(-place - 1)}
        return await self.raw(statement, id=fresh("link"), **ends)

    async def create_many(self, place: int) -> object:
        """Write a batch of nodes."""
        return await write_nodes(self.memory, self.domain, PLAIN, prefix=fresh("batch"))

    async def raw_create_many(self, place: int) -> object:
        """Write a batch of nodes with one UNWIND."""
        prefix = fresh("batch")
        rows = [raw_node(self.domain, step, f"{prefix}{step}") for step in PLAIN]
        return await self.raw(RAW_NODES, rows=rows)
