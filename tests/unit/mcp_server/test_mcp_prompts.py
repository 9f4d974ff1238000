"""The prompts of a server: offered with the tools of sessions, and only then."""

from __future__ import annotations

import re

import pytest
from mcp import Client, MCPError

from graph_memory.mcp_server.server import build_server
from graph_memory.operations.table import TOOLSETS
from graph_memory.settings import Settings
from graph_memory.skills import bundled_skills
from unit.mcp_server.mcp_fakes import RecordingMemory, opens

pytestmark = pytest.mark.anyio


async def test_prompts_lead_to_tools_and_name_the_project() -> None:
    server = build_server(opens(RecordingMemory()), Settings(), ["sessions"])
    async with Client(server) as client:
        listed = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in listed] == ["memory-guide", "save-session"]
        tools = {tool.name for toolset in TOOLSETS.values() for tool in toolset}
        for description in listed:
            result = await client.get_prompt(description.name, {"project": "Apollo"})
            text = result.messages[0].content.text  # pyright: ignore[reportAttributeAccessIssue]
            assert '(project: "Apollo")' in text
            assert set(re.findall(r"\b[a-z]+_[a-z_]+\b", text)) <= {*tools, "works_on", "depends_on"}
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("guide")
        assert "memory-guide and save-session" in caught.value.error.message


async def test_skills_are_prompts_if_their_tools_are_served() -> None:
    async with Client(build_server(opens(RecordingMemory()), Settings(), ["agent"])) as client:
        listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        skills = bundled_skills()
        assert [*listed] == ["memory-guide", "save-session", *skills]
        assert [*skills] == ["correct", "forget", "memory-log", "memory-undo", "recall", "remember"]
        for name, skill in skills.items():
            assert listed[name].description == skill.description
            plain = await client.get_prompt(name)
            assert plain.messages[0].content.text == skill.body  # pyright: ignore[reportAttributeAccessIssue]
            filled = await client.get_prompt(name, {"words": "the deadline"})
            text = filled.messages[0].content.text  # pyright: ignore[reportAttributeAccessIssue]
            assert text == f"{skill.body}\nARGUMENTS: the deadline"
    async with Client(build_server(opens(RecordingMemory()), Settings(), ["remember", "recall"])) as client:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert "recall" in names
        assert "memory-undo" not in names


async def test_without_sessions_there_are_no_prompts() -> None:
    async with Client(build_server(opens(RecordingMemory()), Settings(), ["entities"])) as client:
        with pytest.raises(MCPError):
            await client.list_prompts()
