"""Reading twenty domains under one in a call, beside one domain that holds as much as all of them."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.graph import GROUP, fresh, rare_word, say, write_nodes
from benchmarks.measure import Operation, compare
from benchmarks.report import single
from benchmarks.sizes import Place
from graph_memory import Memory, ontology_from

CHILDREN = 20
NODES_EACH = 500
TYPES = ontology_from({"node_types": [{"name": "Thing", "properties": {"code": {"indexed": True}}}]})


@dataclass(frozen=True)
class Sides:
    """The domain above the others, and the one beside them."""

    memory: Memory
    top: str
    whole: str

    async def query(self, turn: int) -> object:
        """Find the nodes of a value in all domains."""
        properties = {"code": turn % (CHILDREN * NODES_EACH // GROUP)}
        page = await self.memory.query_nodes(
            type="Thing", properties=properties, domain=self.top, include_children=True
        )
        assert len(page.node_ids) == GROUP
        return page

    async def query_one(self, turn: int) -> object:
        """Find them in the one domain."""
        properties = {"code": turn % (CHILDREN * NODES_EACH // GROUP)}
        return await self.memory.query_nodes(type="Thing", properties=properties, domain=self.whole, detail=True)

    async def search(self, turn: int) -> object:
        """Search all domains."""
        word = rare_word(turn % (CHILDREN * NODES_EACH // 1_000))
        return await self.memory.recall.search_memories(
            f"kitchen {word}", search_mode="lexical", domain=self.top, include_children=True
        )

    async def search_one(self, turn: int) -> object:
        """Search the one domain."""
        word = rare_word(turn % (CHILDREN * NODES_EACH // 1_000))
        return await self.memory.recall.search_memories(f"kitchen {word}", search_mode="lexical", domain=self.whole)

    async def write(self, turn: int) -> object:
        """Write to a domain that is under another."""
        return await self.memory.create_node("Thing", f"{turn}", domain=f"{self.top}/{turn % CHILDREN}")

    async def write_one(self, turn: int) -> object:
        """Write to a domain that is under none."""
        return await self.memory.create_node("Thing", f"{turn}", domain=self.whole)


async def domains(place: Place) -> str:
    """Return the table."""
    sides = await _fill(place.memory)
    sizes = f"{CHILDREN} domains of {NODES_EACH} nodes, beside one of {CHILDREN * NODES_EACH:,}"
    operations = [
        Operation(f"query_nodes, {sizes}", sides.query, sides.query_one),
        Operation(f"search_memories by words, {sizes}", sides.search, sides.search_one),
        Operation("create_node under another domain, beside one alone", sides.write, sides.write_one, writes=True),
    ]
    results = [await compare(operation, place.calls, turn=max(1, place.calls // 10)) for operation in operations]
    return "\n".join(["## Several domains\n", single(results)])


async def _fill(memory: Memory) -> Sides:
    top, whole = fresh("bench-tree-"), fresh("bench-whole-")
    say(f"{CHILDREN} domains of {NODES_EACH} nodes")
    await memory.create_ontology(TYPES, domain=top)
    await memory.create_ontology(TYPES, domain=whole)
    for child in range(CHILDREN):
        await memory.create_domain(f"{top}/{child}", parent=top)
        places = range(child * NODES_EACH, (child + 1) * NODES_EACH)
        for domain in (f"{top}/{child}", whole):
            await write_nodes(memory, domain, places)
    return Sides(memory, top, whole)
