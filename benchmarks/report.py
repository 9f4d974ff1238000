"""The report, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from benchmarks.measure import Result, Timings


def table(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table: the first column of words, the others of numbers."""
    lines = [heading, ["---", *["--:"] * (len(heading) - 1)], *rows]
    return "\n".join([*(f"| {' | '.join(map(str, line))} |" for line in lines), ""])


def single(results: Sequence[Result]) -> str:
    """Return a table of single calls."""
    heading = ("one at a time", "p50", "p95", "floor p50", "floor p95", "ratio")
    return table(heading, [(result.name, *_both(result), f"{result.ratio:.2f}") for result in results])


def together(title: str, results: Sequence[Result]) -> str:
    """Return a table of calls that were made by several at once."""
    heading = (title, "calls/s", "p50", "p95", "floor calls/s", "p50", "p95", "ours / floor")
    rows = [(result.name, *_rates(result.ours), *_rates(result.floor), f"{result.share:.2f}") for result in results]
    return table(heading, rows)


def batches(result: Result, rows: int) -> str:
    """Return a line on batches."""
    ours, floor = (1_000 * rows / timings.p50 for timings in (result.ours, result.floor))
    return f"{result.name}: {ours:,.0f} nodes a second, floor {floor:,.0f}: {ours / floor:.2f} of its rate.\n"


def growth(results: Mapping[int, Sequence[Result]]) -> str:
    """Return the growth of the operations from each size to the next: ours, the floor's, and their ratio."""
    sizes = sorted(results)
    return "\n".join(_growth(a, b, results[a], results[b]) for a, b in pairwise(sizes))


def _growth(small: int, large: int, before: Sequence[Result], after: Sequence[Result]) -> str:
    title = f"{small:,} → {large:,} nodes"
    heading = (title, f"p50 at {small:,}", f"at {large:,}", "grows by", "floor grows by", "ours / floor")
    rows = [_growth_cells(a, b) for a, b in zip(before, after, strict=True)]
    return table(heading, rows)


def _growth_cells(before: Result, after: Result) -> Sequence[str]:
    ours, floor = after.ours.p50 / before.ours.p50, after.floor.p50 / before.floor.p50
    times = (f"{before.ours.p50:.1f}", f"{after.ours.p50:.1f}")
    return (before.name, *times, f"{ours:.2f}", f"{floor:.2f}", f"{ours / floor:.2f}")


def _both(result: Result) -> Sequence[str]:
    return (*milliseconds(result.ours), *milliseconds(result.floor))


def _rates(timings: Timings) -> Sequence[str]:
    return (f"{timings.rate:,.0f}", *milliseconds(timings))


def milliseconds(timings: Timings) -> Sequence[str]:
    """Return the cells for p50 and p95."""
    return f"{timings.p50:.1f}", f"{timings.p95:.1f}"
