"""The metrics of a server, without a database."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import anyio
import pytest
from mcp import Client
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request

from graph_memory.hooks.spool import Spool
from graph_memory.mcp_server.access import KeyToken
from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.transport.health import Health
from graph_memory.mcp_server.transport.metrics import Metrics
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Grant, Principal, Right
from graph_memory.settings import Settings
from pages import ROOT
from unit.mcp_server.mcp_fakes import ARGUMENTS, RecordingMemory, opens
from unit.mcp_server.test_health import BACKLOG, FakeStartup, checks_of

pytestmark = pytest.mark.anyio
REQUEST = cast("Context", SimpleNamespace(request=None, request_id=1))
DASHBOARD = ROOT / "docker/grafana/graph-memory.json"
STATE_OF_MEMORY = {
    "ready": 1,
    "events_not_indexed": 3,
    "passages_without_vectors": 5,
    "events_skipped": 1,
    "neo4j_sessions": 2,
    "log_follower_seconds": 1.5,
}
MISSING = GraphError(Code.NODE_NOT_FOUND, "No node mem_1")


async def samples(metrics: Metrics, user: object = None) -> dict[str, float]:
    """Return the value of each sample, by its name and labels as Prometheus reads them."""
    response = await metrics.route().endpoint(Request({"type": "http", "user": user}))
    assert response.status_code == 200
    return {
        f"{sample.name}{sample.labels or ''}": sample.value
        for family in text_string_to_metric_families(response.body.decode())
        for sample in family.samples
    }


async def test_calls_are_counted_by_operation_and_outcome(tmp_path: Path):
    control = CallControl()
    metrics = Metrics(control, Health(), Spool.of(tmp_path))
    server = build_server(opens(RecordingMemory(get_node=MISSING)), Settings(home=tmp_path), ["graph"], control=control)
    async with Client(server) as client:
        for _ in range(2):
            await client.call_tool("create_node", ARGUMENTS["create_node"])
        await client.call_tool("get_node", {"node_id": "mem_1"})
        await client.call_tool("get_node", {})
    values = await samples(metrics)
    calls = {name: value for name, value in values.items() if name.startswith("graph_memory_calls_total")}
    assert calls == {
        "graph_memory_calls_total{'operation': 'create_node', 'outcome': 'ok'}": 2,
        "graph_memory_calls_total{'operation': 'get_node', 'outcome': 'NODE_NOT_FOUND'}": 1,
        "graph_memory_calls_total{'operation': 'get_node', 'outcome': 'INVALID_ARGUMENT'}": 1,
    }
    assert values["graph_memory_call_duration_seconds_count{'operation': 'create_node'}"] == 2


async def test_the_state_of_the_server_is_measured_when_it_is_read(tmp_path: Path):
    control, spool, connections = CallControl(), Spool.of(tmp_path), {1, 2}
    metrics = Metrics(control, Health(), spool)
    metrics.count_connections(connections)
    spool.add(b"{}")
    with control.observe_call("recall", REQUEST):
        values = await samples(metrics)
    assert values["graph_memory_calls_in_progress"] == 1
    assert values["graph_memory_connections"] == 2
    assert (values["graph_memory_spooled_events"], values["graph_memory_spooled_bytes"]) == (1, 2)
    assert math.isnan(values["graph_memory_log_follower_seconds"])
    assert values["graph_memory_ready"] == 0
    assert values["process_open_fds"] > 0
    connections.clear()
    values = await samples(metrics)
    assert (values["graph_memory_calls_in_progress"], values["graph_memory_connections"]) == (0, 0)


async def test_the_backlog_and_the_sessions_of_the_open_memory_are_measured(tmp_path: Path):
    values = await samples(Metrics(CallControl(), checks_of(FakeStartup(BACKLOG)), Spool.of(tmp_path)))
    assert {name: values[f"graph_memory_{name}"] for name in STATE_OF_MEMORY} == STATE_OF_MEMORY


async def test_a_cancelled_call_is_counted():
    calls: list[str] = []
    control = CallControl()
    control.observers.append(lambda call: calls.append(f"{call.operation} {call.outcome}"))
    with anyio.move_on_after(0.01), control.observe_call("recall", REQUEST):
        await anyio.sleep_forever()
    assert (calls, control.in_progress) == (["recall cancelled"], 0)


async def test_a_caller_without_a_readable_domain_gets_no_metrics(tmp_path: Path):
    class User:
        def __init__(self, *grants: Grant) -> None:
            principal = Principal("ann", grants)
            self.access_token = KeyToken(token="", client_id="ann", scopes=[], principal=principal, hash="")

    metrics = Metrics(CallControl(), Health(), Spool.of(tmp_path))
    assert await samples(metrics, User(Grant("team-*", Right.READ)))
    response = await metrics.route().endpoint(Request({"type": "http", "user": User()}))
    assert response.status_code == 403


async def test_the_dashboard_shows_each_metric_and_no_other(tmp_path: Path):
    text = generate_latest(Metrics(CallControl(), Health(), Spool.of(tmp_path))._registry).decode()
    suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"], "gauge": [""]}
    families = {
        f"{family.name}{suffix}": family.name
        for family in text_string_to_metric_families(text)
        for suffix in suffixes[family.type]
    }
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    names = {name for query in queries for name in re.findall(r"\b(?:graph_memory|process)_\w+", query)}
    assert names <= families.keys()
    assert {families[name] for name in names} == {*families.values()}
    assert len({panel["id"] for panel in panels}) == len({str(panel["gridPos"]) for panel in panels}) == len(panels)
