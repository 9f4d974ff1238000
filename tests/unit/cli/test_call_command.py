"""`graph-memory call`: how arguments are read, what is listed, and what is refused."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import typer
from typer.testing import CliRunner

from graph_memory import Code, GraphError
from graph_memory.cli.errors import error_text
from graph_memory.cli.input.call_arguments import parse_call_arguments
from graph_memory.cli.input.completion import operation_arguments, operations
from graph_memory.cli.main import app
from graph_memory.operations.table import CALLABLE, OPERATIONS, TOOLSETS
from unit.mcp_server.mcp_fakes import RecordingMemory


def call(*arguments: str, **options: Any) -> Any:
    return CliRunner().invoke(app, ["call", *arguments], **options)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> RecordingMemory:
    recording = RecordingMemory()

    @asynccontextmanager
    async def open_recording(*_: object, **__: object) -> AsyncIterator[RecordingMemory]:
        yield recording

    monkeypatch.setattr("graph_memory.app.open_memory", open_recording)
    return recording


@pytest.mark.parametrize(
    ("operation", "values", "read"),
    [
        ("create_node", ["type=Note", "content=5", "tags=a", "tags=b"], {"content": "5", "tags": ["a", "b"]}),
        ("create_node", ['properties={"n": 1}', "title:=null"], {"properties": {"n": 1}, "title": None}),
        ("query_nodes", ["limit=5", "detail=true", "type=true"], {"limit": 5, "detail": True, "type": "true"}),
        ("memory_diff", ["since=18", "until=2 hours ago"], {"since": 18, "until": "2 hours ago"}),
        ("create_connection", ["strength=1"], {"strength": 1}),
        ("query_nodes", ['domains=["a", "b"]', "domains=c"], {"domains": ["a", "b", "c"]}),
        ("create_node", ["content=a=b"], {"content": "a=b"}),
        ("query_nodes", ["limit=many"], {"limit": "many"}),
        ("search_content", ["query=" + "[" * 5_000], {"query": "[" * 5_000}),
    ],
)
def test_a_value_is_read_as_the_schema_of_its_argument_allows(operation: str, values: list[str], read: dict[str, Any]):
    assert parse_call_arguments(OPERATIONS[operation], values).items() >= read.items()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["content"], '"content" is not an argument with a value'),
        (["=x"], '"=x" is not an argument with a value'),
        (["content=a", "content=b"], '"content" was given twice'),
        (["content:={"], 'The text after := in "content:={" is not valid JSON'),
        (['properties:={"a": 1, "a": 2}'], "is not valid JSON"),
        (['properties:={"a": NaN}'], "is not valid JSON"),
        (["properties:=" + "[" * 5_000], "is not valid JSON"),
    ],
)
def test_text_that_is_no_argument_is_refused(values: list[str], message: str):
    with pytest.raises(GraphError, match=message.replace("{", r"\{")) as refusal:
        parse_call_arguments(OPERATIONS["create_node"], values)
    assert refusal.value.code is Code.INVALID_ARGUMENT
    assert refusal.value.hint


def test_the_result_is_that_of_the_tool(memory: RecordingMemory):
    answer = call("create_node", "type=Project", "content=# Kitchen", "--domain", "work")
    assert json.loads(answer.stdout) == {"node_id": "mem_1", "version": 7}
    arguments = {"type": "Project", "content": "# Kitchen", "format": "text", "domain": "work"}
    assert memory.calls == [("create_node", (), arguments)]


def test_arguments_come_from_a_file_too_and_those_of_the_command_line_come_first(
    memory: RecordingMemory, tmp_path: Path
):
    source = tmp_path / "arguments.json"
    source.write_text('{"node_id": "mem_0", "expected_version": 7}')
    assert call("delete_node", "node_id=mem_1", "--json", str(source)).exit_code == 0
    assert call("delete_node", "--json", "-", input='{"node_id": "mem_2"}').exit_code == 0
    assert [named for _, _, named in memory.calls] == [
        {"node_id": "mem_1", "expected_version": 7},
        {"node_id": "mem_2"},
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create_nodes", "type=Note"], 'No operation is named "create_nodes"'),
        (["select_domain", "name=work"], 'No operation is named "select_domain"'),
        ([], "No operation was given"),
        (["get_node", "--json", "nowhere.json"], "Cannot read nowhere.json"),
        (["get_node", "node_id=1", "nodes=2"], 'get_node has no argument "nodes"'),
    ],
)
def test_a_call_that_cannot_be_made_is_refused_with_the_next_step(
    memory: RecordingMemory, arguments: list[str], message: str
):
    error = call(*arguments).exception
    assert isinstance(error, GraphError)
    assert message in error.message
    assert error.code is Code.INVALID_ARGUMENT
    assert error.hint
    assert not memory.calls


def test_an_error_names_arguments_as_call_takes_them(memory: RecordingMemory):
    error = call("search_memories", "query=tiles", "max_results=0").exception
    assert isinstance(error, GraphError)
    assert error_text(error).startswith("INVALID_ARGUMENT: max_results must be an integer from 1")
    assert "get_node needs the argument" in error_text(cast("GraphError", call("get_node").exception))


def test_a_file_must_hold_an_object(memory: RecordingMemory):
    for content in ("[1]", "{", '{"a": NaN}'):
        error = call("get_node", "--json", "-", input=content).exception
        assert isinstance(error, GraphError)
        assert error.hint == "Pass a file with one JSON object, or - for standard input."
    assert not memory.calls


def test_the_list_names_every_operation_and_of_one_every_argument():
    listed = call("--list").stdout
    lines = {line.split()[0]: line for line in listed.splitlines()[1:]}
    assert lines.keys() == OPERATIONS.keys()
    assert {name for name in lines if "MCP only" in lines[name]} == {*OPERATIONS} - {*CALLABLE}
    assert {name for name in lines if "(by name" in lines[name]} == {
        n for n, operation in OPERATIONS.items() if operation.by_name
    }
    described = call("query_nodes", "--list").stdout
    assert described.startswith("Find nodes by type")
    assert {line.split()[0] for line in described.splitlines()[2:]} == {
        *OPERATIONS["query_nodes"].input_schema["properties"]
    }


def test_the_shell_completes_operations_and_their_arguments():
    assert operations("memory_re") == ["memory_revert", "memory_revert_session"]
    assert {*operations("")} == {*CALLABLE} <= {tool.name for tools in TOOLSETS.values() for tool in tools}

    context = SimpleNamespace(params={"operation": "get_node"})
    assert operation_arguments(cast("typer.Context", context), "no") == ["node_id="]
