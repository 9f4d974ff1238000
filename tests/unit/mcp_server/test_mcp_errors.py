"""Every failure reaches the agent as a tool error with a code, a message and a hint; none as a traceback."""

from __future__ import annotations

import base64
import logging
from types import MappingProxyType

import pytest
from mcp import MCPError
from mcp.types import INVALID_PARAMS

from graph_memory.mcp_server.table import tools_of
from graph_memory.memory.history.results import NamedSubject, RevertResult
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import NodeContent, NodeIds
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.ontologies import no_ontology_error
from tables import for_rows
from unit.mcp_server.mcp_fakes import ARGUMENTS, RecordingMemory, client_of, error_of, json_of, opens, text_of

pytestmark = pytest.mark.anyio


@for_rows("mode", ["auto", "legacy"])
@for_rows("code", list(Code))
async def test_an_error_of_the_memory_keeps_code_message_and_details(code: Code, mode: str):
    raised = GraphError(code, "Something is wrong", {"names": ["a"], "hint": "Do this."})
    async with client_of(opens(RecordingMemory(get_node=raised)), mode) as client:
        await client.list_tools()  # a client does not hold errors against the schema of successes
        result = await client.call_tool("get_node", {"node_id": "mem_1"})
    details = {"names": ["a"], "hint": "Do this."}
    assert error_of(result) == {"code": str(code), "message": "Something is wrong", "details": details}
    assert text_of(result) == f"{code}: Something is wrong\nHint: Do this."


async def test_an_error_without_a_hint_is_one_line():
    raised = GraphError(Code.NODE_NOT_FOUND, "No node mem_1")
    async with client_of(opens(RecordingMemory(get_node=raised))) as client:
        assert text_of(await client.call_tool("get_node", {"node_id": "mem_1"})) == "NODE_NOT_FOUND: No node mem_1"


async def test_what_an_error_tells_of_each_thing_is_in_its_text_too():
    details = {"material": [{"id": "mem_1", "text": "Larch"}], "names": ["a"], "hint": "Do this."}
    raised = GraphError(Code.NO_MODEL, "No language model is configured", details)
    async with client_of(opens(RecordingMemory(get_node=raised))) as client:
        text = text_of(await client.call_tool("get_node", {"node_id": "mem_1"}))
    assert text.splitlines()[1:] == ["Hint: Do this.", 'Details: {"material":[{"id":"mem_1","text":"Larch"}]}']


async def test_details_that_are_not_json_are_shown_all_the_same():
    details = {"path": MappingProxyType({"a": 1}), "odd": object}
    raised = GraphError(Code.TIMEOUT, "Late", details)
    async with client_of(opens(RecordingMemory(get_node=raised)), "legacy") as client:
        error = error_of(await client.call_tool("get_node", {"node_id": "mem_1"}))
    assert error["details"]["path"] == {"a": 1} or "a" in str(error["details"]["path"])


async def test_what_nobody_expected_is_masked_and_logged_under_the_id_given(caplog: pytest.LogCaptureFixture):
    memory = RecordingMemory(get_node=RuntimeError("password=secret"))
    with caplog.at_level(logging.ERROR, "graph_memory"):
        async with client_of(opens(memory)) as client:
            result = await client.call_tool("get_node", {"node_id": "mem_1"})
    error = error_of(result)
    assert error["code"] == "INTERNAL"
    assert "secret" not in str(result)
    [record] = caplog.records
    assert error["details"]["id"] in record.getMessage()
    assert record.exc_info is not None
    assert "secret" in str(record.exc_info[1])


@pytest.mark.parametrize(
    "raised",
    [
        PermissionError(13, "Permission denied", "/home/me/memory/neo4j"),
        GraphError(Code.FILE_CREATION_FAILED, "Full", {"hint": "Make room."}, path="/home/me/memory/blobs"),
    ],
)
async def test_a_client_is_not_told_where_on_the_machine_something_is(raised: Exception):
    async with client_of(opens(RecordingMemory(get_node=raised))) as client:
        result = await client.call_tool("get_node", {"node_id": "mem_1"})
    assert error_of(result)["details"]["hint"]
    assert "/home/me" not in str(result)


