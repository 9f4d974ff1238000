"""A coding agent keeps what happened, what works and what is to be done, through the tools of `agent_memory`."""

from __future__ import annotations

import pytest

from acceptance.agents import serve_agent

pytestmark = pytest.mark.anyio


async def test_an_agent_repeats_what_has_worked_and_goes_on_where_it_stopped(environment: dict[str, str], domain: str):
    async with serve_agent(environment, "--toolsets", "agent_memory", "--domain", domain) as agent:
        assert (await agent.call("get_events"))["events"] == []
        goal = (await agent.call("set_goal", description="Release 1.0", steps=["docs", "tag"]))["goal"]["id"]
        waiting = (await agent.call("set_goal", description="Announce", blocked_by=[goal]))["goal"]
        assert waiting["status"] == "blocked"
        error = await agent.call(
            "record_event",
            event_type="error",
            content="OSError: disk full while tagging",
            outcome="failure",
            session="monday",
            entities=[{"name": "CI", "type": "service", "observations": ["has a full disk"]}],
        )
        fix = await agent.call(
            "record_event", event_type="fix", content="pruned images", session="monday", caused_by=[error["event_id"]]
        )
        pattern = await agent.call(
            "record_pattern",
            name="Prune images",
            conditions=[{"value": "disk full"}, {"type": "error_type", "value": "OSError"}],
            steps=["docker image prune"],
            learned_from=[fix["event_id"]],
        )
        await agent.call("apply_pattern_result", pattern_id=pattern["id"], success=True)
    async with serve_agent(environment, "--toolsets", "agent_memory", "--domain", domain) as agent:
        last = (await agent.call("get_events", session="monday"))["events"]
        assert [event_["id"] for event_ in last] == [fix["event_id"], error["event_id"]]
        chain = (await agent.call("get_events", chain_of=error["event_id"]))["events"]
        assert [event_["distance"] for event_ in chain] == [0, 1]
        read = await agent.call(
            "record_event", event_type="tool_call", content="main.py:3: KeyError", archetype="coding_agent"
        )
        assert read["entities"] == ["KeyError", "main.py"]
        results = await agent.call("match_patterns", query="disk full again", error_types=["OSError"])
        assert [(match["pattern"]["id"], match["score"]) for match in results["matches"]] == [(pattern["id"], 0.5)]
        assert (await agent.call("get_best_patterns"))["patterns"][0]["applications"] == 1
        for _ in range(2):
            done = await agent.call("update_goal", goal_id=goal, complete_step=0)
        assert (done["goal"]["status"], done["unblocked"]) == ("completed", [waiting["id"]])
        assert [goal["id"] for goal in (await agent.call("list_goals"))["goals"]] == [waiting["id"]]
        refused = await agent.client.call_tool("get_events", {"session": "monday", "type": "fix"})
        assert refused.is_error
        assert "session cannot be combined with type" in str(refused.content)


async def test_notes_of_a_session_one_query_over_all_types_and_the_project(environment: dict[str, str], domain: str):
    tools = "agent_memory,get_environment"
    async with serve_agent(environment, "--toolsets", tools, "--domain", domain) as agent:
        await agent.call("working_memory", action="set", key="goal", value="Release")
        await agent.call("working_memory", action="set", key="recent_outputs", value={"failed": 3})
        assert (await agent.call("working_memory", action="get"))["goal"] == "Release"
        assert (await agent.call("working_memory", action="get", key="goal"))["value"] == "Release"
        refused = await agent.client.call_tool("working_memory", {"action": "set", "key": "goal"})
        assert "set needs a value" in str(refused.content)
        await agent.call("record_event", event_type="error", content="disk full", session="monday")
        await agent.call(
            "record_pattern", name="Never fill it", pattern_type="anti_pattern", conditions=[{"value": "disk"}]
        )
        results = await agent.call("query_memory", query="disk full", max_tokens=500)
        assert [event["passage"] for event in results["events"]] == ["disk full"]
        assert results["patterns"][0]["warning"]
        assert results["tokens_used"] <= 500
        assert (await agent.call("get_environment", limit=3))["project_root"]
    async with serve_agent(environment, "--toolsets", tools, "--domain", domain) as agent:
        assert "goal" not in await agent.call("working_memory", action="get")


@pytest.fixture
def own(environment: dict[str, str], domain: str) -> dict[str, str]:
    """An environment with a domain of users and of the agent that no other test has."""
    return {
        **environment,
        "GRAPH_MEMORY_USERS_DOMAIN": f"{domain}-users",
        "GRAPH_MEMORY_AGENT_DOMAIN": f"{domain}-agent",
    }


async def test_a_mistake_that_the_user_corrected_is_told_first_in_the_next_session(own: dict[str, str], domain: str):
    async with serve_agent(own, "--toolsets", "agent,agent_memory", "--domain", domain) as agent:
        assert "warnings" in await agent.call("get_user_profile")
        refused = await agent.client.call_tool("update_user_profile", {"communication_style": "short"})
        assert refused.is_error
        refused = await agent.client.call_tool("update_user_profile", {"correction": {"original": "a"}})
        assert "correction.corrected" in str(refused.content)
        correction = {"original": "npm", "corrected": "pnpm", "context": "installing packages"}
        profile = await agent.call(
            "update_user_profile", communication_style="concise", preferred_tools=["pnpm"], correction=correction
        )
        assert profile["corrections"][0]["source"] == "user"
    async with serve_agent(own, "--toolsets", "agent,agent_memory", "--domain", domain) as agent:
        begin = (await agent.call("session_start"))["text"]
        assert 'not "npm", but "pnpm"' in begin.splitlines()[1]
        assert "search_memories lists" in begin
        await agent.call("remember", name="Apollo", text="Apollo installs packages in CI.")
        rendered = await agent.call("recall", query="Install the packages of Apollo", max_tokens=300)
        assert 'not "npm", but "pnpm"' in rendered["content"].splitlines()[0]
        assert "Apollo installs packages in CI." in rendered["content"]
        assert (await agent.call("get_user_profile"))["communication_style"] == "concise"


async def test_an_agent_knows_how_its_tools_worked(own: dict[str, str], domain: str):
    async with serve_agent(own, "--toolsets", "agent_memory", "--domain", domain) as agent:
        for outcome, duration in (("success", 10), ("failure", 30)):
            await agent.call(
                "record_event",
                event_type="tool_call",
                tool="deploy",
                content="timeout after 30 s",
                outcome=outcome,
                duration_ms=duration,
            )
        [tool] = (await agent.call("get_capabilities", tool="deploy"))["tools"]
        assert (tool["uses"], tool["successes"], tool["failures"], tool["mean_ms"], tool["p95_ms"]) == (2, 1, 1, 20, 30)
        assert tool["common_errors"] == [{"error": "timeout after # s", "count": 1}]
        assert (await agent.call("get_capabilities", domains=[f"{domain}-none"]))["tools"] == []
