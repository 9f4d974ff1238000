"""A server exports traces and metrics to a real receiver of OpenTelemetry, if the environment asks for it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.spans import CAPTURE, MEMORY_OPERATIONS
from graph_memory.mcp_server.transport import telemetry
from graph_memory.mcp_server.transport.telemetry import METRICS, TRACES, export_telemetry, requested_signals
from graph_memory.operations.table import OPERATIONS
from local_http import answering
from tables import for_rows
from unit.mcp_server import test_mcp_http, test_mcp_stdio

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SECRET = "the combination of the safe"
ID = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
NODE = {"type": "Project", "format": "text", "content": SECRET}
OTHERS = {
    *("create_ontology", "add_node_type", "add_connection_type", "get_ontology", "get_schema", "validate_connection"),
    *("list_domains", "get_domain", "update_domain", "select_domain", "protect", "unprotect"),
    *("memory_log", "memory_diff", "memory_compact", "graph_health", "get_reviews", "mark_reviewed"),
    *("get_capabilities", "get_environment", "working_memory"),
}
"""Operations on types, domains, the log and the server, which are no operations on stored memories."""


@dataclass
class Receiver:
    """A receiver of OTLP over HTTP."""

    url: str = ""
    requests: list[tuple[str, bytes]] = field(default_factory=list)

    def spans(self) -> list[Any]:
        """Return the spans that were received, in order."""
        bodies = [body for path, body in self.requests if path == "/v1/traces"]
        resources = [part for body in bodies for part in ExportTraceServiceRequest.FromString(body).resource_spans]
        return [span for resource in resources for scope in resource.scope_spans for span in scope.spans]

    def resource(self) -> dict[str, Any]:
        """Return the attributes of the service that sent the first spans."""
        [body, *_] = [body for path, body in self.requests if path == "/v1/traces"]
        return attributes_of(ExportTraceServiceRequest.FromString(body).resource_spans[0].resource)

    def metrics(self) -> dict[str, Any]:
        """Return the metrics that were received last, by name."""
        body = [body for path, body in self.requests if path == "/v1/metrics"][-1]
        resources = ExportMetricsServiceRequest.FromString(body).resource_metrics
        return {
            metric.name: metric
            for resource in resources
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


def attributes_of(message: Any) -> dict[str, Any]:
    """Return the attributes of a message of OTLP."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in message.attributes}


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.requests.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with answering(Handler) as receiver.url:
        yield receiver


