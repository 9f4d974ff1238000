"""The endpoints for operators, over real HTTP."""

from __future__ import annotations

import time
from importlib.metadata import version

import httpx2

from acceptance.agents import http_server
from graph_memory.app import schema_version


def test_health_checks_need_no_key_and_the_server_becomes_ready(environment: dict[str, str]):
    with http_server(environment, with_keys=True) as url, httpx2.Client(base_url=url.removesuffix("/mcp")) as http:
        assert http.get("/health/live").json() == http.get("/health").json() == {"status": "ok"}
        about = {"name": "graph-memory", "version": version("graph-memory"), "schema_version": schema_version()}
        assert http.get("/version").json() == about
        until = time.monotonic() + 30
        while (ready := http.get("/health/ready")).status_code == 503 and time.monotonic() < until:
            assert ready.json() == {"status": "not ready", "reason": "STARTING"}
            time.sleep(0.1)
        assert ready.json()["status"] == "ready"
        assert ready.json()["events_not_indexed"] >= 0
