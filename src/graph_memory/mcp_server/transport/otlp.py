"""The exporters of OpenTelemetry's SDK over HTTP. They need the extra `otel`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from graph_memory.mcp_server.control import OK, CallControl, FinishedCall

BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
"""Upper bounds in seconds of the histogram buckets, as defined by the OpenTelemetry conventions for MCP."""


def start_exporting(
    control: CallControl, transport: str, *, with_traces: bool, with_metrics: bool
) -> Callable[[], None]:
    """Start exporting. Return a function that sends the remaining data and stops the export."""
    resource = _resource()
    shutdown_functions: list[Callable[[], None]] = []
    if with_traces:
        tracers = TracerProvider(resource=resource)
        tracers.add_span_processor(BatchSpanProcessor(_RedactingExporter(OTLPSpanExporter())))
        trace.set_tracer_provider(tracers)
        shutdown_functions.append(tracers.shutdown)
    if with_metrics:
        meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource)
        _measure(meters.get_meter("graph-memory", version("graph-memory")), control, transport)
        shutdown_functions.append(meters.shutdown)

    def shut_down() -> None:
        for close in shutdown_functions:
            close()

    return shut_down


def _resource() -> Resource:
    """Return this service's attributes. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence."""
    own_attributes = {"service.name": "graph-memory", "service.version": version("graph-memory")}
    detected = Resource.create().attributes
    is_unnamed = str(detected["service.name"]).startswith("unknown_service")
    return Resource(
        {**own_attributes, **{key: value for key, value in detected.items() if key != "service.name" or not is_unnamed}}
    )


class _RedactingExporter(SpanExporter):
    """An exporter that omits error messages, because they may quote a client's text."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export the spans without their events and status descriptions."""
        return self._exporter.export([_without_texts(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _without_texts(span: ReadableSpan) -> ReadableSpan:
    return ReadableSpan(
        span.name,
        span.context,
        span.parent,
        span.resource,
        span.attributes,
        links=span.links,
        kind=span.kind,
        status=trace.Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _measure(meter: metrics.Meter, control: CallControl, transport: str) -> None:
    """Create the metrics of calls: the duration of each finished call, and the numbers of running and waiting calls."""
    durations = meter.create_histogram(
        "mcp.server.operation.duration", "s", "Durations of calls.", explicit_bucket_boundaries_advisory=BUCKETS
    )

    def observe(call: FinishedCall) -> None:
        attributes = {
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": call.operation,
            "network.transport": transport,
            "graph_memory.outcome": call.outcome,
        }
        durations.record(call.seconds, attributes | ({} if call.outcome == OK else {"error.type": "tool_error"}))

    control.observers.append(observe)

    def count_running(_options: metrics.CallbackOptions) -> Sequence[metrics.Observation]:
        return [metrics.Observation(control.in_progress)]

    def count_waiting(_options: metrics.CallbackOptions) -> Sequence[metrics.Observation]:
        return [metrics.Observation(control.waiting)]

    meter.create_observable_gauge("graph_memory.calls.in_progress", [count_running], "{call}", "Calls that have begun.")
    meter.create_observable_gauge("graph_memory.calls.waiting", [count_waiting], "{call}", "Calls that wait.")
