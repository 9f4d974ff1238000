"""The server as a client sees it: its name, its tools and their schemas, and only the protocol on stdout."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from acceptance.agents import COMMAND, Agent, connect, run
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

TOOLS: dict[str, tuple[set[str], set[str]]] = {
    "create_node": ({"type", "content"}, {"format", "encoding", "properties", "tags", "path"}),
    "get_node": ({"node_id"}, set()),
    "get_node_content": ({"node_id"}, set()),
    "update_node": (
        {"node_id"},
        {"properties", "content", "encoding", "format", "tags", "path", "expected_version"},
    ),
    "delete_node": ({"node_id"}, {"expected_version"}),
    "create_connection": ({"type", "from_node_id", "to_node_id"}, {"properties", "content"}),
    "get_connection": ({"connection_id"}, {"include_content"}),
    "update_connection": ({"connection_id"}, {"properties", "content", "expected_version"}),
    "delete_connection": ({"connection_id"}, {"expected_version"}),
    "query_nodes": (set(), {"type", "properties", "limit", "cursor"}),
    "query_connections": (set(), {"from_node_id", "to_node_id", "type", "properties", "limit", "cursor"}),
    "get_connected_nodes": ({"node_id", "direction"}, {"connection_type", "limit", "cursor"}),
    "search_content": ({"query"}, {"node_type", "limit", "cursor"}),
    "validate_connection": ({"connection_type", "from_node_type", "to_node_type"}, set()),
    "create_ontology": ({"node_types", "connection_types"}, {"open"}),
    "add_node_type": ({"type_name"}, set()),
    "add_connection_type": ({"type_name", "from_types", "to_types"}, {"required_properties"}),
    "get_ontology": (set(), {"detail"}),
}
"""The required arguments of each tool, and its optional arguments besides `domain`."""

BESIDES: dict[str, tuple[set[str], set[str]]] = {
    "recall": (set(), {"query", "depth", "focus", "max_tokens", "as", "as_of", "valid_at", "limit", "context"}),
    "search_memories": ({"query"}, {"search_mode", "filters", "weightings", "as_of", "max_results"}),
    "traverse_memories": ({"start"}, {"strategy", "max_depth", "max_nodes", "edge_filter", "node_filter", "as_of"}),
    "find_path": ({"from_id", "to_id"}, {"mode", "k", "types", "direction", "max_depth", "as_of"}),
    "execute_batch": ({"operations"}, {"options", "idempotency_key"}),
    "memory_log": (set(), {"since", "until"}),
    "memory_diff": (set(), {"since", "until"}),
    "memory_revert": (set(), {"since", "until"}),
}
"""The tools besides that a server offers by default."""
CREATING = {"create_node", "create_connection", "create_ontology", "add_node_type", "add_connection_type"}
READING = {name for name in TOOLS if name.startswith(("get_", "query_", "search_", "validate_"))} | {
    "recall",
    "search_memories",
    "traverse_memories",
    "find_path",
    "memory_log",
    "memory_diff",
}


async def test_the_server_says_who_it_is_and_how_to_begin(environment: dict[str, str], server: Agent):
    async with connect(environment, mode="legacy") as initialized:
        for agent in (initialized, server):
            assert agent.client.server_info is not None
            assert agent.client.server_info.name == "graph-memory-core"
            assert "create_ontology" in (agent.client.instructions or "")
            assert agent.client.server_capabilities.tools is not None
        assert initialized.client.protocol_version != server.client.protocol_version


async def test_there_are_the_tools_of_the_specification_and_those_that_search_and_undo_what_changed(server: Agent):
    names = await server.tools()
    assert len(names) == len(set(names))
    assert set(names) == {*TOOLS, *BESIDES}


async def test_tools_take_the_arguments_of_the_specification_and_a_domain(server: Agent):
    for tool in (await server.client.list_tools()).tools:
        needed, allowed = {**TOOLS, **BESIDES}[tool.name]
        schema = tool.input_schema
        assert schema["type"] == "object"
        assert set(schema.get("required", ())) == needed, tool.name
        assert needed | allowed | {"domain"} <= schema["properties"].keys(), tool.name
        assert schema["additionalProperties"] is False
        jsonschema.Draft202012Validator.check_schema(schema)


async def test_tools_tell_what_they_give(server: Agent):
    for tool in (await server.client.list_tools()).tools:
        assert tool.output_schema is not None, tool.name
        assert tool.output_schema["type"] == "object"
        assert tool.output_schema["properties"], tool.name
        assert "required" not in tool.output_schema  # an error has other properties, and some clients check it too
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.description


async def test_tools_tell_what_they_do_to_the_memory(server: Agent):
    for tool in (await server.client.list_tools()).tools:
        hints = tool.annotations
        assert hints is not None
        assert hints.read_only_hint is (tool.name in READING), tool.name
        assert (hints.idempotent_hint is None) is (tool.name in READING), tool.name
        if tool.name in CREATING:
            assert hints.destructive_hint is False, tool.name
        if tool.name.startswith(("update_", "delete_")):
            assert hints.destructive_hint is True, tool.name
        if tool.name in {"create_node", "create_connection", "execute_batch"}:
            assert hints.idempotent_hint is False, tool.name


def test_stdout_carries_the_protocol_only(environment: dict[str, str], domain: str, tmp_path: Path):
    calls: list[Any] = [
        ("get_ontology", "{}"),
        ("create_ontology", '{"node_types": ["Project"], "connection_types": []}'),
        ("create_node", '{"type": "Project", "content": "x", "format": "md", "properties": {"a": 1e999}}'),
        ("create_node", '{"type": "Project", "content": "x\\n🏠", "format": "md"}'),
        ("search_content", '{"query": "🏠"}'),
        ("nonsense", "{}"),
    ]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        '{"jsonrpc": "2.0", "id": "list", "method": "tools/list"}',
    ]
    request = '{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "%s", "arguments": %s}}'
    answers: dict[Any, dict[str, Any]] = {}
    with (
        (tmp_path / "log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(
            [COMMAND, "mcp", "--domain", domain],
            env={**os.environ, **environment, "GRAPH_MEMORY_LOG_LEVEL": "DEBUG"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(lines) + "\nthis is not JSON\n")
        for number, (name, arguments) in enumerate(calls):
            process.stdin.write(request % (number, name, arguments) + "\n")
            process.stdin.flush()
            while number not in answers:
                message = json.loads(process.stdout.readline())
                answers[message.get("id")] = message
        rest, _ = process.communicate(timeout=20)
        for line in rest.splitlines():
            answers[(message := json.loads(line)).get("id")] = message

    assert process.returncode == 0
    assert (tmp_path / "log").stat().st_size > 0
    assert all(message["jsonrpc"] == "2.0" for message in answers.values())
    assert answers["init"]["result"]["serverInfo"]["name"] == "graph-memory-core"
    assert {tool["name"] for tool in answers["list"]["result"]["tools"]} == {*TOOLS, *BESIDES}
    no_ontology, created, no_number, node, result = (answers[number]["result"] for number in range(5))
    assert (no_ontology["isError"], no_ontology["structuredContent"]["code"]) == (True, Code.ONTOLOGY_NOT_FOUND)
    assert not created.get("isError")
    assert (no_number["isError"], no_number["structuredContent"]["code"]) == (True, Code.INVALID_PROPERTY)
    assert result["structuredContent"]["node_ids"] == [node["structuredContent"]["node_id"]]
    assert "error" in answers[5]


@pytest.mark.parametrize(
    ("arguments", "named"), [(["--domain", "not a name"], "not a name"), (["--toolsets", "graph,nonsense"], "nonsense")]
)
def test_a_faulty_option_is_told_in_a_line_before_anything_starts(
    environment: dict[str, str], arguments: list[str], named: str
):
    done = run(environment, "mcp", *arguments, input="")
    assert done.returncode == 2
    assert done.stdout == ""
    assert named in done.stderr
    assert "Traceback" not in done.stderr
