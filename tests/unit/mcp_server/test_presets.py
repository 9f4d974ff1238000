"""Presets of tools: what each serves and costs, and that a server names only the tools that it serves."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

import pytest
from mcp import Client

from graph_memory.mcp_server.advice import Advice
from graph_memory.mcp_server.presets import AGENT
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.table import tools_of
from graph_memory.memory.entity_graph.names import official_not_found_error
from graph_memory.memory.recall.guide import GUIDE, IN_SHORT
from graph_memory.memory.recall.results import RecallResult
from graph_memory.memory.sessions.results import SessionStartResult
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import NodeIds, ResultWithWarnings
from graph_memory.operations.table import TOOLSETS
from graph_memory.settings import Settings
from graph_memory.storage.log.ontologies import no_ontology_error
from unit.mcp_server.mcp_fakes import RecordingMemory, client_of, error_of, json_of, opens

pytestmark = pytest.mark.anyio

ALL_NAMES = {tool.name for tools in TOOLSETS.values() for tool in tools}
PRESETS = ("agent", "application", "official", "all")


class _ItemsReply(ResultWithWarnings):
    items: list[dict[str, object]]


def names_in(text: str) -> set[str]:
    return {name for name in ALL_NAMES if re.search(rf"\b{name}\b", text)}


def hint_of(hint: str, tools: Collection[str]) -> str | None:
    return Advice(tools, ["agent"]).error(GraphError(Code.INVALID_ARGUMENT, "No", {"hint": hint})).hint


def test_a_preset_serves_its_tools_and_can_be_named_beside_others():
    assert list(tools_of(["agent"])) == list(AGENT)
    assert list(tools_of(["application"])) == list(tools_of(Settings().toolsets))
    assert list(tools_of(["official"])) == [tool.name for tool in TOOLSETS["entities"]]
    assert {*tools_of(["all"])} == ALL_NAMES
    assert list(tools_of(["agent", "memory_as_of"])) == [*AGENT, "memory_as_of"]


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # the tokenizer loads its words so
@pytest.mark.parametrize(("toolset", "most"), [("agent", 3_000), ("agent_memory", 3_500)])
async def test_the_tools_for_agents_fit_into_so_many_tokens(toolset: str, most: int):
    """Name, description and input schema, as a model is given them."""
    import bpe_openai

    async with client_of(opens(RecordingMemory()), "legacy", toolsets=(toolset,)) as client:
        tools = (await client.list_tools()).tools
    lines = [{"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in tools]
    text = json.dumps(lines, separators=(",", ":"), ensure_ascii=False)
    assert len(bpe_openai.get_encoding("o200k_base").encode(text)) <= most


@pytest.mark.parametrize("preset", PRESETS)
async def test_instructions_descriptions_and_prompts_name_only_tools_that_are_served(preset: str):
    server = build_server(opens(RecordingMemory()), Settings(), [preset])
    async with Client(server, mode="legacy") as client:
        tools = (await client.list_tools()).tools
        lines = [client.instructions or "", *(tool.description or "" for tool in tools)]
        if "session_start" in tools_of([preset]):
            for prompt in (await client.list_prompts()).prompts:
                content = (await client.get_prompt(prompt.name)).messages[0].content
                lines.append(str(content.model_dump()["text"]))
    words = {"remember", "decide", "forget"}  # which stand in descriptions as such
    assert names_in(" ".join(lines)) - words <= {tool.name for tool in tools}


@pytest.mark.parametrize("toolsets", [("agent",), ("graph", "recall", "session_start"), ("recall", "session_start")])
async def test_an_empty_memory_names_only_tools_that_are_served(toolsets: tuple[str, ...]):
    memory = RecordingMemory(
        session_start=SessionStartResult(empty=True, text=GUIDE, tokens=999),
        recall=RecallResult(depth="medium", tokens_used=999, content={"corrections": ["Say Ann."], "guide": IN_SHORT}),
    )
    async with client_of(opens(memory), toolsets=toolsets) as client:
        started = json_of(await client.call_tool("session_start", {}))
        recalled = json_of(await client.call_tool("recall", {}))
    assert names_in(started["text"] + recalled["content"]["guide"]) <= {*tools_of(toolsets)}
    assert started["tokens"] < 400
    assert recalled["content"]["corrections"] == ["Say Ann."]
    assert recalled["tokens_used"] < 50
    assert started["text"].startswith("This memory is empty.")
    assert ("remember takes facts" in started["text"]) is ("agent" in toolsets)
    assert ("create_node" in started["text"]) is ("graph" in toolsets)


async def test_a_hint_names_a_tool_that_is_served_in_place_of_one_that_is_not():
    memory = RecordingMemory(recall=official_not_found_error("Anm"), session_start=no_ontology_error("work"))
    async with client_of(opens(memory), toolsets=("agent",)) as client:
        hint = error_of(await client.call_tool("recall", {}))["details"]["hint"]
        none = error_of(await client.call_tool("session_start", {}))["details"]["hint"]
    assert hint == "Find names with recall. Create an entity with remember."
    assert none == "To create one, use remember."


def test_of_a_hint_what_leads_to_tools_that_are_not_served_is_left_out():
    declaring = Hint("Use a type", ", or declare it with {add_node_type}", ".")
    assert hint_of(declaring, AGENT) == "Use a type."
    assert hint_of(declaring, ["add_node_type"]) == "Use a type, or declare it with add_node_type."
    assert hint_of(Hint("{memory_diff} tells.", " {get_node} has more."), ["get_node"]) == "get_node has more."
    finding = Hint("{query_nodes|search_content|search_memories} finds it.")
    assert hint_of(finding, AGENT) == "search_memories finds it."
    assert hint_of(finding, ["search_content", "query_nodes"]) == "query_nodes or search_content finds it."
    assert hint_of('Give "get_node (old)" another name.', AGENT) == 'Give "get_node (old)" another name.'


def test_warnings_and_ready_calls_lead_only_to_tools_that_are_served():
    call: dict[str, object] = {"tool": "memory_diff", "arguments": {}}
    warning = Hint("Some were read.", " List others with {get_neighbors}.")
    result = _ItemsReply(warnings=(warning, Hint("{get_node} tells.")), items=[{"call": call}])
    rendered = Advice(AGENT, ["agent"]).answer(result, has_calls=True)
    assert rendered["warnings"] == ["Some were read."]
    assert rendered["items"] == [
        {"call": {**call, "not_offered": "Your user can serve more: --toolsets agent,history."}}
    ]


async def test_a_warning_that_a_tool_returns_leads_only_to_tools_that_are_served():
    warning = Hint(
        "There is no domain work.", " List the domains with {list_domains}.", " Create it with {create_ontology}."
    )
    memory = RecordingMemory(query_nodes=NodeIds(node_ids=(), warnings=(warning,)))
    async with client_of(opens(memory)) as client:
        result = json_of(await client.call_tool("query_nodes", {}))
    assert result["warnings"] == ["There is no domain work. Create it with create_ontology."]


def test_the_call_of_a_conflict_says_where_its_tool_is_not_served():
    served = {"tool": "memory_revert_session", "arguments": {"on_conflict": "force"}}
    other = {"tool": "memory_revert", "arguments": {"event_ids": ["7"]}}
    error = GraphError(Code.REVERT_CONFLICT, "No", {"conflicts": [{"call": served}, {"call": other}]})
    conflicts = Advice(AGENT, ["agent"]).error(error).details["conflicts"]
    missing = "Your user can serve more: --toolsets agent,history."
    assert conflicts == [{"call": served}, {"call": {**other, "not_offered": missing}}]
