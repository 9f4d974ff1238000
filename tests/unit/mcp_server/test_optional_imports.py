"""A server imports the libraries of metrics, limits and telemetry only if it uses them."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import graph_memory.mcp_server.transport.stdio
assert "prometheus_client" not in sys.modules
import graph_memory.mcp_server.transport.http
print(*sorted(sys.modules))
"""


def test_only_http_has_metrics_and_only_servers_that_are_told_to_have_limits_and_telemetry():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    assert "prometheus_client" in modules
    assert [name for name in modules if name.startswith(("limits", "opentelemetry.sdk", "opentelemetry.metrics"))] == []
