"""The report, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.measure import Result


def single(size: int, results: Sequence[Result]) -> str:
    """Return a table of single calls."""
    rows = [
        f"| {one.name} | {one.ours.p50:.1f} | {one.ours.p95:.1f} | {one.floor.p50:.1f} | {one.floor.p95:.1f} "
        f"| {one.ratio:.2f} |"
        for one in results
    ]
    heading = f"## {size:,} nodes, {2 * size:,} connections\n"
    return "\n".join(
        [
            heading,
            "| one at a time | p50 | p95 | floor p50 | floor p95 | ratio |",
            "|---|--:|--:|--:|--:|--:|",
            *rows,
            "",
        ]
    )


def batches(result: Result, rows: int) -> str:
    """Return a line on batches."""
    ours, floor = (1_000 * rows / one.p50 for one in (result.ours, result.floor))
    return f"{result.name}: {ours:,.0f} nodes a second, floor {floor:,.0f}: {ours / floor:.2f} of its rate.\n"


def spread(results: Mapping[int, Sequence[Result]]) -> str:
    """Return how the operations grow from the smallest size to the largest."""
    first, last = min(results), max(results)
    if first == last:
        return ""
    lines = [
        f"- {small.name}: {large.ours.p50 / small.ours.p50:.2f} (floor {large.floor.p50 / small.floor.p50:.2f})"
        for small, large in zip(results[first], results[last], strict=True)
    ]
    return "\n".join([f"## From {first:,} to {last:,} nodes, p50 grows by\n", *lines, ""])