def call_over_stdio(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of calls of a server of their own."""
    with test_mcp_stdio.running() as server:
        server.begin()
        results = [
            server.ask(number, "tools/call", {"name": name, "arguments": arguments})["result"]
            for number, (name, arguments) in enumerate(calls, start=1)
        ]
        assert server.process.stdin is not None
        server.process.stdin.close()
        server.process.stdin = None
        status, logged, _ = server.end()
    assert status == 0, logged
    return results


def test_a_call_is_one_span_without_texts(monkeypatch: pytest.MonkeyPatch):
    with receiving() as receiver:
        monkeypatch.setenv(ENDPOINT, receiver.url)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "our-memory")
        [result] = call_over_stdio(("create_node", {**NODE, "domain": "kitchen"}))
    assert not result.get("isError")
    [span] = [span for span in receiver.spans() if span.name.startswith("tools/call")]
    attributes = attributes_of(span)
    assert (span.name, span.kind) == ("tools/call create_node", 2)
    assert attributes == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2025-06-18",
        "jsonrpc.request.id": "1",
        "gen_ai.tool.name": "create_node",
        "gen_ai.operation.name": "create_memory",
        "gen_ai.memory.store.id": "kitchen",
        "network.transport": "pipe",
    }
    assert receiver.resource()["service.name"] == "our-memory"
    assert SECRET.encode() not in b"".join(body for _, body in receiver.requests)


def test_a_span_names_the_record_and_the_code_of_an_error_but_not_its_message(monkeypatch: pytest.MonkeyPatch):
    with receiving() as receiver:
        monkeypatch.setenv(ENDPOINT, receiver.url)
        faulty = {"node_id": SECRET, SECRET: SECRET, "domain": SECRET}
        result, _ = call_over_stdio(("get_node", {"node_id": ID}), ("get_node", faulty))
    assert not result.get("isError")
    succeeded, failed = [span for span in receiver.spans() if span.name == "tools/call get_node"]
    attributes = attributes_of(succeeded)
    assert attributes["gen_ai.operation.name"] == "search_memory"
    assert attributes["gen_ai.memory.record.id"] == ID
    assert attributes["gen_ai.memory.store.id"] == "default"
    attributes = attributes_of(failed)
    assert (attributes["error.type"], attributes["graph_memory.error.code"]) == ("tool_error", "INVALID_ARGUMENT")
    assert (failed.status.code, failed.status.message, [*failed.events]) == (2, "", [])
    assert receiver.resource()["service.name"] == "graph-memory"
    assert SECRET.encode() not in b"".join(body for _, body in receiver.requests)


def test_texts_are_exported_if_the_operator_asks_for_them(monkeypatch: pytest.MonkeyPatch):
    with receiving() as receiver:
        monkeypatch.setenv(ENDPOINT, receiver.url)
        monkeypatch.setenv(CAPTURE, "true")
        call_over_stdio(("search_content", {"query": SECRET}))
    [span] = [span for span in receiver.spans() if span.name.startswith("tools/call")]
    attributes = attributes_of(span)
    assert attributes["gen_ai.memory.query.text"] == SECRET
    assert SECRET in attributes["gen_ai.tool.call.arguments"]
    assert attributes["gen_ai.tool.call.result"] == '{"node_ids": []}'
    assert attributes["gen_ai.memory.record.count"] == 0


def test_over_http_a_span_has_the_session_of_the_log_and_calls_are_measured(monkeypatch: pytest.MonkeyPatch):
    with receiving() as receiver:
        monkeypatch.setenv(ENDPOINT, receiver.url)
        with test_mcp_http.running() as server:
            session = server.session()
            assert server.call('"x"', **session).status == 200
            assert server.call('"x"', **{"Graph-Memory-Session": "monday"}).status == 200
            server.end()
    of_protocol, named = [attributes_of(span) for span in receiver.spans() if span.name == "tools/call create_node"]
    assert named["mcp.session.id"] == "monday"
    assert of_protocol["mcp.session.id"].startswith("session_")
    assert session["Mcp-Session-Id"] not in of_protocol["mcp.session.id"]
    assert named["network.transport"] == of_protocol["network.transport"] == "tcp"
    metrics = receiver.metrics()
    [point] = metrics["mcp.server.operation.duration"].histogram.data_points
    assert point.count == 2
    assert attributes_of(point) == {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "create_node",
        "network.transport": "tcp",
        "graph_memory.outcome": "ok",
    }
    assert [point.as_int for point in metrics["graph_memory.calls.in_progress"].gauge.data_points] == [0]


def test_nothing_is_exported_without_the_variables(monkeypatch: pytest.MonkeyPatch):
    with receiving() as receiver:
        monkeypatch.setenv(ENDPOINT, receiver.url)
        monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
        monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
        call_over_stdio(("create_node", NODE))
    assert receiver.requests == []


@for_rows(
    ("variables", "signals"),
    [
        ({}, set()),
        ({"OTEL_SERVICE_NAME": "memory"}, set()),
        ({ENDPOINT: "http://localhost:4318"}, {TRACES, METRICS}),
        ({ENDPOINT: "http://localhost:4318", "OTEL_SDK_DISABLED": "true"}, set()),
        ({ENDPOINT: "http://localhost:4318", "OTEL_METRICS_EXPORTER": "none"}, {TRACES}),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://localhost:4318/v1/metrics"}, {METRICS}),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, {TRACES}),
        ({"OTEL_TRACES_EXPORTER": "console"}, set()),
    ],
)
def test_the_variables_choose_the_signals(variables: dict[str, str], signals: set[str]):
    assert requested_signals(variables) == signals


def test_values_that_are_not_supported_are_reported(caplog: pytest.LogCaptureFixture):
    requested_signals(
        {"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    )
    zipkin, grpc = caplog.messages
    assert "OTEL_TRACES_EXPORTER is 'zipkin'" in zipkin
    assert grpc == "Metrics are exported over http/protobuf, not over grpc"


def test_without_the_extra_a_server_runs_and_warns_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setenv(ENDPOINT, "http://localhost:4318")
    monkeypatch.setitem(sys.modules, "graph_memory.mcp_server.transport.otlp", None)
    control = CallControl()
    with caplog.at_level(logging.WARNING, telemetry.__name__), export_telemetry(control, "pipe"):
        assert control.observers == []
    [message] = caplog.messages
    assert "Install graph-memory[otel]" in message


def test_each_operation_on_stored_memories_has_a_name_of_the_conventions():
    assert MEMORY_OPERATIONS.keys() | OTHERS == OPERATIONS.keys()
    assert not MEMORY_OPERATIONS.keys() & OTHERS
