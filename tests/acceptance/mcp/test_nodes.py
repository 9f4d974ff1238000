"""The life of a node: created, read, updated, deleted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from acceptance.agents import Agent
from graph_memory.model.errors import Code
from tables import for_rows

pytestmark = pytest.mark.anyio

UNKNOWN = "mem_k4j9x2_p8n3q1"
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
PROPERTIES: dict[str, Any] = {"status": "active", "priority": 1, "share": 0.25, "urgent": True, "empty": ""}


async def test_a_node_shows_what_it_was_created_with(gtd: Agent):
    before = datetime.now(UTC) - timedelta(seconds=2)
    created = await gtd.call(
        "create_node",
        type="Project",
        content="# Kitchen Renovation\n\nBudget: $50k",
        encoding="utf-8",
        format="markdown",
        properties=PROPERTIES,
    )
    assert created.keys() == {"node_id", "version"}

    node = await gtd.call("get_node", node_id=created["node_id"])

    assert node.pop("created") == (modified := node.pop("modified"))
    assert RFC_3339.fullmatch(modified)
    assert before < datetime.fromisoformat(modified) < datetime.now(UTC) + timedelta(seconds=2)
    assert node == {
        "id": created["node_id"],
        "type": "Project",
        "title": "Kitchen Renovation",
        "properties": PROPERTIES,
        "content_format": "markdown",
        "content_size": len("# Kitchen Renovation\n\nBudget: $50k"),
        "content_encoding": "utf-8",
        "version": created["version"],
    }
    assert await gtd.content(created["node_id"]) == "# Kitchen Renovation\n\nBudget: $50k"


@for_rows(
    "value",
    [
        "",
        " ",
        "Zoë 🏠\n\r\n\ttab\0nul",
        "x" * 100_000,
        True,
        False,
        0,
        -1,
        2**63 - 1,
        -(2**63),
        0.5,
        1.0,
        -1e308,
        5e-324,
    ],
)
async def test_a_property_value_comes_back_with_its_type(gtd: Agent, value: object):
    node = await gtd.node(properties={"value": value})
    stored = (await gtd.call("get_node", node_id=node))["properties"]["value"]
    assert stored == value
    assert type(stored) is type(value)


async def test_tags_and_path_are_shown_beside_the_fields_of_the_specification(gtd: Agent):
    node = await gtd.node(tags=["home", "2026"], path="work/kitchen")
    shown = await gtd.call("get_node", node_id=node)
    assert (shown["tags"], shown["path"], shown["properties"]) == (["home", "2026"], "work/kitchen", {})

    await gtd.call("update_node", node_id=node, tags=["done"], path="archive")
    shown = await gtd.call("get_node", node_id=node)
    assert (shown["tags"], shown["path"]) == (["done"], "archive")

    await gtd.call("update_node", node_id=node, properties={"a": 1})
    shown = await gtd.call("get_node", node_id=node)
    assert (shown["tags"], shown["path"], shown["properties"]) == (["done"], "archive", {"a": 1})


async def test_fields_are_shown_where_they_are_set_and_an_empty_one_clears_while_null_leaves(gtd: Agent):
    fields = {
        "path": "/house",
        "namespace": "home",
        "title": "Mine",
        "content_summary": "short",
        "metadata": {"a": [1]},
    }
    node = await gtd.node(**fields)
    shown = await gtd.call("get_node", node_id=node)
    assert fields.items() <= shown.items()
    assert shown["summary_timestamp"] == shown["created"]
    results = await gtd.call("query_nodes", namespace="home", path_prefix="/h", created_after="yesterday", detail=True)
    assert [(node["id"], node["title"]) for node in results["nodes"]] == [(node, "Mine")]

    await gtd.call("update_node", node_id=node, tags=["t"], **dict.fromkeys(fields))
    assert fields.items() <= (await gtd.call("get_node", node_id=node)).items()
    await gtd.call("update_node", node_id=node, **{**dict.fromkeys(fields, ""), "metadata": {}})
    assert (fields.keys() - {"title"}).isdisjoint(await gtd.call("get_node", node_id=node))


async def test_an_update_merges_properties_and_leaves_the_rest(gtd: Agent):
    node = await gtd.node("Project", "text", properties={"status": "active", "budget": 50})
    before = await gtd.call("get_node", node_id=node)

    changed = await gtd.call("update_node", node_id=node, properties={"status": "completed", "cost": 48.5})

    after = await gtd.call("get_node", node_id=node)
    assert changed == {"version": after["version"]}
    assert after["version"] > before["version"]
    assert after["properties"] == {"status": "completed", "budget": 50, "cost": 48.5}
    assert after["created"] == before["created"]
    assert after["modified"] > before["modified"]
    assert (after["type"], after["content_format"]) == ("Project", "markdown")
    assert await gtd.content(node) == "text"


async def test_everything_can_be_updated_at_once(gtd: Agent):
    node = await gtd.node("Project", "text")
    await gtd.call(
        "update_node",
        node_id=node,
        content="AAEC",
        encoding="base64",
        format="png",
        properties={"a": 1},
        tags=["t"],
        path="p",
    )
    shown = await gtd.call("get_node", node_id=node)
    assert (shown["content_format"], shown["properties"], shown["tags"], shown["path"]) == ("png", {"a": 1}, ["t"], "p")
    assert await gtd.content(node) == "AAEC"


async def test_a_deleted_node_is_gone(gtd: Agent):
    node, other = await gtd.node("Project", "needle"), await gtd.node("Project", "needle")
    assert (await gtd.call("delete_node", node_id=node)).keys() == {"version", "connections"}

    for tool in ("get_node", "get_node_content", "delete_node"):
        assert (await gtd.error_of(tool, node_id=node)).code is Code.NODE_NOT_FOUND
    assert await gtd.ids_of("query_nodes") == [other]
    assert await gtd.ids_of("search_content", query="needle") == [other]


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_node", {}),
    ("get_node_content", {}),
    ("update_node", {"properties": {"a": 1}}),
    ("update_node", {"content": "x", "encoding": "utf-8"}),
    ("delete_node", {}),
    ("get_connected_nodes", {"direction": "both"}),
]


@for_rows(("tool", "arguments"), CALLS)
@for_rows("node_id", [UNKNOWN, "", "nonsense `id` \"\\' 🏠", "x" * 5_000])
async def test_a_node_that_does_not_exist_is_not_found(
    constant: Agent, tool: str, arguments: dict[str, Any], node_id: str
):
    error = await constant.error_of(tool, node_id=node_id, **arguments)
    assert error.code is Code.NODE_NOT_FOUND
    assert node_id[:50].replace('"', "'") in error.message
    assert "hint" in error.details


@for_rows(("tool", "arguments"), CALLS)
async def test_the_id_of_another_domain_is_not_found(
    gtd: Agent, elsewhere: Agent, tool: str, arguments: dict[str, Any]
):
    node = await elsewhere.node()
    assert (await gtd.error_of(tool, node_id=node, **arguments)).code is Code.NODE_NOT_FOUND
    assert await elsewhere.content(node) == ""


async def test_a_type_that_the_ontology_does_not_have_is_refused(gtd: Agent):
    error = await gtd.error_of("create_node", type="Projekt", content="x", format="markdown")
    assert error.code is Code.INVALID_NODE_TYPE
    assert "Projekt" in error.message
    assert "[Project, Action, Context, Person]" in error.message
    assert await gtd.ids_of("query_nodes") == []


@pytest.mark.parametrize("tool", ["update_node", "delete_node"])
async def test_a_change_of_a_node_that_somebody_else_changed_is_a_conflict(gtd: Agent, tool: str):
    node = await gtd.node(properties={"status": "active"})
    seen = (await gtd.call("get_node", node_id=node))["version"]
    changed = await gtd.call("update_node", node_id=node, properties={"status": "mine"}, expected_version=seen)
    arguments = {"properties": {"status": "theirs"}} if tool == "update_node" else {}

    error = await gtd.error_of(tool, node_id=node, expected_version=seen, **arguments)

    assert error.code is Code.VERSION_CONFLICT
    kept = await gtd.call("get_node", node_id=node)
    assert (kept["properties"], kept["version"]) == ({"status": "mine"}, changed["version"])
    await gtd.call(tool, node_id=node, expected_version=changed["version"], **arguments)
