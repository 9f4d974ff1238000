"""One server for several agents, over HTTP: both generations of the protocol, one memory."""

from __future__ import annotations

import asyncio
import base64
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Memory, Settings, local
from graph_memory.model.errors import Code

from .agents import GTD, environment_of, http_server, over_http, run

pytestmark = pytest.mark.anyio

MODES = ["auto", "legacy"]


@pytest.fixture(scope="module")
def url(environment: dict[str, str]) -> Iterator[str]:
    """A server that the tests of this file share."""
    with http_server(environment) as url:
        yield url


@pytest.mark.parametrize("mode", MODES)
async def test_an_agent_works_over_http_as_over_stdio(url: str, domain: str, mode: str):
    async with over_http(url, domain, mode) as agent:
        assert agent.client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        assert len((await agent.client.list_tools()).tools) == 18
        await agent.call("create_ontology", **GTD)
        project = await agent.node("Project", "# Küche 🏠", properties={"status": "active"})
        action = await agent.node("Action", "# Call")
        await agent.connection("NextAction", project, action)
        assert await agent.content(project) == "# Küche 🏠"
        assert (await agent.call("get_node", node_id=project))["properties"] == {"status": "active"}
        assert await agent.found("search_content", query="KÜCHE") == [project]
        error = await agent.refused("create_connection", type="NextAction", from_node_id=action, to_node_id=project)
        assert error.code is Code.INVALID_TOPOLOGY
        assert (await agent.refused("get_node", node_id="mem_none")).code is Code.NODE_NOT_FOUND


async def test_agents_of_both_generations_share_one_memory_and_one_session_of_the_log(
    url: str, domain: str, memory: Memory, driver: Any
):
    async with over_http(url, domain, "auto") as one, over_http(url, domain, "legacy") as other:
        await one.call("create_ontology", **GTD)
        projects = await asyncio.gather(*(agent.node("Project", "x") for agent in (one, other) * 5))
        assert await one.found("query_nodes", type="Project") == sorted(projects)
        assert await other.found("query_nodes", type="Project") == sorted(projects)
        assert await one.content(projects[1]) == await other.content(projects[0]) == "x"
    sessions = "MATCH (e:_Event {_domain: $domain}) RETURN collect(DISTINCT e._session) AS sessions"
    [record] = driver.execute_query(sessions, domain=domain).records
    assert len(record["sessions"]) == 1
    assert (await memory.verify()).differences == ()


@pytest.mark.parametrize("mode", MODES)
async def test_content_up_to_the_limit_is_taken_and_more_is_refused_by_its_code(url: str, domain: str, mode: str):
    async with over_http(url, domain, mode) as agent:
        await agent.call("create_ontology", **GTD)
        text = "seven megabytes\n" * 450_000
        assert await agent.content(await agent.node("Project", text)) == text
        binary = base64.b64encode(bytes(8 * 1024 * 1024)).decode()
        assert await agent.content(await agent.node("Project", binary, encoding="base64", format="bin")) == binary
        error = await agent.refused("create_node", type="Project", content="x" * 9_000_000, format="text")
        assert error.code is Code.CONTENT_TOO_LARGE


async def test_tools_are_listed_while_neo4j_starts_and_calls_wait_for_it(
    settings: Settings, tmp_path: Path, domain: str
):
    new = Settings(home=tmp_path / "new", cache=settings.cache)
    try:
        with http_server(environment_of(new)) as url:
            async with over_http(url, domain) as agent, over_http(url, domain, "legacy") as other:
                assert len((await agent.client.list_tools()).tools) == 18
                assert local.status(new).state is not local.State.RUNNING
                errors = await asyncio.gather(agent.refused("get_ontology"), other.refused("get_ontology"))
        assert [error.code for error in errors] == [Code.ONTOLOGY_NOT_FOUND] * 2
    finally:
        local.stop(new)


async def test_a_server_ends_well_while_neo4j_starts(settings: Settings, tmp_path: Path):
    new = Settings(home=tmp_path / "new", cache=settings.cache)
    try:
        with http_server(environment_of(new)) as url:
            async with over_http(url) as agent:
                assert len((await agent.client.list_tools()).tools) == 18
                assert local.status(new).state is not local.State.RUNNING
    finally:
        local.stop(new)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.10", "example.com", ""])
def test_only_the_loopback_interface_is_served(environment: dict[str, str], host: str):
    done = run(environment, "mcp", "--transport", "http", "--host", host, "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(str(Code.INVALID_ARGUMENT))
    assert "Hint: There is no authentication" in done.stderr


def test_a_port_that_is_taken_is_told(environment: dict[str, str]):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(environment, "mcp", "--transport", "http", "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{Code.INVALID_ARGUMENT}: --port {port} is taken\nHint: ")


@pytest.mark.parametrize("option", [["--port", "0"], ["--host", "127.0.0.1"]])
def test_options_of_http_are_refused_without_it(environment: dict[str, str], option: list[str]):
    done = run(environment, "mcp", *option, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{Code.INVALID_ARGUMENT}: {option[0]} goes with --transport http\nHint: ")
