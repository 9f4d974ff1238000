"""An adapter for Pydantic AI: `GraphToolset`, a toolset with the tools of the MCP server.

async with open_memory() as memory:
    agent = Agent(model, toolsets=[GraphToolset(memory, domain="assistant")])

The instructions of each run contain the primer: a summary of what the memory knows at the start. It is fenced as data,
because it is text that was stored earlier. The log records the conversation of the run as the session.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from typing import Any, TypeVar

from pydantic_ai import ModelRetry, RunContext, ToolDefinition
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import InstructionPart
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import override

from graph_memory.adapters.running import Runner
from graph_memory.hooks.fence import fence
from graph_memory.mcp_server.advice import Advice
from graph_memory.mcp_server.table import tools_of
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.sessions.results import SessionStartResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import ALL_DOMAINS, Caller, Grant, Principal, Right, run_as
from graph_memory.sync import SyncMemory

R = TypeVar("R")
ACTOR = "pydantic-ai"
"""Default actor of the changes in the log."""
_START_TOOL = "session_start"
_ANY_OBJECT = SchemaValidator(core_schema.dict_schema(keys_schema=core_schema.str_schema()))
"""Accepts any arguments, because the operation itself checks them more strictly than a JSON schema can."""


class GraphToolset(AbstractToolset[AgentDepsT]):
    """Tools on a memory that was opened with `open_memory` or `open_memory_sync`.

    If `domain` is given, the tools can read and change only that domain, whatever the model asks for. `tools` lists
    presets, toolsets or tools of the MCP server. `primer_tokens` is the maximum number of tokens of the primer. 0 omits
    the primer. `max_retries` limits how often the model may correct the arguments of a call. If the memory is async,
    create the toolset within its event loop.
    """

    def __init__(
        self,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        session: str | None = None,
        tools: Sequence[str] = ("agent",),
        primer_tokens: int = 1_500,
        max_retries: int = 2,
        id: str = "graph-memory",  # noqa: A002 - Pydantic AI's name
    ) -> None:
        self._runner = Runner(memory, domain, actor, session)
        self._session = session
        served_tools = tools_of(tools)
        self._advice = Advice(served_tools, tools)
        self._tools = {name: tool for name, tool in served_tools.items() if not (primer_tokens and name == _START_TOOL)}
        self._primer_tokens = primer_tokens
        self._primer: str | None = None
        self._max_retries = max_retries
        self._id = id
        grants = (Grant(ALL_DOMAINS if domain is None else domain, Right.ADMIN),)
        self._principal = Principal(id, grants, kind="toolset")

    @property
    @override
    def id(self) -> str:
        return self._id

    @override
    async def for_run(self, ctx: RunContext[AgentDepsT]) -> GraphToolset[AgentDepsT]:
        """Return the toolset for a run, with a primer that is read now."""
        toolset = copy(self)
        toolset._session = self._session or ctx.conversation_id  # noqa: SLF001 - same class
        if self._primer_tokens:
            toolset._primer = await toolset._read_primer()  # noqa: SLF001
        return toolset

    @override
    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> InstructionPart | None:
        return InstructionPart(self._primer, dynamic=True, name="primer") if self._primer else None

    @override
    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        return {
            name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=name,
                    description=self._advice.description(tool.operation.description),
                    parameters_json_schema=tool.listed.input_schema,
                ),
                max_retries=self._max_retries,
                args_validator=_ANY_OBJECT,
            )
            for name, tool in self._tools.items()
        }

    @override
    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> dict[str, object]:
        """Return the result of a tool as JSON.

        Errors are returned to the model, so that it can correct its arguments.
        """
        operation = self._tools[name].operation
        try:
            result = await self._run(operation.bind(tool_args), operation.right)
        except GraphError as error:
            explained = self._advice.error(error)
            if error.code is Code.INVALID_ARGUMENT:
                raise ModelRetry(str(explained)) from error
            raise ToolFailed(str(explained)) from error
        return self._advice.answer(result, has_calls=operation.returns_calls)

    async def _read_primer(self) -> str:
        async def start(memory: Memory) -> SessionStartResult:
            return await memory.entities.session_start(max_tokens=self._primer_tokens)

        started = await self._run(start)
        answer = self._advice.answer(started, has_calls=True)
        text = str(answer["text"])
        if started.empty:
            return text
        if questions := answer.get("questions"):
            text += f"\n\nOpen questions: {json.dumps(questions, ensure_ascii=False)}"
        return fence(text, "primer", started.tokens)

    async def _run(self, function: Callable[[Memory], Awaitable[R]], right: Right = Right.READ) -> R:
        async def call(memory: Memory) -> R:
            with run_as(Caller(self._principal, right)):
                return await function(memory.in_session(self._session) if self._session else memory)

        return await self._runner.arun(call)
