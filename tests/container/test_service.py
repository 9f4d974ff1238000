"""The image of the service, driven by the official client: over stdio, and over HTTP on this machine's network."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from acceptance.agents import GTD, Agent, over_http
from container.images import NEO4J_IMAGE, SERVICE_IMAGE
from graph_memory import Settings

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not (SERVICE_IMAGE and NEO4J_IMAGE), reason="SERVICE_IMAGE and NEO4J_IMAGE name no images"),
]


def docker(*arguments: str) -> str:
    """Return the output of a Docker command, which must succeed."""
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def variables(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Arguments that tell a container where the run's Neo4j is; the password is not among them."""
    monkeypatch.setenv("NEO4J_URI", settings.neo4j_uri or "")
    monkeypatch.setenv("NEO4J_PASSWORD", settings.neo4j_password.get_secret_value())
    return ["--network", "host", "--env", "NEO4J_URI", "--env", "NEO4J_PASSWORD"]


@pytest.fixture
def url(variables: Sequence[str]) -> Iterator[str]:
    """A server over HTTP, with nothing that it can write to but its volume."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    hardened = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges:true"]
    command = ["mcp", "--transport", "http", "--port", port]
    name = docker("run", "--detach", *variables, *hardened, str(SERVICE_IMAGE), *command)
    try:
        wait_for(f"http://127.0.0.1:{port}/health/ready")
        docker("exec", name, "python3", "/opt/healthcheck.py")
        yield f"http://127.0.0.1:{port}/mcp"
        before = time.monotonic()
        docker("stop", name)
        assert time.monotonic() - before < 8, "it ends by itself, before Docker ends it"
        assert docker("inspect", "--format", "{{.State.ExitCode}}", name) == "0"
    finally:
        docker("rm", "--force", "--volumes", name)


def wait_for(url: str) -> None:
    """Return once the server answers."""
    for _ in range(150):
        try:
            with urlopen(url, timeout=3):
                return
        except (URLError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(f"{url} does not answer")


@asynccontextmanager
async def over_stdio(variables: Sequence[str], domain: str) -> AsyncIterator[Agent]:
    """Give an agent with a container of its own."""
    arguments = ["run", "--interactive", "--rm", *variables, str(SERVICE_IMAGE), "mcp"]
    parameters = StdioServerParameters(command="docker", args=arguments, env=dict(os.environ))
    async with Client(stdio_client(parameters), read_timeout_seconds=60) as client:
        yield Agent(client, domain)


async def test_an_agent_works_with_a_container_over_stdio(variables: Sequence[str], domain: str) -> None:
    async with over_stdio(variables, domain) as agent:
        await works(agent)


async def test_an_agent_works_with_a_container_over_http(url: str, domain: str) -> None:
    async with over_http(url, domain) as agent:
        await works(agent)


async def works(agent: Agent) -> None:
    """Have an agent write, find and be refused; content is large enough for a blob."""
    await agent.call("create_ontology", **GTD)
    project = await agent.node("Project", "# Küche 🏠\n" + "farmhouse " * 3000)
    action = await agent.node("Action", "# Call")
    await agent.connection("NextAction", project, action)
    assert await agent.ids_of("search_content", query="KÜCHE") == [project]
    assert (await agent.content(project)).count("farmhouse") == 3000
    await agent.error_of("create_connection", type="NextAction", from_node_id=action, to_node_id=project)


def test_the_service_is_nobody_in_particular_and_brings_no_tools_to_install_more() -> None:
    seen = "id -u; python3 -m pip --version >/dev/null 2>&1 && echo pip; ls /source /opt"
    output = docker("run", "--rm", "--entrypoint", "sh", str(SERVICE_IMAGE), "-c", f"{seen} 2>/dev/null; true")
    assert output.split() == ["10001", "/opt:", "cache", "graph-memory", "healthcheck.py"]
