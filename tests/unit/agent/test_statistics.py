"""Statistics of tools from events."""

from __future__ import annotations

import pytest

from graph_memory.agent.records.statistics import percentile, statistics_of
from graph_memory.model.results import NodeSummary


def call(title: str = "pytest", **properties: object) -> NodeSummary:
    return NodeSummary.model_construct(id="mem_x", title=title, properties=properties)


def test_calls_are_counted_by_tool_and_outcome_with_their_durations_and_errors():
    calls = [
        *[call(tool="pytest", outcome="success", duration_ms=float(n), timestamp="2026-01-01") for n in range(1, 21)],
        call("timeout after 31 s at 0x7f3a", tool="pytest", outcome="failure"),
        call("x", tool="pytest", outcome="failure", summary="timeout after 7 s at 0xff"),
        call("3 failed", tool="pytest", outcome="failure", duration_ms=-1, timestamp="2026-01-02"),
        call(tool="pytest", outcome="partial", duration_ms="slow"),
        call(tool="ruff"),
        call(outcome="failure"),
        call(tool=7, outcome="failure"),
    ]
    pytest_, ruff = statistics_of(calls)
    assert (pytest_.tool, pytest_.uses, pytest_.successes, pytest_.failures) == ("pytest", 24, 20, 3)
    assert (pytest_.mean_ms, pytest_.p95_ms, pytest_.last_used) == (10.5, 19.0, "2026-01-02")
    errors = [(error.error, error.count) for error in pytest_.common_errors or ()]
    assert errors == [("timeout after # s at #", 2), ("# failed", 1)]
    assert (ruff.uses, ruff.mean_ms, ruff.p95_ms, ruff.common_errors, ruff.last_used) == (1, None, None, None, None)


@pytest.mark.parametrize(("values", "expected"), [([5], 5), ([2, 1], 2), (range(1, 101), 95), ([3] * 7, 3)])
def test_a_percentile_is_that_of_the_nearest_rank(values: list[float], expected: float):
    assert percentile(values, 0.95) == expected


def test_a_duration_that_no_call_can_have_does_not_count():
    odd = [1.7e308, 1.7e308, float("nan"), float("inf"), 10**400, 1.1e12]
    [statistics] = statistics_of([call(tool="t", duration_ms=duration) for duration in [*odd, 5, 1e12]])
    assert (statistics.uses, statistics.mean_ms, statistics.p95_ms) == (8, 500_000_000_002.5, 1e12)
