"""A month in the life of a coding agent: 20 sessions through MCP, with what it must know at the end of them."""

from __future__ import annotations

import pytest

from acceptance.agents import Agent, serve_agent
from graph_memory import Settings, open_memory
from support import agrees

pytestmark = [pytest.mark.anyio, pytest.mark.long]
TOOLS = "agent,agent_memory,memory_as_of"


async def work(agent: Agent, day: int, content: str, **more: object) -> str:
    """Record one event of a day, and return its id."""
    at = f"2026-11-{day:02}T09:00:00Z"
    return (await agent.call("record_event", content=content, session=f"day {day}", timestamp=at, **more))["event_id"]


async def test_an_agent_does_not_repeat_what_failed_and_goes_on_with_its_goals(
    environment: dict[str, str], domain: str, settings: Settings
) -> None:
    serving = ("--toolsets", TOOLS, "--domain", domain)
    environment = {**environment, "GRAPH_MEMORY_USERS_DOMAIN": f"{domain}-users"}
    async with serve_agent(environment, *serving) as agent:
        await agent.call("session_start", project="Shop")
        schema = (await agent.call("set_goal", description="Migrate the schema"))["goal"]["id"]
        release = (
            await agent.call(
                "set_goal", description="Release 2.0", steps=["docs", "tag"], deadline="2026-12-01", blocked_by=[schema]
            )
        )["goal"]["id"]
        flaky = await work(agent, 1, "test_checkout is flaky", event_type="error", outcome="failure")
        await agent.call(
            "record_event", event_type="note", content="CI runs test_checkout", session="day 1",
            entities=[{"name": "test_checkout", "type": "test"}, {"name": "CI", "type": "service"}],
            relations=[{"from": "CI", "to": "test_checkout", "type": "runs"}],
        )  # fmt: skip
        restart = await agent.call("record_pattern", name="Restart the runner", conditions=[{"value": "flaky"}])
        for day in (2, 3, 4):
            assert (await agent.call("match_patterns", query="flaky again"))["matches"][0]["pattern"]["id"] == restart[
                "id"
            ]
            failed = await work(
                agent, day, "restarted the runner, still flaky", event_type="fix", outcome="failure", caused_by=[flaky]
            )
            await agent.call("apply_pattern_result", pattern_id=restart["id"], success=False, event=failed)
        avoid = await agent.call(
            "record_pattern", name="Do not restart the runner", pattern_type="anti_pattern",
            conditions=[{"value": "flaky"}], confidence=0.9, learned_from=[failed],
        )  # fmt: skip
        better = await agent.call(
            "record_pattern",
            name="Freeze the clock",
            conditions=[{"value": "flaky"}],
            confidence=0.8,
            steps=["use freezer"],
        )
        at_day_4 = (await agent.call("memory_log", limit=1, full=True))["entries"][0]["seq"]
    async with serve_agent(environment, *serving) as agent:
        for day in range(5, 12):
            await work(agent, day, "froze the clock", event_type="fix", outcome="success")
            await agent.call("apply_pattern_result", pattern_id=better["id"], success=True)
        correction = {"original": "uses npm", "corrected": "uses pnpm", "context": "installing packages"}
        await agent.call("update_user_profile", communication_style="concise", correction=correction)
        await agent.call("working_memory", action="set", key="goal", value="Release 2.0")
        done = await agent.call("update_goal", goal_id=schema, status="completed")
        assert done["unblocked"] == [release]
        await agent.call("update_goal", goal_id=release, complete_step=0)
        await agent.call("session_end", summary="Schema migrated. Next: tag 2.0.", project="Shop")
    async with serve_agent(environment, *serving) as agent:
        start = await agent.call("session_start", project="Shop")
        assert "Next: tag 2.0." in start["text"]
        assert "Release 2.0" in start["text"]
        for day in range(12, 21):
            await work(agent, day, f"worked on the tag, part {day}", event_type="note")
        matches = (await agent.call("match_patterns", query="test_checkout is flaky"))["matches"]
        assert [match["pattern"]["id"] for match in matches] == [avoid["id"], better["id"], restart["id"]]
        assert "warning" in matches[0]
        best = (await agent.call("get_best_patterns", pattern_type="solution"))["patterns"]
        assert [event_["id"] for event_ in best] == [better["id"], restart["id"]]
        rendered = await agent.call("recall", query="How do I install packages?")
        assert "uses pnpm" in rendered["content"].splitlines()[1] + rendered["content"].splitlines()[0]
        assert "Release 2.0" in (await agent.call("recall", query="What is open, what is next?"))["content"]
        assert (await agent.call("get_user_profile"))["communication_style"] == "concise"
        assert len((await agent.call("get_events", session="day 4"))["events"]) == 1
        chain = (await agent.call("get_events", chain_of=flaky))["events"]
        assert len(chain) == 4
        results = await agent.call("query_memory", query="test_checkout flaky", max_tokens=800)
        assert results["tokens_used"] <= 800
        assert results["patterns"][0]["warning"]
        [goal] = (await agent.call("list_goals"))["goals"]
        assert (goal["id"], goal["status"], goal["progress"], goal["current_step"]) == (release, "pending", 0.5, 2)
        past = await agent.call("memory_as_of", at=at_day_4, tool="get_node", arguments={"node_id": release})
        assert past["result"]["properties"]["status"] == "blocked"
        assert "goal" not in await agent.call("working_memory", action="get")
    async with open_memory(settings) as memory:
        await agrees(memory.in_domain(domain))
