"""Tables for people: as wide as the terminal allows, and in a file or a pipe as wide as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import typer

from graph_memory.cli.output.printing import plain

Cells = Sequence[Sequence[str]]
GAP = 2
SHORT_ID = 16
"""Characters of an id in a table: its prefix, the time that it was made, and a little more."""


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    ids: str = "id",
    whole: Sequence[str] = (),
    folded: Sequence[str] = (),
    tints: Sequence[Mapping[str, str]] = (),
) -> None:
    """Print rows under their columns, on a terminal with the styles that `tints` gives for columns of each row.

    Without rows nothing is printed. On a terminal the column `ids` has short ids where whole ones do not fit. What is
    too wide goes over several lines in columns named in `folded`, and is cut in the others, save those named in
    `whole`. Elsewhere a row is a line, and nothing is cut.
    """
    if not rows:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    cells: Cells = [[plain(cell) for cell in row] for row in rows]
    cells = _with_fitting_ids(columns, cells, ids)
    widths = _natural_widths(columns, cells)
    if console.is_terminal:
        widths = fitted(widths, [0 if column in (ids, *whole) else len(column) for column in columns], console.width)
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


def _with_fitting_ids(columns: Sequence[str], cells: Cells, ids: str) -> Cells:
    """Return the cells with as much of the ids as a line has room for beside the other columns."""
    if ids not in columns:
        return cells
    place = columns.index(ids)
    widths = _natural_widths(columns, cells)
    space = room() - sum(widths) - GAP * (len(widths) - 1) + widths[place]
    fitting = shortened([row[place] for row in cells], space)
    return [[*row[:place], short, *row[place + 1 :]] for row, short in zip(cells, fitting, strict=True)]


def shortened(ids: Sequence[str], space: float) -> list[str]:
    """Return ids as they are if they find room, else as much of each as tells it from the others, and can be typed."""
    if max(map(len, ids), default=0) <= space:
        return list(ids)
    size = SHORT_ID
    while len({id_[:size] for id_ in ids}) < len({*ids}):
        size += 1
    return [id_[:size] for id_ in ids]


def room() -> float:
    """Return how many characters a line of the output holds: on a terminal those of its width."""
    from rich.console import Console

    console = Console()
    return console.width if console.is_terminal else math.inf


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
    numbers = list(widths)
    while sum(numbers) + GAP * (len(numbers) - 1) > room:
        loose = [place for place, width in enumerate(numbers) if 0 < least[place] < width]
        if not loose:
            break
        numbers[max(loose, key=numbers.__getitem__)] -= 1
    return numbers


def _natural_widths(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    return [max(len(column), *(cell_len(row[place]) for row in cells), 0) for place, column in enumerate(columns)]
