"""Logs each slow call to stderr as a JSON line, without its arguments and result."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from graph_memory.mcp_server.control import FinishedCall
from graph_memory.model.time.clock import rfc3339


def slow_call_logger(seconds: float) -> Callable[[FinishedCall], None]:
    """Return an observer that logs calls of at least `seconds` seconds."""

    def observe(call: FinishedCall) -> None:
        if call.seconds < seconds:
            return
        entry = {
            "time": rfc3339(datetime.now(UTC)),
            "event": "slow_call",
            "request": call.request,
            "key": call.key,
            "operation": call.operation,
            "outcome": call.outcome,
            "milliseconds": round(call.seconds * 1000),
        }
        sys.stderr.write(f"{json.dumps(entry)}\n")
        sys.stderr.flush()

    return observe
