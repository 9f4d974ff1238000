"""Acknowledged writes are stored: after a restart, after a kill, and for every other process."""

from __future__ import annotations

from typing import Any

import anyio
import psutil
import pytest

from acceptance.agents import GTD, Agent, ToolError, connect, verify
from graph_memory.model.errors import Code

pytestmark = [pytest.mark.long, pytest.mark.anyio]


async def everything(agent: Agent) -> dict[str, Any]:
    """Return all that an agent can see of its domain."""
    nodes = await agent.ids_of("query_nodes")
    connections = await agent.ids_of("query_connections")
    return {
        "ontology": await agent.call("get_ontology", detail=True),
        "nodes": [await agent.call("get_node", node_id=node) for node in nodes],
        "contents": [await agent.call("get_node_content", node_id=node) for node in nodes],
        "connections": [await agent.call("get_connection", connection_id=c, include_content=True) for c in connections],
        "found": await agent.ids_of("search_content", query="needle"),
    }


async def fill(agent: Agent) -> None:
    """Write subjects of every kind, and delete some of them."""
    await agent.call("create_ontology", **GTD)
    await agent.call("add_node_type", type_name="Document")
    project = await agent.node("Project", "# Kitchen with a needle", properties={"status": "active", "rank": 1})
    actions = [await agent.node("Action", f"Action {number}", tags=["t"], path="p") for number in range(3)]
    await agent.node("Document", "large needle " * 3_000, format="text")
    await agent.node("Document", "AAECAwQ=", encoding="base64", format="png")
    made = [await agent.connection("NextAction", project, action, content="notes") for action in actions]
    await agent.call("update_connection", connection_id=made[0], properties={"priority": "high"})
    await agent.call("update_node", node_id=actions[0], content="Done, with a needle", encoding="utf-8")
    await agent.call("delete_connection", connection_id=made[1])
    await agent.call("delete_node", node_id=actions[2])


async def test_nodes_connections_and_the_ontology_outlive_the_server(environment: dict[str, str], domain: str):
    async with connect(environment, domain=domain) as agent:
        await fill(agent)
        before = await everything(agent)
    assert [len(before[kind]) for kind in ("nodes", "connections", "found")] == [5, 1, 3]

    async with connect(environment, domain=domain) as restarted:
        assert await everything(restarted) == before
        await restarted.node("Document", "another")
        assert (await restarted.error_of("create_ontology", **GTD)).code is Code.ONTOLOGY_ALREADY_EXISTS


async def test_every_change_is_kept_at_once_even_if_the_server_is_killed(
    environment: dict[str, str], gtd: Agent, domain: str
):
    async with connect(environment, "--domain", domain) as agent:
        [process] = [child for child in psutil.Process().children() if domain in child.cmdline()]
        project = await agent.node("Project", "written just before the end", properties={"step": 1})
        action = await agent.node("Action", "x" * 20_000)
        connection = await agent.connection("NextAction", project, action)
        await agent.call("update_node", node_id=project, properties={"step": 2})
        process.kill()

    assert (await gtd.call("get_node", node_id=project))["properties"] == {"step": 2}
    assert await gtd.content(action) == "x" * 20_000
    assert (await gtd.call("get_connection", connection_id=connection))["to_node_id"] == action
    assert await gtd.ids_of("search_content", query="just before") == [project]
    assert await gtd.node("Project")


async def test_two_servers_of_one_domain_see_each_others_changes_at_once(environment: dict[str, str], gtd: Agent):
    async with connect(environment, domain=gtd.domain) as other:
        node = await gtd.node("Project", "needle")
        assert await other.content(node) == "needle"
        assert await other.ids_of("search_content", query="needle") == [node]

        await other.call("add_node_type", type_name="Document")
        document = await gtd.node("Document", "needle")
        assert await other.ids_of("search_content", query="needle") == sorted([node, document])
        assert "Document" in (await gtd.call("get_ontology"))["node_types"]

        seen = (await gtd.call("get_node", node_id=node))["version"]
        await other.call("update_node", node_id=node, properties={"a": 1})
        error = await gtd.error_of("update_node", node_id=node, properties={"a": 2}, expected_version=seen)
        assert error.code is Code.VERSION_CONFLICT

        await other.call("delete_node", node_id=node)
        assert (await gtd.error_of("get_node", node_id=node)).code is Code.NODE_NOT_FOUND
        assert await gtd.ids_of("search_content", query="needle") == [document]


async def test_calls_at_once_from_two_servers_lose_nothing(environment: dict[str, str], gtd: Agent):
    hub = await gtd.node("Project", "hub")
    start = (await gtd.call("get_node", node_id=hub))["version"]
    made: list[str] = []
    won: list[int] = []
    lost: list[Code] = []

    async def work(agent: Agent, number: int) -> None:
        action = await agent.node("Action", f"needle {number}", properties={"number": number})
        made.append(await agent.connection("NextAction", hub, action))
        await agent.call("update_node", node_id=hub, properties={f"from_{number}": number})

    async def race(agent: Agent, number: int) -> None:
        try:
            await agent.call("update_node", node_id=target, properties={"winner": number}, expected_version=version)
        except ToolError as error:
            lost.append(error.code)
        else:
            won.append(number)

    async with connect(environment, domain=gtd.domain) as other:
        async with anyio.create_task_group() as tasks:
            for number in range(12):
                tasks.start_soon(work, (gtd, other)[number % 2], number)
        target = await gtd.node("Project", "a race")
        version = (await gtd.call("get_node", node_id=target))["version"]
        async with anyio.create_task_group() as tasks:
            for number in range(6):
                tasks.start_soon(race, (gtd, other)[number % 2], number)

    shown = await gtd.call("get_node", node_id=hub)
    assert shown["properties"] == {f"from_{number}": number for number in range(12)}
    assert shown["version"] > start
    assert await gtd.ids_of("query_connections", from_node_id=hub) == sorted(made)
    assert len(await gtd.ids_of("search_content", query="needle")) == 12
    [winner] = won
    assert lost == [Code.VERSION_CONFLICT] * 5
    assert (await gtd.call("get_node", node_id=target))["properties"] == {"winner": winner}
    assert verify(environment, str(gtd.domain))["subjects"] > 25
