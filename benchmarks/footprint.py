"""The memory of the service: what its process holds after more and more calls of all kinds."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.graph import GROUP, ONTOLOGY, fresh, say, text_of
from benchmarks.report import table
from benchmarks.servers import Server, over_stdio
from graph_memory import Memory, Settings

ROUND = 10
"""Calls of one round."""
POINTS = 5
MIB = 2**20


@dataclass(frozen=True)
class Agent:
    """An agent that writes, reads and searches in a domain."""

    server: Server
    domain: str

    async def round(self, turn: int) -> None:
        """Make ten calls: four writes, and reads of every kind."""
        first = await self._create(turn, "a")
        second = await self._create(turn, "b")
        await self.call("update_node", node_id=first, properties={"turn": turn})
        link = {"type": "Link", "from_node_id": first, "to_node_id": second}
        connection = (await self.call("create_connection", **link))["connection_id"]
        await self.call("get_node", node_id=first)
        await self.call("get_node_content", node_id=second)
        await self.call("get_connection", connection_id=connection)
        await self.call("get_connected_nodes", node_id=second, direction="in")
        await self.call("query_nodes", type="Thing", properties={"code": turn // GROUP})
        await self.call("search_content", query=f"{turn}b is")

    async def _create(self, turn: int, which: str) -> str:
        content = f"{text_of(turn)} {turn}{which} is this one"
        made = await self.call(
            "create_node", type="Thing", content=content, format="markdown", properties={"code": turn // GROUP}
        )
        return str(made["node_id"])

    async def call(self, tool: str, /, **arguments: object) -> dict[str, object]:
        """Return the structured result of a tool."""
        result = await self.server.call(tool, domain=self.domain, **arguments)
        assert result.structured_content is not None
        return result.structured_content


async def footprint(memory: Memory, settings: Settings, calls: int) -> str:
    """Return a table of the memory of a server process that answers so many mixed calls over stdio."""
    domain = fresh("footprint-")
    await memory.create_ontology(ONTOLOGY, domain=domain)
    async with over_stdio(settings) as server:
        agent = Agent(server, domain)
        await agent.call("query_nodes")
        readings = [(0, resident(server))]
        for point in range(POINTS):
            say(f"memory of the service, {point * calls // POINTS:,} of {calls:,} calls")
            for turn in range(point * calls // POINTS // ROUND, (point + 1) * calls // POINTS // ROUND):
                await agent.round(turn)
            readings.append(((point + 1) * calls // POINTS, resident(server)))
    rows = [(f"{made:,}", f"{size:.1f}", f"{size - readings[1][1]:+.1f}") for made, size in readings]
    heading = ("calls made", "MiB resident", f"since {readings[1][0]:,} calls")
    return "\n".join(["## Memory of the service (MCP over stdio)\n", table(heading, rows)])


def resident(server: Server) -> float:
    """Return the resident memory of a server process in MiB."""
    return server.process.memory_info().rss / MIB
