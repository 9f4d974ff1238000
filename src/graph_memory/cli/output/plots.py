"""Draws plots as SVG without scripts. The page's style sheet defines the colours of their CSS classes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from html import escape

from graph_memory.cli.output.printing import format_local_time

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 12, 28
_TICKS = 4
_MIN_BAR = 1.0


Span = tuple[datetime, datetime]
"""The first and last time on a plot's axis."""


def line_plot(label: str, span: Span | None, series: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Return HTML with a plot of lines over time, and a legend. A line has a name, and values at equal intervals."""
    highest = _round_up(max((max(values, default=0) for _, values in series), default=0))
    lines = [
        f'<polyline class="line s{number}" points="{_points(values, highest)}"/>'
        for number, (_, values) in enumerate(series)
    ]
    legend = [
        f'<li class="s{number}">{escape(name)}: {values[-1] if values else 0:,}</li>'
        for number, (name, values) in enumerate(series)
    ]
    return f'{_frame(label, span, highest, lines)}<ul class="legend">{"".join(legend)}</ul>'


def bar_plot(label: str, span: Span | None, values: Sequence[int]) -> str:
    """Return an SVG bar plot of values. Each value belongs to one of the equal periods in the span."""
    highest = _round_up(max(values, default=0))
    step = (WIDTH - LEFT - RIGHT) / max(len(values), 1)
    bars: list[str] = []
    for number, value in enumerate(values):
        height = value / highest * (HEIGHT - TOP - BOTTOM)
        place = f'x="{LEFT + number * step + step * 0.1:.1f}" y="{HEIGHT - BOTTOM - height:.1f}"'
        bars.append(f'<rect class="bar" {place} width="{max(step * 0.8, _MIN_BAR):.1f}" height="{height:.1f}"/>')
    return _frame(label, span, highest, bars)


def bar_table(rows: Sequence[tuple[str, int]], heads: tuple[str, str]) -> str:
    """Return an HTML table of names and numbers, with a bar for each number. `heads` are its column headings."""
    highest = max((number for _, number in rows), default=1)
    cells = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{number:,}</td><td class="bars">'
        f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="bar" width="{100 * number / max(highest, 1):.1f}" height="8"/></svg></td></tr>'
        for name, number in rows
    )
    head = f'<tr><th scope="col">{escape(heads[0])}</th><th scope="col" class="number">{escape(heads[1])}</th><td></td>'
    return f"<table><thead>{head}</tr></thead><tbody>{cells}</tbody></table>"


def _points(values: Sequence[int], highest: int) -> str:
    plot_width = WIDTH - LEFT - RIGHT
    step = plot_width / max(len(values) - 1, 1)
    ys = [HEIGHT - BOTTOM - value / highest * (HEIGHT - TOP - BOTTOM) for value in values]
    if len(ys) == 1:
        return f"{LEFT},{ys[0]:.1f} {LEFT + plot_width},{ys[0]:.1f}"
    return " ".join(f"{LEFT + number * step:.1f},{y:.1f}" for number, y in enumerate(ys))


def _frame(label: str, span: Span | None, highest: int, shapes: Sequence[str]) -> str:
    """Return the SVG of a plot: its shapes, a scale from 0 to `highest`, and the first and last time."""
    grid: list[str] = []
    for tick in range(_TICKS + 1):
        y = HEIGHT - BOTTOM - tick / _TICKS * (HEIGHT - TOP - BOTTOM)
        grid.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        grid.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{highest * tick // _TICKS:,}</text>')
    if span is not None:
        first, last = _labels(span)
        grid.append(f'<text x="{LEFT}" y="{HEIGHT - 8}">{first}</text>')
        grid.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">{last}</text>')
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="plot" {size} role="img" aria-label="{escape(label)}">{"".join(grid)}{"".join(shapes)}</svg>'


def _labels(span: Span) -> tuple[str, str]:
    """Return the start and end of the span as text in the machine's time zone.

    Spans up to two days include the time.
    """
    first, last = span
    if last - first > timedelta(days=2):
        return f"{first.astimezone():%Y-%m-%d}", f"{last.astimezone():%Y-%m-%d}"
    return format_local_time(first), format_local_time(last)


def _round_up(value: int) -> int:
    """Return the first number in the series 4, 8, 20, 40, 80, 200, … that is at least `value`."""
    scale = _TICKS
    while True:
        for factor in (1, 2, 5):
            if value <= scale * factor:
                return scale * factor
        scale *= 10