async def test_a_group_of_one_error_counts_as_that_error():
    raised = ExceptionGroup("tasks", [GraphError(Code.TIMEOUT, "Late")])
    async with client_of(opens(RecordingMemory(get_node=raised))) as client:
        assert error_of(await client.call_tool("get_node", {"node_id": "mem_1"}))["code"] == "TIMEOUT"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_unknown_tool_is_an_error_of_the_protocol(mode: str):
    async with client_of(opens(RecordingMemory()), mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("get_nodes", {})
    assert caught.value.code == INVALID_PARAMS


async def test_a_tool_that_is_not_offered_is_refused_with_its_toolset():
    async with client_of(opens(RecordingMemory())) as client:
        with pytest.raises(MCPError, match="--toolsets application,history"):
            await client.call_tool("memory_branch", {"name": "trial"})


async def test_the_beginning_of_an_id_or_a_title_is_answered_with_the_whole_id():
    whole = NamedSubject(id="mem_01M847W9ZH5SXYZ", kind=Kind.NODE, type="Project", title="Kitchen", deleted=False)
    for text, meaning in (("mem_01M847W9", "is the beginning of the id"), ("Kitchen", "is the title of")):
        raised = GraphError(Code.NODE_NOT_FOUND, "No", {"node_id": text, "domain": "default", "hint": "Find it."})
        async with client_of(opens(RecordingMemory(get_node=raised, named=(whole,)))) as client:
            error = error_of(await client.call_tool("get_node", {"node_id": text}))
        assert error["code"] == "NODE_NOT_FOUND"
        assert error["details"]["hint"] == f'"{text}" {meaning} {whole.id}. Pass the complete id.'


@pytest.mark.parametrize("text", ["mem_01M847W9", "mem_01M847W9ZH5SXYZ0123456789A"])
async def test_an_error_stays_what_it_is_where_nothing_can_be_looked_up_and_for_whole_ids(text: str):
    raised = GraphError(Code.NODE_NOT_FOUND, "No", {"node_id": text, "hint": "Find it."})
    is_whole = len(text) == len("mem_") + 26
    looked_up = RuntimeError("for nothing") if is_whole else GraphError(Code.STORE_UNAVAILABLE, "Gone")
    async with client_of(opens(RecordingMemory(get_node=raised, named=looked_up))) as client:
        error = error_of(await client.call_tool("get_node", {"node_id": text}))
    assert (error["code"], error["details"]["hint"]) == ("NODE_NOT_FOUND", "Find it.")


async def test_a_hint_names_only_tools_that_are_served_and_says_who_runs_commands():
    raised = no_ontology_error("default")
    async with client_of(opens(RecordingMemory(get_ontology=raised))) as client:
        hint = error_of(await client.call_tool("get_ontology", {}))["details"]["hint"]
    assert hint == "To create one, use create_ontology."
    raised = GraphError(Code.STORE_CONFLICT, "Odd", {"hint": Hint("Run {graph-memory verify}.")})
    async with client_of(opens(RecordingMemory(get_node=raised))) as client:
        hint = error_of(await client.call_tool("get_node", {"node_id": "mem_1"}))["details"]["hint"]
    assert hint == "Run `graph-memory verify`. Without a shell, ask your user to run it."


@pytest.mark.parametrize("name", ["create_node", "update_node", "create_connection", "update_connection"])
async def test_content_over_the_limit_is_refused_on_its_way_in(name: str):
    memory = RecordingMemory()
    async with client_of(opens(memory), mcp_content_bytes=4) as client:
        result = await client.call_tool(name, {**ARGUMENTS[name], "content": "äöü"})
        assert error_of(result)["code"] == "CONTENT_TOO_LARGE"
        assert error_of(result)["details"]["size"] == 6
        assert memory.calls == []
        assert not (await client.call_tool(name, {**ARGUMENTS[name], "content": "äö"})).is_error


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
async def test_the_size_of_binary_content_is_that_of_its_bytes(size: int):
    arguments = {**ARGUMENTS["create_node"], "encoding": "base64", "content": base64.b64encode(bytes(size)).decode()}
    async with client_of(opens(RecordingMemory()), mcp_content_bytes=size) as client:
        assert not (await client.call_tool("create_node", arguments)).is_error
    async with client_of(opens(RecordingMemory()), mcp_content_bytes=max(1, size - 1)) as client:
        assert (await client.call_tool("create_node", arguments)).is_error is (size > 1)


async def test_content_over_the_limit_is_refused_on_its_way_out():
    large = NodeContent(content="x" * 5, encoding="utf-8", format="text")
    async with client_of(opens(RecordingMemory(get_node_content=large)), mcp_content_bytes=4) as client:
        result = await client.call_tool("get_node_content", {"node_id": "mem_1"})
    assert error_of(result)["code"] == "CONTENT_TOO_LARGE"
    assert error_of(result)["details"]["hint"]
    async with client_of(opens(RecordingMemory(get_node_content=large)), mcp_content_bytes=5) as client:
        assert json_of(await client.call_tool("get_node_content", {"node_id": "mem_1"}))["content"] == "xxxxx"


async def test_a_large_result_is_refused_unless_the_call_has_written():
    ids = NodeIds(node_ids=tuple(f"mem_{number}" for number in range(100)))
    async with client_of(opens(RecordingMemory(query_nodes=ids)), mcp_result_bytes=500) as client:
        error = error_of(await client.call_tool("query_nodes", {}))
        assert (error["code"], error["details"]["limit"]) == ("CONTENT_TOO_LARGE", 500)
        assert "limit" in error["details"]["hint"]
    async with client_of(opens(RecordingMemory(query_nodes=ids)), mcp_result_bytes=10_000) as client:
        assert len(json_of(await client.call_tool("query_nodes", {}))["node_ids"]) == 100
    async with client_of(opens(RecordingMemory()), mcp_result_bytes=1) as client:
        assert not (await client.call_tool("create_node", ARGUMENTS["create_node"])).is_error
    reverted = RevertResult(dry_run=True, changes=(), skipped=())
    async with client_of(opens(RecordingMemory(revert=reverted)), mcp_result_bytes=1) as client:
        trial = await client.call_tool("memory_revert", {"event_ids": [1], "dry_run": True})
        assert error_of(trial)["code"] == "CONTENT_TOO_LARGE"


async def test_content_over_the_limit_is_refused_also_in_the_result_of_a_write():
    large = NodeContent(content="x" * 5_000, encoding="utf-8", format="text")
    async with client_of(opens(RecordingMemory(create_node=large)), mcp_content_bytes=4_000) as client:
        result = await client.call_tool("create_node", ARGUMENTS["create_node"])
    assert error_of(result)["code"] == "CONTENT_TOO_LARGE"


@pytest.mark.parametrize(("names", "shown"), [(["graf"], "graph"), (["graph", "recal"], "recall"), ([], "graph")])
def test_a_toolset_that_there_is_not_is_refused_with_those_that_there_are(names: list[str], shown: str):
    with pytest.raises(GraphError) as caught:
        tools_of(names)
    assert caught.value.code == Code.INVALID_ARGUMENT
    assert shown in caught.value.message + (caught.value.hint or "")


async def test_a_domain_that_was_selected_and_deleted_since_says_so_and_any_other_does_not():
    memory = RecordingMemory(get_node=no_ontology_error("kitchen"))
    async with client_of(opens(memory), toolsets=("graph", "domains")) as client:
        assert "create_ontology" in text_of(await client.call_tool("get_node", {"node_id": "mem_1"}))
        await client.call_tool("select_domain", {"name": "kitchen"})
        text = text_of(await client.call_tool("get_node", {"node_id": "mem_1"}))
        hint = "It was deleted after you selected it. Select another domain with select_domain."
        assert f'Domain "kitchen" does not exist\nHint: {hint}' in text
        memory.answers["get_node"] = no_ontology_error("garden")
        assert "create_ontology" in text_of(await client.call_tool("get_node", {"node_id": "mem_1"}))
