"""The least that a graph database must do for the same requests: the raw driver, without a log and without rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neo4j import AsyncDriver

SCHEMA = (
    "CREATE CONSTRAINT bench_entity IF NOT EXISTS FOR (n:BenchEntity) REQUIRE (n.domain, n.name) IS UNIQUE",
    "CREATE FULLTEXT INDEX bench_entity_text IF NOT EXISTS FOR (n:BenchEntity) ON EACH [n.name, n.observations]",
)
CREATE = """
UNWIND $rows AS row
MERGE (n:BenchEntity {domain: $domain, name: row.name})
ON CREATE SET n.type = 'concept', n.observations = row.observations
"""
ADD = "MATCH (n:BenchEntity {domain: $domain, name: $name}) SET n.observations = n.observations + $text"
OPEN = "MATCH (n:BenchEntity {domain: $domain, name: $name}) RETURN n.name, n.type, n.observations"
SEARCH = """
CALL db.index.fulltext.queryNodes('bench_entity_text', $wanted) YIELD node WITH node WHERE node.domain = $domain
RETURN node.name, node.type, node.observations
"""
READ = "MATCH (n:BenchEntity {domain: $domain}) RETURN n.name, n.type, n.observations"


@dataclass(frozen=True)
class Raw:
    """The driver, and the domain of a graph that it keeps."""

    driver: AsyncDriver
    domain: str

    async def prepare(self) -> None:
        """Make the constraint and the index."""
        for statement in SCHEMA:
            await self.driver.execute_query(statement)  # pyright: ignore[reportArgumentType]
        await self.driver.execute_query("CALL db.awaitIndexes()")

    async def run(self, statement: str, **arguments: object) -> list[dict[str, object]]:
        """Run one statement in a transaction of its own."""
        async with self.driver.session() as session:
            result = await session.run(statement, domain=self.domain, **arguments)  # pyright: ignore[reportArgumentType]
            return await result.data()

    async def create(self, entities: Mapping[str, Sequence[str]]) -> object:
        """Create entities, each with its observations."""
        rows = [{"name": name, "observations": [*texts]} for name, texts in entities.items()]
        return await self.run(CREATE, rows=rows)

    async def add(self, name: str, text: str) -> object:
        """Add an observation."""
        return await self.run(ADD, name=name, text=text)

    async def open(self, name: str) -> object:
        """Read an entity."""
        return await self.run(OPEN, name=name)

    async def search(self, query: str) -> object:
        """Search for a word."""
        return await self.run(SEARCH, wanted=query)

    async def read(self) -> object:
        """Read all entities."""
        return await self.run(READ)
