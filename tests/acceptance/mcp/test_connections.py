"""The life of a connection: created, read, updated, deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from acceptance.agents import Agent
from graph_memory.model.errors import Code
from tables import for_rows

pytestmark = pytest.mark.anyio

UNKNOWN_NODE, UNKNOWN = "mem_k4j9x2_p8n3q1", "conn_x7y2z9_k5m8n3"


@dataclass(frozen=True)
class Joined:
    """A project and its next action."""

    project: str
    action: str
    connection: str


@pytest.fixture
async def connected_ends(gtd: Agent) -> Joined:
    project, action = await gtd.node("Project"), await gtd.node("Action")
    return Joined(project, action, await gtd.connection("NextAction", project, action, properties={"priority": "high"}))


async def test_a_connection_shows_what_it_was_created_with(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    created = await gtd.call(
        "create_connection",
        type="NextAction",
        from_node_id=project,
        to_node_id=action,
        properties={"priority": "high", "rank": 1, "share": 0.5, "urgent": True},
        content="High priority because deadline approaching",
        strength={"semantic": 0.5, "confidence": 1},
    )
    assert created.keys() == {"connection_id", "version"}

    shown = await gtd.call("get_connection", connection_id=created["connection_id"])

    assert shown.pop("created") == shown.pop("modified")
    assert shown.pop("created_by").startswith("mcp")
    assert shown == {
        "id": created["connection_id"],
        "type": "NextAction",
        "from_node_id": project,
        "to_node_id": action,
        "properties": {"priority": "high", "rank": 1, "share": 0.5, "urgent": True},
        "has_content": True,
        "version": created["version"],
        "strength": {"semantic": 0.5, "confidence": 1.0},
        "creation_method": "manual",
    }


async def test_an_update_merges_properties_and_replaces_content(gtd: Agent, connected_ends: Joined):
    results = {"connection_id": connected_ends.connection}
    before = await gtd.call("get_connection", **results)

    changed = await gtd.call("update_connection", **results, properties={"priority": "medium", "added": "2025-10-31"})

    after = await gtd.call("get_connection", **results)
    assert changed == {"version": after["version"]}
    assert after["version"] > before["version"]
    assert after["properties"] == {"priority": "medium", "added": "2025-10-31"}
    assert after["has_content"] is False
    assert after["created"] == before["created"]
    assert after["modified"] > before["modified"]

    for text in ("first", "second"):
        await gtd.call("update_connection", **results, content=text)
        shown = await gtd.call("get_connection", **results, include_content=True)
        assert (shown["content"], shown["has_content"]) == (text, True)
        assert shown["properties"] == after["properties"]


async def test_deleting_a_connection_leaves_its_nodes(gtd: Agent, connected_ends: Joined):
    before = [await gtd.call("get_node", node_id=node) for node in (connected_ends.project, connected_ends.action)]
    assert (await gtd.call("delete_connection", connection_id=connected_ends.connection)).keys() == {"version"}

    assert [
        await gtd.call("get_node", node_id=node) for node in (connected_ends.project, connected_ends.action)
    ] == before
    assert await gtd.ids_of("query_connections") == []
    assert await gtd.ids_of("get_connected_nodes", node_id=connected_ends.project, direction="both") == []
    for tool in ("get_connection", "delete_connection"):
        error = await gtd.error_of(tool, connection_id=connected_ends.connection)
        assert error.code is Code.CONNECTION_NOT_FOUND


@for_rows("end", ["from_node_id", "to_node_id"])
async def test_an_end_that_does_not_exist_is_named(gtd: Agent, connected_ends: Joined, end: str):
    ends = {"from_node_id": connected_ends.project, "to_node_id": connected_ends.action, end: UNKNOWN_NODE}
    error = await gtd.error_of("create_connection", type="NextAction", **ends)
    assert error.code is Code.NODE_NOT_FOUND
    assert UNKNOWN_NODE in error.message
    assert await gtd.ids_of("query_connections") == [connected_ends.connection]


@for_rows("end", ["from_node_id", "to_node_id"])
async def test_no_connection_crosses_from_one_domain_to_another(
    gtd: Agent, elsewhere: Agent, connected_ends: Joined, end: str
):
    far = await elsewhere.node("Project" if end == "from_node_id" else "Action")
    ends = {"from_node_id": connected_ends.project, "to_node_id": connected_ends.action, end: far}
    error = await gtd.error_of("create_connection", type="NextAction", **ends)
    assert error.code is Code.NODE_NOT_FOUND
    assert far in error.message


async def test_a_type_that_the_ontology_does_not_have_is_refused(gtd: Agent, connected_ends: Joined):
    ends = {"from_node_id": connected_ends.project, "to_node_id": connected_ends.action}
    error = await gtd.error_of("create_connection", type="NextStep", **ends)
    assert error.code is Code.INVALID_CONNECTION_TYPE
    assert "NextStep" in error.message
    assert "[NextAction, DependsOn, RequiresContext, WaitingFor]" in error.message


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_connection", {}),
    ("get_connection", {"include_content": True}),
    ("update_connection", {"properties": {"a": 1}}),
    ("update_connection", {"content": "x"}),
    ("delete_connection", {}),
]


@for_rows(("tool", "arguments"), CALLS)
async def test_a_connection_that_does_not_exist_is_not_found(constant: Agent, tool: str, arguments: dict[str, Any]):
    error = await constant.error_of(tool, connection_id=UNKNOWN, **arguments)
    assert error.code is Code.CONNECTION_NOT_FOUND
    assert UNKNOWN in error.message


@for_rows(("tool", "arguments"), CALLS)
async def test_the_id_of_another_domain_is_not_found(
    connected_ends: Joined, elsewhere: Agent, gtd: Agent, tool: str, arguments: dict[str, Any]
):
    error = await elsewhere.error_of(tool, connection_id=connected_ends.connection, **arguments)
    assert error.code is Code.CONNECTION_NOT_FOUND
    assert (await gtd.call("get_connection", connection_id=connected_ends.connection))["properties"] == {
        "priority": "high"
    }


async def test_a_node_is_not_a_connection_nor_the_other_way_round(gtd: Agent, connected_ends: Joined):
    error = await gtd.error_of("get_connection", connection_id=connected_ends.project)
    assert error.code is Code.CONNECTION_NOT_FOUND
    assert (await gtd.error_of("get_node", node_id=connected_ends.connection)).code is Code.NODE_NOT_FOUND


@pytest.mark.parametrize("tool", ["update_connection", "delete_connection"])
async def test_a_change_of_a_connection_that_somebody_else_changed_is_a_conflict(
    gtd: Agent, connected_ends: Joined, tool: str
):
    results = {"connection_id": connected_ends.connection}
    seen = (await gtd.call("get_connection", **results))["version"]
    changed = await gtd.call("update_connection", **results, content="mine", expected_version=seen)
    arguments = {"content": "theirs"} if tool == "update_connection" else {}

    error = await gtd.error_of(tool, **results, **arguments, expected_version=seen)

    assert error.code is Code.VERSION_CONFLICT
    assert (await gtd.call("get_connection", **results, include_content=True))["content"] == "mine"
    await gtd.call(tool, **results, **arguments, expected_version=changed["version"])
