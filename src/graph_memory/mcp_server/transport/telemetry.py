"""Exports OpenTelemetry traces and metrics if OpenTelemetry's standard environment variables are set.

The SDK reads these variables itself, so they are not settings of graph-memory. The SDK is imported only if they are
set.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from threading import Thread

from graph_memory.mcp_server.control import CallControl

TRACES, METRICS = "TRACES", "METRICS"
FLUSH_SECONDS = 3.0
"""Maximum time in seconds for sending the remaining data when the server ends."""
_PROTOCOL = "http/protobuf"
_log = logging.getLogger(__name__)


@contextmanager
def export_telemetry(control: CallControl, transport: str) -> Generator[None]:
    """Export a server's calls during the block. `transport` is `pipe` or `tcp`.

    If the extra `otel` is not installed, only logs a warning.
    """
    signals = requested_signals(os.environ)
    if not signals:
        yield
        return
    try:
        from graph_memory.mcp_server.transport.otlp import start_exporting
    except ImportError as error:
        _log.warning(
            "No data is exported to OpenTelemetry: %s. Install graph-memory[otel], or unset the variables OTEL_…", error
        )
        yield
        return
    shut_down = start_exporting(control, transport, with_traces=TRACES in signals, with_metrics=METRICS in signals)
    try:
        yield
    finally:
        flush_thread = Thread(
            target=shut_down, daemon=True
        )  # an exporter whose receiver does not answer waits for a long time
        flush_thread.start()
        flush_thread.join(FLUSH_SECONDS)


def requested_signals(variables: Mapping[str, str]) -> frozenset[str]:
    """Return the signals that the variables request: `TRACES` and `METRICS`. Logs warnings about unsupported values.

    A signal is exported if its exporter is `otlp`, or if an endpoint is set and no exporter is set.
    """
    if variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return frozenset()
    requested = frozenset(signal for signal in (TRACES, METRICS) if _is_requested(signal, variables))
    for signal in requested:
        protocol = _read_otlp_variable(signal, "PROTOCOL", variables) or _PROTOCOL
        if protocol != _PROTOCOL:
            _log.warning("%s are exported over %s, not over %s", signal.capitalize(), _PROTOCOL, protocol)
    return requested


def _is_requested(signal: str, variables: Mapping[str, str]) -> bool:
    exporter = variables.get(f"OTEL_{signal}_EXPORTER", "").strip().lower()
    if exporter not in ("", "otlp", "none"):
        _log.warning("OTEL_%s_EXPORTER is %r, but only otlp and none are supported", signal, exporter)
    return exporter == "otlp" or (not exporter and bool(_read_otlp_variable(signal, "ENDPOINT", variables)))


def _read_otlp_variable(signal: str, name: str, variables: Mapping[str, str]) -> str:
    """Return the value of an OTLP variable for the signal, or else its value for all signals."""
    return variables.get(f"OTEL_EXPORTER_OTLP_{signal}_{name}") or variables.get(f"OTEL_EXPORTER_OTLP_{name}", "")
