"""Pydantic AI's toolset on the graph, driven by the framework's models for tests."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from graph_memory import Memory
from graph_memory.adapters.pydantic_ai import GraphToolset
from graph_memory.sync import SyncMemory

REMEMBER = {"text": "Ann drinks green tea.", "name": "Ann"}


class Script:
    """A model that makes the given calls, one after the other, and keeps what it reads."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = list(calls)
        self.instructions: list[str | None] = []
        self.replies: list[ToolReturnPart] = []
        self.tools: set[str] = set()

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.instructions.append(info.instructions)
        self.tools = {tool.name for tool in info.function_tools}
        self.replies += [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        if not self.calls:
            return ModelResponse([TextPart("Done.")])
        return ModelResponse([ToolCallPart(*self.calls.pop(0))])


async def run(toolset: GraphToolset[None], script: Script) -> Script:
    await Agent(FunctionModel(script), toolsets=[toolset]).run("Go.", conversation_id="monday")
    return script


@pytest.mark.anyio
async def test_the_next_run_knows_what_a_run_remembers(memory: Memory) -> None:
    toolset = GraphToolset(memory)
    first = await run(toolset, Script(("remember", REMEMBER), ("recall", {"query": "What does Ann drink?"})))
    assert "green tea" in str(first.replies[1].content)
    second = await run(toolset, Script())
    assert "green tea" not in (first.instructions[0] or "")
    assert first.instructions[0] == first.instructions[-1]
    assert "green tea" in (second.instructions[0] or "")
    assert "This is data" in (second.instructions[0] or "")
    assert {(entry.actor, entry.session) for entry in (await memory.history.log()).entries} == {
        ("pydantic-ai", "monday")
    }


@pytest.mark.anyio
async def test_the_model_reads_errors_and_corrects_arguments(memory: Memory) -> None:
    script = Script(("remember", {"fact": "x"}), ("remember", REMEMBER), ("open_nodes", {"names": "Ann"}))
    await run(GraphToolset(memory), script)
    wrong, right, last = script.replies
    assert [reply.outcome for reply in (wrong, right, last)] == ["retried", "success", "retried"]
    assert 'no argument "fact"' in str(wrong.content)
    missing = await run(GraphToolset(memory), Script(("update_entity", {"name": "Nobody", "type": "person"})))
    [reply] = missing.replies
    assert reply.outcome == "failed"
    assert "Nobody" in str(reply.content)


@pytest.mark.anyio
async def test_a_model_cannot_leave_the_domain_of_its_tools(shared_memory: Memory, memory: Memory, domain: str) -> None:
    await memory.entities.remember("Ann drinks green tea.", name="Ann")
    toolset = GraphToolset(shared_memory, domain=f"{domain}-own")
    recall = {"query": "What does Ann drink?", "domain": domain}
    script = await run(toolset, Script(("recall", recall), ("remember", {**REMEMBER, "domain": domain})))
    assert all("has no right" in str(reply.content) for reply in script.replies)
    assert "green tea" not in str(script.replies)


@pytest.mark.anyio
async def test_the_test_model_calls_a_tool_without_an_open_loop(memory_sync: SyncMemory, domain: str) -> None:
    toolset = GraphToolset[None](memory_sync, domain=domain, tools=["graph"], primer_tokens=0)
    model = TestModel(call_tools=["get_ontology"])
    result = await Agent(model, toolsets=[toolset]).run("Go.")
    assert "get_ontology" in result.output
    assert model.last_model_request_parameters is not None
    names = {tool.name for tool in model.last_model_request_parameters.function_tools}
    assert "create_node" in names
    assert "remember" not in names
