"""An agent that knows nothing begins a session, keeps what it learned, and finds it in the next one."""

from __future__ import annotations

import pytest

from acceptance.agents import serve_agent

pytestmark = pytest.mark.anyio


async def test_what_a_session_kept_is_told_at_the_start_of_the_next(environment: dict[str, str], domain: str):
    async with serve_agent(environment, "--toolsets", "entities,remember,sessions", "--domain", domain) as agent:
        first = await agent.call("session_start", project="Apollo")
        assert first["empty"]
        assert "This memory is empty." in first["text"]
        prompt = await agent.client.get_prompt("save-session", {"project": "Apollo"})
        assert prompt.description == "Save the results of this session before it ends"
        rendered = await agent.call("remember", name="Ben", type="person", observations=["works at Merrow"])
        block = await agent.call("edit_block", label="human", text="Ada, a pilot.")
        assert (block["characters"], block["limit"]) == (13, 2_000)
        ended = await agent.call("session_end", summary="Met Ben.", project="Apollo")
        assert ended["changed"]
    async with serve_agent(environment, "--toolsets", "sessions", "--domain", domain) as agent:
        second = await agent.call("session_start", project="Apollo")
        assert not second["empty"]
        assert second["text"].startswith("## human\n> Ada, a pilot.\n\n## Last time\n")
        assert "> Met Ben." in second["text"]
        assert "Ben" in second["text"].partition("## Changed since last time")[2]
        assert rendered["facts"][0]["decision"] == "ADD"
        assert [block["text"] for block in (await agent.call("get_block", label="human"))["blocks"]] == [
            "Ada, a pilot."
        ]
