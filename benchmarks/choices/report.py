"""Tables, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.choices.turns import Timings


def table(heading: str, timings: Mapping[str, Timings], every: int = 0) -> str:
    """Return a table of sides in milliseconds, each beside the first, or beside the first of its group of so many."""
    names = list(timings)
    lines = [
        _line(name, timings[name], timings[names[place - place % (every or len(names))]])
        for place, name in enumerate(names)
    ]
    return "\n".join([f"| {heading} | wall | ratio | CPU | ratio |", "|---|--:|--:|--:|--:|", *lines, ""])


def _line(name: str, one: Timings, base: Timings) -> str:
    ratios = (one.wall / base.wall, one.cpu_of_one / max(base.cpu_of_one, 0.01))
    return f"| {name} | {one.wall:.1f} | {ratios[0]:.2f} | {one.cpu_of_one:.1f} | {ratios[1]:.2f} |"
