"""Exports traces and metrics of OpenTelemetry, if the environment has its standard variables.

The SDK reads these variables itself, so they are no settings. It is imported only if they are set.
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
"""Maximum time in seconds for sending what remains when the server ends."""
_PROTOCOL = "http/protobuf"
_log = logging.getLogger(__name__)


@contextmanager
def exporting(control: CallControl, transport: str) -> Generator[None]:
    """Export the calls of a server during the block. `transport` is `pipe` or `tcp`.

    Without the extra `otel`, it only logs a warning.
    """
    signals = wanted_signals(os.environ)
    if not signals:
        yield
        return
    try:
        from graph_memory.mcp_server.transport.otlp import start_exporting
    except ImportError as error:
        _log.warning(
            "Nothing is exported to OpenTelemetry: %s. Install graph-memory[otel], or unset the variables OTEL_…", error
        )
        yield
        return
    shut_down = start_exporting(control, transport, with_traces=TRACES in signals, with_metrics=METRICS in signals)
    try:
        yield
    finally:
        flushing = Thread(target=shut_down, daemon=True)  # an exporter whose receiver does not answer waits for long
        flushing.start()
        flushing.join(FLUSH_SECONDS)


def wanted_signals(variables: Mapping[str, str]) -> frozenset[str]:
    """Return the signals that the variables ask for: `TRACES` and `METRICS`. Warns of values that are not supported.

    A signal is exported if its exporter is `otlp`, or if there is an endpoint and no exporter is named.
    """
    if variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return frozenset()
    wanted = frozenset(signal for signal in (TRACES, METRICS) if _is_wanted(signal, variables))
    for signal in wanted:
        protocol = _value_for(signal, "PROTOCOL", variables) or _PROTOCOL
        if protocol != _PROTOCOL:
            _log.warning("%s are exported over %s, not over %s", signal.capitalize(), _PROTOCOL, protocol)
    return wanted


def _is_wanted(signal: str, variables: Mapping[str, str]) -> bool:
    exporter = variables.get(f"OTEL_{signal}_EXPORTER", "").strip().lower()
    if exporter not in ("", "otlp", "none"):
        _log.warning("OTEL_%s_EXPORTER is %r, but only otlp and none are supported", signal, exporter)
    return exporter == "otlp" or (not exporter and bool(_value_for(signal, "ENDPOINT", variables)))


def _value_for(signal: str, name: str, variables: Mapping[str, str]) -> str:
    """Return the value of an OTLP variable for the signal, or for all signals."""
    return variables.get(f"OTEL_EXPORTER_OTLP_{signal}_{name}") or variables.get(f"OTEL_EXPORTER_OTLP_{name}", "")
