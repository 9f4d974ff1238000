"""Tables for people: as wide as the terminal allows, and in a file or a pipe as wide as they are."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import typer

from graph_memory.cli.output.printing import plain

GAP = 2
SHORT_ID = 16
"""Characters of an id in a table: its prefix, the time that it was made, and a little more."""


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    whole: Sequence[str] = ("id",),
    folded: Sequence[str] = (),
    tints: Sequence[Mapping[str, str]] = (),
) -> None:
    """Print rows under their columns, on a terminal with the styles that `tints` gives for columns of each row.

    Without rows nothing is printed. On a terminal what is too wide goes over several lines in columns named in
    `folded`, and is cut in the others, save those named in `whole`. Elsewhere a row is a line, and nothing is cut.
    """
    if not rows:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    cells = [[plain(cell) for cell in row] for row in rows]
    widths = _natural_widths(columns, cells)
    if console.is_terminal:
        widths = fitted(widths, [0 if column in whole else len(column) for column in columns], console.width)
    console.width = sum(widths) + GAP * len(widths)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        wraps = column in folded
        table.add_column(column, width=width, no_wrap=not wraps, overflow="fold" if wraps else "ellipsis")
    for number, row in enumerate(cells):
        tint: Mapping[str, str] = tints[number] if tints else {}
        table.add_row(*(Text(cell, tint.get(column, "")) for column, cell in zip(columns, row, strict=True)))
    with console.capture() as printed:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))


def shortened(ids: Sequence[str]) -> list[str]:
    """Return ids as a table shows them: on a terminal as much of each as tells it from the others, and can be typed."""
    if not sys.stdout.isatty():
        return list(ids)
    size = SHORT_ID
    while len({one[:size] for one in ids}) < len({*ids}):
        size += 1
    return [one[:size] for one in ids]


def print_tinted(*parts: tuple[object, str]) -> None:
    """Print a line of parts with two blanks between them, each with its style on a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as printed:
        console.print(Text("  ").join(Text(plain(part), style) for part, style in parts), soft_wrap=True, end="")
    typer.echo(printed.get())


def fitted(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return the widths, the widest made narrower until all find room; 0 in `least` is a width that must stay."""
    found = list(widths)
    while sum(found) + GAP * (len(found) - 1) > room:
        loose = [place for place, width in enumerate(found) if 0 < least[place] < width]
        if not loose:
            break
        found[max(loose, key=found.__getitem__)] -= 1
    return found


def _natural_widths(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    return [max(len(column), *(cell_len(row[place]) for row in cells), 0) for place, column in enumerate(columns)]
