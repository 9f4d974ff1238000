"""Tables, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.choices.turns import Timings


def table(heading: str, timings: Mapping[str, Timings], rows_of_a_base: int = 0) -> str:
    """Return a table of sides in milliseconds, each beside the first, or beside the first of its group of so many."""
    names = list(timings)
    lines = [
        _line(name, timings[name], timings[names[place - place % (rows_of_a_base or len(names))]])
        for place, name in enumerate(names)
    ]
    return "\n".join([f"| {heading} | wall | ratio | CPU | ratio |", "|---|--:|--:|--:|--:|", *lines, ""])


def _line(name: str, timings: Timings, base: Timings) -> str:
    ratios = (timings.wall / base.wall, timings.cpu_of_one / max(base.cpu_of_one, 0.01))
    return f"| {name} | {timings.wall:.1f} | {ratios[0]:.2f} | {timings.cpu_of_one:.1f} | {ratios[1]:.2f} |"
