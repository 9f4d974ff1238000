"""compose.yaml, run by Docker Compose: the service, Neo4j, and Prometheus with the queries of the dashboard.

The service and Prometheus use their default ports, which must be free.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from acceptance.agents import over_http
from container.images import NEO4J_IMAGE, SERVICE_IMAGE
from graph_memory.local.home.ports import find_free_port
from pages import ROOT

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not (SERVICE_IMAGE and NEO4J_IMAGE), reason="SERVICE_IMAGE and NEO4J_IMAGE name no images"),
]

URL = "http://127.0.0.1:8848/mcp"
FACT = "Anna repairs the water pipes of the farmhouse"
WITHOUT_TRAFFIC = {"Overloaded and rate-limited calls"}
STOPPED = {"0", "143"}
"""Exit statuses of processes that ended after SIGTERM. After the grace period, SIGKILL would make it 137."""
VARIABLES = {"$instance": ".*", "$__rate_interval": "1m"}
"""The variables of the dashboard's queries, as Grafana replaces them at a scrape interval of 15 seconds."""

Compose = Callable[..., str]


def run(*command: str, **variables: str) -> str:
    """Return the output of a command, which must succeed."""
    done = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def compose() -> Iterator[Compose]:
    """A function that runs commands of Docker Compose on a running stack, which is deleted afterwards."""
    variables = {
        "NEO4J_IMAGE": str(NEO4J_IMAGE),
        "NEO4J_PASSWORD": secrets.token_hex(),
        "NEO4J_HTTP_PORT": str(find_free_port()),
        "NEO4J_BOLT_PORT": str(find_free_port()),
    }
    file = str(ROOT / "docker/compose.yaml")
    command = ["docker", "compose", "--project-name", "graph-memory-test", "--file", file, "--profile", "prometheus"]

    def compose(*arguments: str) -> str:
        return run(*command, *arguments, **variables)

    try:
        compose("up", "--detach", "--wait")
        yield compose
    finally:
        compose("down", "--volumes")


async def test_a_memory_outlives_its_containers_which_end_in_time(compose: Compose) -> None:
    async with over_http(URL, "compose") as agent:
        await agent.call("remember", name="Anna", type="Person", observations=[FACT])
    report = compose("exec", "--no-TTY", "graph-memory", "graph-memory", "doctor")
    assert report.splitlines()[-1] == "All is well."
    compose("stop")
    containers = compose("ps", "--all", "--quiet").split()
    statuses = run("docker", "inspect", "--format", "{{.State.ExitCode}}", *containers).split()
    assert len(statuses) == 3
    assert STOPPED.issuperset(statuses)
    compose("down")
    compose("up", "--detach", "--wait")
    async with over_http(URL, "compose") as agent:
        [anna] = (await agent.call("open_nodes", names=["Anna"]))["entities"]
    assert anna["observations"] == [FACT]


async def test_each_query_of_the_dashboard_has_results_and_a_stopped_server_is_not_ready(compose: Compose) -> None:
    async with over_http(URL, "compose") as agent:
        await agent.call("recall", query="Who repairs pipes?")
        await agent.error_of("recall", depth="bottomless")
    panels = json.loads((ROOT / "docker/grafana/graph-memory.json").read_text(encoding="utf-8"))["panels"]
    queries = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
    wait_for(WITHOUT_TRAFFIC, lambda: {title for title, query in queries if not results_of(query)})
    ready = dict(queries)["Ready"]
    assert values_of(ready) == ["1"]
    compose("stop", "graph-memory")
    wait_for(["0"], lambda: values_of(ready))


def values_of(query: str) -> list[str]:
    """Return the values of a query's results."""
    return [result["value"][1] for result in results_of(query)]


def results_of(query: str) -> list[dict[str, Any]]:
    """Return the results of a query of the dashboard. Raises HTTPError if Prometheus rejects the query."""
    for name, value in VARIABLES.items():
        query = query.replace(name, value)
    with urlopen(f"http://127.0.0.1:9090/api/v1/query?{urlencode({'query': query})}", timeout=10) as response:
        return json.load(response)["data"]["result"]


def wait_for(expected: object, measure: Callable[[], object]) -> None:
    """Return once the function returns this value, at the latest after four scrapes of Prometheus."""
    until = time.monotonic() + 75
    while (measured := measure()) != expected and time.monotonic() < until:
        time.sleep(1)
    assert measured == expected
