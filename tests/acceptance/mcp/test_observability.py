"""The endpoints for operators, over real HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import httpx2
import pytest

from acceptance.agents import http_server, over_http, run
from graph_memory import Memory
from graph_memory.app import schema_version
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class LimitedServer:
    """A server with keys, a limit of two calls a minute and an audit log, and the environment of its commands."""

    url: str
    environment: dict[str, str]
    audit_log: Path


@pytest.fixture(scope="module")
def limited_server(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[LimitedServer]:
    file = tmp_path_factory.mktemp("audit") / "audit.jsonl"
    own = {**environment, "GRAPH_MEMORY_AUDIT_LOG": str(file), "GRAPH_MEMORY_CALLS_PER_MINUTE": "2"}
    with http_server(own, "--toolsets", "graph,domains", auth="keys") as url:
        yield LimitedServer(url, own, file)


def test_health_checks_need_no_key_and_the_server_becomes_ready(limited_server: LimitedServer):
    with httpx2.Client(base_url=limited_server.url.removesuffix("/mcp")) as http:
        assert http.get("/health/live").json() == http.get("/health").json() == {"status": "ok"}
        about = {"name": "graph-memory", "version": version("graph-memory"), "schema_version": schema_version()}
        assert http.get("/version").json() == about
        until = time.monotonic() + 30
        while (ready := http.get("/health/ready")).status_code == 503 and time.monotonic() < until:
            assert ready.json() == {"status": "not ready", "reason": "STARTING"}
            time.sleep(0.1)
        assert ready.json()["status"] == "ready"
        assert ready.json()["events_not_indexed"] >= 0


async def test_metrics_need_a_key_and_count_calls_without_naming_domains(limited_server: LimitedServer, domain: str):
    created = run(limited_server.environment, "key", "create", "prometheus", "--domain", domain, "--right", "write")
    headers = {"Authorization": f"Bearer {created.stdout.split()[0]}"}
    metrics = limited_server.url.replace("/mcp", "/metrics")
    async with httpx2.AsyncClient() as http:
        assert (await http.get(metrics)).status_code == 401
        async with over_http(limited_server.url, domain, headers=headers) as agent:
            await agent.call("query_nodes", type="Project")
            await agent.error_of("get_node", node_id="mem_none")
            limited = await agent.error_of("get_node", node_id="mem_none")
            answer = await http.get(metrics, headers=headers)
    assert limited.code is Code.RATE_LIMITED
    assert answer.headers["content-type"].startswith("text/plain; version=")
    lines = answer.text.splitlines()
    assert 'graph_memory_calls_total{operation="query_nodes",outcome="ok"} 1.0' in lines
    assert 'graph_memory_calls_total{operation="get_node",outcome="ONTOLOGY_NOT_FOUND"} 1.0' in lines
    assert 'graph_memory_calls_total{operation="get_node",outcome="RATE_LIMITED"} 1.0' in lines
    assert {"graph_memory_ready 1.0", "graph_memory_calls_in_progress 0.0"} <= {*lines}
    [connections] = [line for line in lines if line.startswith("graph_memory_connections ")]
    assert float(connections.split()[1]) >= 2
    assert domain not in answer.text
    assert "prometheus" not in answer.text


LIMITS = [("BYTES", "sent 20 bytes"), pytest.param("TOKENS", "received 20 tokens", marks=pytest.mark.long)]


@pytest.mark.parametrize(("limit", "used"), LIMITS)
async def test_a_key_that_used_too_much_has_to_wait(
    environment: dict[str, str], domain: str, limit: str, used: str, shared_memory: Memory
):
    await shared_memory.in_domain(domain).entities.create_entities([{"name": "Plan", "entityType": "Note"}])
    environment = {**environment, f"GRAPH_MEMORY_{limit}_PER_MINUTE": "20"}
    created = run(environment, "key", "create", f"{limit.lower()}-{domain}", "--domain", domain, "--right", "read")
    headers = {"Authorization": f"Bearer {created.stdout.split()[0]}"}
    with http_server(environment, "--toolsets", "graph", auth="keys") as url:
        async with over_http(url, domain, headers=headers) as agent:
            await agent.call("query_nodes", detail=True)
            limited = await agent.error_of("query_nodes")
    assert limited.code is Code.RATE_LIMITED
    assert used in limited.message


async def test_keys_and_refused_calls_are_in_the_audit_log(limited_server: LimitedServer, domain: str):
    created = run(limited_server.environment, "key", "create", f"of-{domain}", "--domain", domain, "--right", "write")
    headers = {"Authorization": f"Bearer {created.stdout.split()[0]}"}
    async with over_http(limited_server.url, domain, headers=headers) as agent:
        await agent.call("query_nodes", type="Project")
        refused = await agent.within(None).error_of("delete_domain", name=domain, confirm=domain)
        limited = await agent.within(None).error_of("delete_domain", name=domain, confirm=domain)
    assert (refused.code, limited.code) == (Code.INSUFFICIENT_RIGHTS, Code.RATE_LIMITED)
    lines = limited_server.audit_log.read_text(encoding="utf-8").splitlines()
    key, call = [json.loads(line) for line in lines if domain in line]
    assert (key["act"], key["target"], key["outcome"]) == ("create_key", f"of-{domain}", "ok")
    assert (call["act"], call["key"], call["outcome"]) == ("delete_domain", f"of-{domain}", "INSUFFICIENT_RIGHTS")
    assert call["request"]
