"""Faults of a call: each is a structured error that names what is wrong, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.agents import Agent
from graph_memory.model.errors import Code
from tables import for_rows

pytestmark = pytest.mark.anyio

NODE = {"type": "Project", "content": "x", "format": "markdown"}
EDIT = {"node_id": "mem_1", "properties": {"a": 1}}
ENDS = {"type": "NextAction", "from_node_id": "mem_1", "to_node_id": "mem_2"}
CONNECTION = {"connection_id": "conn_1"}
NEIGHBOURS = {"node_id": "mem_1", "direction": "out"}
TYPES = {"connection_type": "NextAction", "from_node_type": "Project", "to_node_type": "Action"}
ONTOLOGY: dict[str, Any] = {"node_types": ["Project"], "connection_types": []}
ADDED = {"type_name": "RelatedTo", "from_types": ["Project"], "to_types": ["Project"]}

COMPLETE: dict[str, dict[str, Any]] = {
    "create_node": NODE,
    "get_node": {"node_id": "mem_1"},
    "get_node_content": {"node_id": "mem_1"},
    "update_node": EDIT,
    "delete_node": {"node_id": "mem_1"},
    "create_connection": ENDS,
    "get_connection": CONNECTION,
    "update_connection": {**CONNECTION, "content": "x"},
    "delete_connection": CONNECTION,
    "query_nodes": {},
    "query_connections": {},
    "get_connected_nodes": NEIGHBOURS,
    "search_content": {"query": "x"},
    "validate_connection": TYPES,
    "create_ontology": ONTOLOGY,
    "add_node_type": {"type_name": "Document"},
    "add_connection_type": ADDED,
    "get_ontology": {},
}
"""A call of each tool with what it must be given."""


def _wrong(tool: str, argument: str, *values: object, **more: object) -> list[Any]:
    return [(tool, {**COMPLETE[tool], **more, argument: value}, argument) for value in values]


WRONG = [
    *_wrong("create_node", "type", 1, True, ["Project"], {"name": "Project"}, None),
    *_wrong("create_node", "content", 1, None, ["x"], {}),
    *_wrong("create_node", "format", 1, "a\nb", "x" * 10_000),
    *_wrong("create_node", "encoding", "utf8", "UTF-8", "latin-1", 8),
    *_wrong("create_node", "properties", "a=1", ["a"], 1, True),
    *_wrong("create_node", "tags", "home", [1], [None], {"a": 1}),
    *_wrong("create_node", "path", 1, ["a"]),
    *_wrong("get_node", "node_id", 1, True, None, ["mem_1"]),
    *_wrong("get_node_content", "node_id", 1),
    *_wrong("update_node", "expected_version", "1", 1.5, -1, True),
    *_wrong("update_node", "encoding", "utf8", content="x"),
    *_wrong("delete_node", "expected_version", "1"),
    *_wrong("create_connection", "from_node_id", 1, None),
    *_wrong("create_connection", "content", 1, ["x"]),
    *_wrong("get_connection", "include_content", "true", 1, "yes"),
    *_wrong("update_connection", "properties", "a=1"),
    *_wrong("query_nodes", "type", 1, ["Project"]),
    *_wrong("query_nodes", "properties", "a=1", [["a", 1]]),
    *_wrong("query_nodes", "limit", 0, -1, 1.5, "3", True, [1]),
    *_wrong("query_nodes", "cursor", 1),
    *_wrong("query_connections", "limit", 0, -1, 1.5, "3", True),
    *_wrong("query_connections", "from_node_id", 1),
    *_wrong("get_connected_nodes", "direction", "up", "OUT", "", None, 1),
    *_wrong("get_connected_nodes", "limit", 0, -1, 1.5, "3", True),
    *_wrong("search_content", "query", "", 1, None, ["x"]),
    *_wrong("search_content", "limit", 0, -1, 1.5, "3", True),
    *_wrong("validate_connection", "to_node_type", 1, None),
    *_wrong("create_ontology", "node_types", "Project", 1, None, {"Project": 1}, [1], [["Project"]]),
    *_wrong("create_ontology", "connection_types", "NextAction", 1, None, [1], ["NextAction"]),
    *_wrong("create_ontology", "open", "yes", 1),
    *_wrong("add_node_type", "type_name", 1, None, ["Document"]),
    *_wrong("add_connection_type", "from_types", "Project", None, [1], {}),
    *_wrong("add_connection_type", "required_properties", "since", [1]),
    *_wrong("get_ontology", "detail", "yes", 1),
    *_wrong("get_ontology", "domain", 1, ["default"], True),
]


@for_rows(("tool", "arguments", "argument"), WRONG)
async def test_an_argument_of_the_wrong_kind_is_named(
    constant: Agent, tool: str, arguments: dict[str, Any], argument: str
):
    error = await constant.error_of(tool, **arguments)
    assert error.code is Code.INVALID_ARGUMENT
    assert argument in error.message
    assert error.details["argument"].startswith(argument)
    _is_no_dump(error.message)


@for_rows(
    ("tool", "arguments"),
    [
        ("update_node", {}),
        ("update_node", {"properties": None, "content": None, "format": None, "tags": None, "path": None}),
        ("update_node", {"expected_version": 1}),
        ("update_node", {"encoding": "utf-8"}),
        ("update_connection", {}),
        ("update_connection", {"properties": None, "content": None}),
        ("update_connection", {"expected_version": 1}),
    ],
)
async def test_an_update_must_change_something(gtd: Agent, tool: str, arguments: dict[str, Any]):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    results = {"node_id": project}
    if tool == "update_connection":
        results = {"connection_id": await gtd.connection("NextAction", project, action)}
    assert (await gtd.error_of(tool, **results, **arguments)).code is Code.INVALID_ARGUMENT


async def test_the_beginning_of_an_id_is_answered_with_the_whole_id(gtd: Agent):
    project, action = await gtd.node("Project", "# Kitchen"), await gtd.node("Action")
    connection = await gtd.connection("NextAction", project, action)
    for tool, arguments_, whole in (
        ("get_node", {"node_id": project[:20]}, project),
        ("delete_node", {"node_id": "Kitchen"}, project),
        ("create_connection", {"type": "NextAction", "from_node_id": project, "to_node_id": action[:20]}, action),
        ("get_connection", {"connection_id": connection[:20]}, connection),
    ):
        hint = (await gtd.error_of(tool, **arguments_)).details["hint"]
        assert hint.endswith(f"{whole}. Pass the complete id.")


def _is_no_dump(message: str) -> None:
    assert "pydantic" not in message.lower()
    assert "validation error" not in message.lower()
    assert "\n" not in message
    assert len(message) < 1_000
