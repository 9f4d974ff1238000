"""A server process takes no more and more memory. `make bench` watches it for longer."""

from __future__ import annotations

from collections.abc import Mapping

import psutil
import pytest

from acceptance.agents import GTD, Agent, connect

pytestmark = pytest.mark.anyio

ROUNDS = 40
MOST = 12.0
"""MiB that a server may take more after so many rounds of ten calls; it takes less than one."""


async def test_a_server_that_has_answered_hundreds_of_calls_holds_no_more_memory(
    environment: Mapping[str, str], domain: str
):
    before = set(psutil.Process().children())
    async with connect(environment, domain=domain) as agent:
        [server] = set(psutil.Process().children()) - before
        await agent.call("create_ontology", **GTD)
        await all_kinds_of_calls(agent, ROUNDS // 3)
        settled = resident(server)
        await all_kinds_of_calls(agent, ROUNDS)
        assert resident(server) - settled < MOST


async def all_kinds_of_calls(agent: Agent, rounds: int) -> None:
    """Make ten calls a round: writes, reads, searches and refusals."""
    for turn in range(rounds):
        project = await agent.node("Project", f"# Kitchen {turn}\n\n" + "farmhouse style " * 50)
        action = await agent.node("Action", f"# Call {turn}")
        connection = await agent.connection("NextAction", project, action)
        await agent.call("update_node", node_id=action, properties={"turn": turn})
        await agent.call("get_node", node_id=project)
        await agent.content(project)
        await agent.call("get_connection", connection_id=connection)
        await agent.call("get_connected_nodes", node_id=project, direction="out")
        await agent.call("search_content", query=f"kitchen {turn}", limit=10)
        await agent.error_of("create_node", type="Nothing", content="", format="markdown")


def resident(server: psutil.Process) -> float:
    return server.memory_info().rss / 2**20
