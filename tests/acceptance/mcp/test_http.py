"""One server for several agents, over HTTP: both generations of the protocol, one memory."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import Iterator

import httpx2
import pytest

from acceptance.agents import GTD, Agent, http_server, over_http, run
from graph_memory import Memory
from graph_memory.mcp_server.callers import SESSION
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

MODES = ["auto", "legacy"]


@pytest.fixture(scope="module")
def url(environment: dict[str, str]) -> Iterator[str]:
    """A server that the tests of this file share."""
    with http_server(environment, "--toolsets", "graph,history") as url:
        yield url


@pytest.mark.parametrize("mode", MODES)
async def test_an_agent_works_over_http_as_over_stdio(url: str, domain: str, mode: str):
    async with over_http(url, domain, mode) as agent:
        assert agent.client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        assert len((await agent.client.list_tools()).tools) == 28
        await agent.call("create_ontology", **GTD)
        project = await agent.node("Project", "# Küche 🏠", properties={"status": "active"})
        action = await agent.node("Action", "# Call")
        await agent.connection("NextAction", project, action)
        assert await agent.content(project) == "# Küche 🏠"
        assert (await agent.call("get_node", node_id=project))["properties"] == {"status": "active"}
        assert await agent.ids_of("search_content", query="KÜCHE") == [project]
        error = await agent.error_of("create_connection", type="NextAction", from_node_id=action, to_node_id=project)
        assert error.code is Code.INVALID_TOPOLOGY
        assert (await agent.error_of("get_node", node_id="mem_none")).code is Code.NODE_NOT_FOUND


@pytest.mark.long
async def test_agents_of_both_generations_share_one_memory(url: str, domain: str, memory: Memory):
    async with over_http(url, domain, "auto") as result, over_http(url, domain, "legacy") as other:
        await result.call("create_ontology", **GTD)
        projects = await asyncio.gather(*(agent.node("Project", "x") for agent in (result, other) * 5))
        assert await result.ids_of("query_nodes", type="Project") == sorted(projects)
        assert await other.ids_of("query_nodes", type="Project") == sorted(projects)
        assert await result.content(projects[1]) == await other.content(projects[0]) == "x"
    assert (await memory.upkeep.verify()).differences == ()


async def two_projects_each(first_agent: Agent, other: Agent) -> tuple[list[str], list[str]]:
    """Have two agents write at once, and return the ids of each."""
    await other.call("create_ontology", **GTD)
    made = await asyncio.gather(*(agent.node("Project", "x") for agent in (first_agent, other) * 2))
    return sorted(made[::2]), sorted(made[1::2])


@pytest.mark.parametrize("named", [False, True])
async def test_every_client_undoes_its_own_work(url: str, domain: str, environment: dict[str, str], named: bool):
    first, second = ({SESSION: "kitchen"}, {SESSION: "garden"}) if named else ({}, {})
    modes = ("auto", "legacy") if named else ("legacy", "legacy")
    async with over_http(url, domain, modes[0], first) as agent, over_http(url, domain, modes[1], second) as other:
        mine, theirs = await two_projects_each(agent, other)
        page = await agent.call("memory_log", session="current", full=True)
        assert sorted(entry["subject"] for entry in page["entries"]) == mine
        await agent.call("memory_revert_session", session="current")
        assert await other.ids_of("query_nodes", type="Project") == theirs
    process = run(environment, "sessions", "--json", "--domain", domain)
    sessions = {session["session"] for session in json.loads(process.stdout)["sessions"]}
    assert len(sessions) == 2
    assert None not in sessions
    assert not named or sessions == {"garden", "kitchen"}


async def test_the_log_does_not_give_away_what_opens_a_session(url: str, domain: str, memory: Memory):
    ids: list[str] = []

    async def note(response: httpx2.Response) -> None:
        ids.extend(response.headers.get_list("Mcp-Session-Id"))

    async with over_http(url, domain, "legacy", noting=note) as agent:
        await agent.call("create_ontology", **GTD)
    [summary] = (await memory.history.sessions()).sessions
    assert ids
    assert ids[0] not in str(summary.session)


async def test_clients_without_a_session_have_one_for_each_connection(url: str, domain: str, memory: Memory):
    async with over_http(url, domain) as agent, over_http(url, domain) as other:
        await other.call("create_ontology", **GTD)
        mine, theirs = await agent.node("Project", "x"), await other.node("Project", "y")
        page = await agent.call("memory_log", session="current", full=True)
        assert [entry["subject"] for entry in page["entries"]] == [mine]
        await agent.call("memory_revert_session", session="current")
        assert await other.ids_of("query_nodes", type="Project") == [theirs]
    sessions = [session.session for session in (await memory.history.sessions()).sessions]
    assert len({*sessions}) == len(sessions) == 2
    assert None not in sessions


async def test_later_calls_carry_the_session_that_session_start_gave(
    environment: dict[str, str], domain: str, memory: Memory
):
    with http_server(environment, "--toolsets", "sessions,remember,history,domains") as url:
        async with over_http(url, domain) as result, over_http(url, domain) as other:
            ids = [(await agent.call("session_start"))["session_id"] for agent in (result, other)]
            for agent, session in ((other, ids[1]), (result, ids[0])):  # the first one also adds the types
                await agent.call("remember", name=session, observations=["is mine"], session_id=session)
            tools = {tool.name: tool.input_schema["properties"] for tool in (await result.client.list_tools()).tools}
            assert all("session_id" in properties for properties in tools.values())
            assert (await result.error_of("remember", name="x", session_id="two words")).details[
                "argument"
            ] == "session_id"
            await other.client.call_tool("select_domain", {"name": domain, "session_id": ids[1]})
            page = await other.call("memory_log", session="current", session_id=ids[1])
            assert "is mine" in str(page)
            await result.call("memory_revert_session", session_id=ids[0])
            await result.call("session_end", summary="Undone.", session_id=ids[0])
    assert await memory.entities.find_by_name(ids[0]) is None
    assert await memory.entities.find_by_name(ids[1]) is not None
    sessions = {session.session for session in (await memory.history.sessions()).sessions}
    assert sessions >= {*ids}


@pytest.mark.parametrize("name", ["", "current", "two words", "x" * 129])
async def test_a_name_that_is_none_is_refused(url: str, domain: str, name: str):
    async with over_http(url, domain, headers={SESSION: name}) as agent:
        error = await agent.error_of("create_ontology", **GTD)
        assert (error.code, error.details["argument"]) == (Code.INVALID_ARGUMENT, SESSION)


@pytest.mark.long
async def test_a_server_may_name_one_session_for_all(environment: dict[str, str], domain: str, memory: Memory):
    with http_server({**environment, "GRAPH_MEMORY_SESSION": "ours"}) as url:
        async with over_http(url, domain, "auto") as agent, over_http(url, domain, "legacy") as other:
            await two_projects_each(agent, other)
    assert [session.session for session in (await memory.history.sessions()).sessions] == ["ours"]


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
async def test_content_up_to_the_limit_is_taken_and_more_is_refused_by_its_code(url: str, domain: str, mode: str):
    async with over_http(url, domain, mode) as agent:
        await agent.call("create_ontology", **GTD)
        text = "seven megabytes\n" * 450_000
        assert await agent.content(await agent.node("Project", text)) == text
        binary = base64.b64encode(bytes(8 * 1024 * 1024)).decode()
        assert await agent.content(await agent.node("Project", binary, encoding="base64", format="bin")) == binary
        error = await agent.error_of("create_node", type="Project", content="x" * 9_000_000, format="text")
        assert error.code is Code.CONTENT_TOO_LARGE


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.10", "example.com", ""])
def test_only_the_loopback_interface_is_served(environment: dict[str, str], host: str):
    done = run(environment, "mcp", "--transport", "http", "--host", host, "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(str(Code.INVALID_ARGUMENT))
    assert "Hint: Without authentication" in done.stderr


def test_a_port_that_is_taken_is_told(environment: dict[str, str]):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(environment, "mcp", "--transport", "http", "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{Code.INVALID_ARGUMENT}: --port {port} is already in use\nHint: ")


@pytest.mark.parametrize("option", [["--port", "0"], ["--host", "127.0.0.1"]])
def test_options_of_http_are_refused_without_it(environment: dict[str, str], option: list[str]):
    done = run(environment, "mcp", *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{Code.INVALID_ARGUMENT}: {option[0]} needs --transport http\nHint: ")
