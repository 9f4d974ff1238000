"""The endpoints for operators, over real HTTP."""

from __future__ import annotations

import json
import time
from importlib.metadata import version
from pathlib import Path

import httpx2
import pytest

from acceptance.agents import http_server, over_http, run
from graph_memory.app import schema_version
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


def test_health_checks_need_no_key_and_the_server_becomes_ready(environment: dict[str, str]):
    with http_server(environment, auth="keys") as url, httpx2.Client(base_url=url.removesuffix("/mcp")) as http:
        assert http.get("/health/live").json() == http.get("/health").json() == {"status": "ok"}
        about = {"name": "graph-memory", "version": version("graph-memory"), "schema_version": schema_version()}
        assert http.get("/version").json() == about
        until = time.monotonic() + 30
        while (ready := http.get("/health/ready")).status_code == 503 and time.monotonic() < until:
            assert ready.json() == {"status": "not ready", "reason": "STARTING"}
            time.sleep(0.1)
        assert ready.json()["status"] == "ready"
        assert ready.json()["events_not_indexed"] >= 0


async def test_metrics_need_a_key_and_count_calls_without_naming_domains(environment: dict[str, str], domain: str):
    environment = {**environment, "GRAPH_MEMORY_CALLS_PER_MINUTE": "2"}
    created = run(environment, "key", "create", "prometheus", "--domain", domain, "--right", "write")
    headers = {"Authorization": f"Bearer {created.stdout.split()[0]}"}
    with http_server(environment, "--toolsets", "graph", auth="keys") as url:
        metrics = url.replace("/mcp", "/metrics")
        async with httpx2.AsyncClient() as http:
            assert (await http.get(metrics)).status_code == 401
            async with over_http(url, domain, headers=headers) as agent:
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


async def test_keys_and_refused_calls_are_in_the_audit_log(environment: dict[str, str], domain: str, tmp_path: Path):
    file = tmp_path / "audit.jsonl"
    environment = {**environment, "GRAPH_MEMORY_AUDIT_LOG": str(file), "GRAPH_MEMORY_CALLS_PER_MINUTE": "2"}
    created = run(environment, "key", "create", f"of-{domain}", "--domain", domain, "--right", "write")
    headers = {"Authorization": f"Bearer {created.stdout.split()[0]}"}
    with http_server(environment, "--toolsets", "graph,domains", auth="keys") as url:
        async with over_http(url, domain, headers=headers) as agent:
            await agent.call("query_nodes", type="Project")
            refused = await agent.within(None).error_of("delete_domain", name=domain, confirm=domain)
            limited = await agent.within(None).error_of("delete_domain", name=domain, confirm=domain)
    assert (refused.code, limited.code) == (Code.INSUFFICIENT_RIGHTS, Code.RATE_LIMITED)
    key, call = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert (key["act"], key["target"], key["outcome"]) == ("create_key", f"of-{domain}", "ok")
    assert (call["act"], call["key"], call["outcome"]) == ("delete_domain", f"of-{domain}", "INSUFFICIENT_RIGHTS")
    assert call["request"]
