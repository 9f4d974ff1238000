"""Computes the statistics of tools from events."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from graph_memory.agent.records.writing import title_from_text
from graph_memory.agent.results import ToolError, ToolStatistics
from graph_memory.model.results import NodeSummary

TOOL_CALL = "tool_call"
"""The type of the events of tool calls. Their property `tool` contains the name of the tool."""
_MOST_ERRORS = 5
_PERCENTILE = 0.95
_MAX_DURATION_MS = 1e12
"""Maximum duration of a call in milliseconds: 32 years."""
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]+|[0-9a-f]*\d[0-9a-f]*)\b", re.IGNORECASE)


def statistics_of(events: Iterable[NodeSummary]) -> list[ToolStatistics]:
    """Return the statistics of each tool in the events, most used first. Events without a tool do not count."""
    by_tool: dict[str, list[NodeSummary]] = {}
    for event in events:
        if name := tool_of(event):
            by_tool.setdefault(name, []).append(event)
    results = [_statistics(name, calls) for name, calls in by_tool.items()]
    return sorted(results, key=lambda statistics: (-statistics.uses, statistics.tool))


def tool_of(event: NodeSummary) -> str:
    """Return the name of the event's tool, or an empty string."""
    tool = event.properties.get("tool")
    return tool.strip() if isinstance(tool, str) else ""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value such that at least `share` (from 0 to 1) of the values are less than or equal to it."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def _statistics(tool: str, calls: Sequence[NodeSummary]) -> ToolStatistics:
    outcomes = Counter(call.properties.get("outcome") for call in calls)
    durations = [duration for call in calls if (duration := _duration(call)) is not None]
    errors = Counter(_error_pattern(call) for call in calls if call.properties.get("outcome") == "failure")
    common_errors = tuple(ToolError(error=error, count=count) for error, count in errors.most_common(_MOST_ERRORS))
    return ToolStatistics(
        tool=tool,
        uses=len(calls),
        successes=outcomes["success"],
        failures=outcomes["failure"],
        mean_ms=round(math.fsum(durations) / len(durations), 3) if durations else None,
        p95_ms=percentile(durations, _PERCENTILE) if durations else None,
        common_errors=common_errors or None,
        last_used=max((str(call.properties.get("timestamp", "")) for call in calls), default="") or None,
    )


def _duration(call: NodeSummary) -> float | None:
    """Return the duration of the call in milliseconds, or None if it is missing or invalid."""
    value = call.properties.get("duration_ms")
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _MAX_DURATION_MS:
        return None
    return float(value)


def _error_pattern(call: NodeSummary) -> str:
    """Return the error of a failed call, with numbers replaced so that similar errors count as one."""
    return _NUMBER.sub("#", title_from_text(str(call.properties.get("summary") or call.title)))
