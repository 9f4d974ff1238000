"""The six scenarios of the specification, step by step."""

from __future__ import annotations

import pytest

from acceptance.agents import Agent, connect
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

NEXT_ACTION = {"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"]}
DEPENDS_ON = {"name": "DependsOn", "from_types": ["Action"], "to_types": ["Action"]}


@pytest.mark.long
async def test_a_gtd_project_with_a_next_action_outlives_its_server(environment: dict[str, str], domain: str):
    async with connect(environment, "--domain", domain) as agent:
        await agent.call("create_ontology", node_types=["Project", "Action"], connection_types=[NEXT_ACTION])
        project = await agent.call(
            "create_node",
            type="Project",
            content="# Kitchen Renovation\n\nBudget: $50k",
            format="markdown",
            properties={"status": "active"},
        )
        action = await agent.call(
            "create_node",
            type="Action",
            content="# Call contractor\n\nGet 3 quotes",
            format="markdown",
            properties={"status": "next"},
        )
        connection = await agent.call(
            "create_connection",
            type="NextAction",
            from_node_id=project["node_id"],
            to_node_id=action["node_id"],
            properties={"priority": "high"},
        )

        assert await agent.ids_of("query_nodes") == sorted([project["node_id"], action["node_id"]])
        assert await agent.ids_of("query_connections") == [connection["connection_id"]]
        assert await agent.content(project["node_id"]) == "# Kitchen Renovation\n\nBudget: $50k"
        assert await agent.content(action["node_id"]) == "# Call contractor\n\nGet 3 quotes"
        node = await agent.call("get_node", node_id=project["node_id"])
        assert (node["type"], node["properties"]) == ("Project", {"status": "active"})
        follow = {"node_id": project["node_id"], "connection_type": "NextAction", "direction": "out"}
        assert await agent.call("get_connected_nodes", **follow) == {"node_ids": [action["node_id"]]}

    async with connect(environment, "--domain", domain) as restarted:
        assert await restarted.call("get_node", node_id=project["node_id"]) == node
        assert await restarted.call("get_connected_nodes", **follow) == {"node_ids": [action["node_id"]]}


async def test_an_invalid_topology_is_rejected_and_leaves_nothing(agent: Agent):
    types = ["Project", "Action", "Person"]
    await agent.call("create_ontology", node_types=types, connection_types=[NEXT_ACTION])
    project, person = await agent.node("Project"), await agent.node("Person")

    error = await agent.error_of("create_connection", type="NextAction", from_node_id=project, to_node_id=person)

    assert error.code is Code.INVALID_TOPOLOGY
    assert error.message == "Cannot connect Project to Person with NextAction. Valid targets: [Action]"
    assert await agent.call("query_connections", from_node_id=project) == {"connection_ids": []}
    assert await agent.call("query_connections") == {"connection_ids": []}


async def test_deleting_a_node_deletes_its_connections_and_no_others(agent: Agent):
    types = ["Project", "Action"]
    await agent.call("create_ontology", node_types=types, connection_types=[NEXT_ACTION, DEPENDS_ON])
    project = await agent.node("Project", "# Kitchen")
    first, second, third = [await agent.node("Action") for _ in range(3)]
    results = [await agent.connection("NextAction", project, action) for action in (first, second)]
    kept = await agent.connection("DependsOn", second, third)

    await agent.call("delete_node", node_id=project)

    for tool in ("get_node", "get_node_content"):
        assert (await agent.error_of(tool, node_id=project)).code is Code.NODE_NOT_FOUND
    for connection in results:
        error = await agent.error_of("get_connection", connection_id=connection)
        assert error.code is Code.CONNECTION_NOT_FOUND
    assert (await agent.call("get_connection", connection_id=kept))["from_node_id"] == second
    assert await agent.ids_of("query_connections") == [kept]
    assert await agent.ids_of("query_nodes") == sorted([first, second, third])


async def test_nodes_are_queried_by_all_properties_given(agent: Agent):
    await agent.call("create_ontology", node_types=["Action"], connection_types=[])
    phone = await agent.node("Action", properties={"status": "next", "context": "phone"})
    await agent.node("Action", properties={"status": "next", "context": "computer"})
    await agent.node("Action", properties={"status": "waiting", "context": "phone"})
    urgent = await agent.node("Action", properties={"status": "next", "context": "phone", "priority": "high"})

    results = await agent.ids_of("query_nodes", type="Action", properties={"status": "next", "context": "phone"})

    assert results == sorted([phone, urgent])


async def test_required_properties_of_a_connection_are_enforced(gtd: Agent):
    action, person = await gtd.node("Action"), await gtd.node("Person")
    ends = {"type": "WaitingFor", "from_node_id": action, "to_node_id": person}

    error = await gtd.error_of("create_connection", **ends, properties={"since": "2025-10-15"})

    assert error.code is Code.REQUIRED_PROPERTY_MISSING
    assert error.message == (
        "Connection type WaitingFor requires properties: [since, follow_up_date]. Missing: [follow_up_date]"
    )
    assert await gtd.call("query_connections", type="WaitingFor") == {"connection_ids": []}


async def test_content_search_finds_the_matching_nodes(gtd: Agent):
    kitchen = await gtd.node("Project", "# Kitchen Renovation\n\nModern farmhouse style")
    bathroom = await gtd.node("Project", "# Bathroom Remodel\n\nFarmhouse sink and fixtures")
    sinks = await gtd.node("Action", "# Research farmhouse sinks\n\nFind suppliers")
    await gtd.node("Action", "# Call plumber\n\nSchedule bathroom work")

    everything = sorted([kitchen, bathroom, sinks])
    assert await gtd.ids_of("search_content", query="farmhouse", limit=10) == everything
    assert await gtd.ids_of("search_content", query="farmhouse", node_type="Project", limit=10) == sorted(
        [kitchen, bathroom]
    )
    two = (await gtd.call("search_content", query="farmhouse", limit=2))["node_ids"]
    assert len(set(two)) == 2
    assert set(two) < set(everything)
