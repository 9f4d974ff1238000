"""A call that fails leaves everything as it was; a call that succeeds is done as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.agents import GTD, Agent, verify
from acceptance.mcp.test_persistence import everything, fill
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


@pytest.mark.long
async def test_failing_calls_of_all_kinds_leave_the_domain_as_it_was(environment: dict[str, str], agent: Agent):
    await fill(agent)
    project, action = [await agent.ids_of("query_nodes", type=kind) for kind in ("Project", "Action")]
    [connection] = await agent.ids_of("query_connections")
    results, ends = {"node_id": project[0]}, {"from_node_id": project[0], "to_node_id": action[0]}
    node = {"content": "x" * 20_000, "format": "text"}
    before, log = await everything(agent), verify(environment, str(agent.domain))

    failing: list[tuple[Code, str, dict[str, Any]]] = [
        (Code.INVALID_NODE_TYPE, "create_node", {"type": "Nothing", **node}),
        (Code.INVALID_PROPERTY, "create_node", {"type": "Project", **node, "properties": {"good": 1, "bad": None}}),
        (Code.INVALID_ENCODING, "create_node", {"type": "Project", **node, "encoding": "base64", "content": "#"}),
        (Code.INVALID_ARGUMENT, "create_node", {"type": "Project", **node, "format": "a\nb"}),
        (
            Code.INVALID_ENCODING,
            "update_node",
            {**results, "content": "#", "encoding": "base64", "properties": {"a": 1}},
        ),
        (Code.INVALID_PROPERTY, "update_node", {**results, "format": "new", "properties": {"_a": 1}}),
        (Code.VERSION_CONFLICT, "update_node", {**results, "properties": {"a": 1}, "expected_version": 0}),
        (Code.NODE_NOT_FOUND, "update_node", {"node_id": "mem_x", "content": "new", "encoding": "utf-8"}),
        (Code.VERSION_CONFLICT, "delete_node", {**results, "expected_version": 0}),
        (Code.NODE_NOT_FOUND, "delete_node", {"node_id": "mem_x"}),
        (Code.INVALID_CONNECTION_TYPE, "create_connection", {"type": "Nothing", **ends, "content": "x" * 20_000}),
        (Code.INVALID_TOPOLOGY, "create_connection", {"type": "RequiresContext", **ends}),
        (Code.INVALID_TOPOLOGY, "create_connection", {"type": "WaitingFor", **ends}),
        (Code.NODE_NOT_FOUND, "create_connection", {"type": "NextAction", **ends, "to_node_id": "mem_x"}),
        (Code.INVALID_PROPERTY, "create_connection", {"type": "NextAction", **ends, "properties": {"a": []}}),
        (Code.CONNECTION_NOT_FOUND, "update_connection", {"connection_id": "conn_x", "content": "x"}),
        (
            Code.VERSION_CONFLICT,
            "update_connection",
            {"connection_id": connection, "content": "", "expected_version": 0},
        ),
        (Code.CONNECTION_NOT_FOUND, "delete_connection", {"connection_id": "conn_x"}),
        (Code.ONTOLOGY_ALREADY_EXISTS, "create_ontology", GTD),
        (Code.TYPE_ALREADY_EXISTS, "add_node_type", {"type_name": "Project"}),
        (
            Code.INVALID_NODE_TYPE,
            "add_connection_type",
            {"type_name": "RelatedTo", "from_types": ["X"], "to_types": ["X"]},
        ),
    ]
    for code, tool, arguments in failing:
        assert (await agent.error_of(tool, **arguments)).code is code, tool

    assert await everything(agent) == before
    assert verify(environment, str(agent.domain)) == log


@pytest.mark.long
async def test_a_node_goes_with_its_content_and_all_its_connections(gtd: Agent):
    hub = await gtd.node("Action", "needle " * 3_000)
    others = [await gtd.node("Action", "others") for _ in range(3)]
    person = await gtd.node("Person")
    results = [
        await gtd.connection("DependsOn", hub, others[0]),
        await gtd.connection("DependsOn", hub, others[0]),
        await gtd.connection("DependsOn", others[1], hub),
        await gtd.connection("DependsOn", hub, hub),
        await gtd.connection("WaitingFor", hub, person, properties={"since": "s", "follow_up_date": "f"}),
    ]
    kept = await gtd.connection("DependsOn", others[1], others[2], content="kept")
    before = [await gtd.call("get_node", node_id=node) for node in (*others, person)]

    await gtd.call("delete_node", node_id=hub)

    for connection in results:
        error = await gtd.error_of("get_connection", connection_id=connection)
        assert error.code is Code.CONNECTION_NOT_FOUND
    assert await gtd.ids_of("query_connections") == [kept]
    for filters in ({"from_node_id": hub}, {"to_node_id": hub}, {"type": "WaitingFor"}):
        assert await gtd.ids_of("query_connections", **filters) == []
    assert [await gtd.call("get_node", node_id=node) for node in (*others, person)] == before
    assert await gtd.ids_of("get_connected_nodes", node_id=others[1], direction="both") == [others[2]]
    assert await gtd.ids_of("get_connected_nodes", node_id=person, direction="in") == []
    assert await gtd.ids_of("search_content", query="needle") == []
