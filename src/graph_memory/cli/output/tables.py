"""Prints tables for people. Tables are cut to the terminal's width, but not in a file or pipe."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import typer

from graph_memory.cli.output.printing import escape_line, output_console

Cells = Sequence[Sequence[str]]
GAP = 2
SHORT_ID = 16
"""Number of characters of a short id: its prefix, its timestamp, and a few random characters."""


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    ids: str = "id",
    uncut: Sequence[str] = (),
    wrapped: Sequence[str] = (),
    tints: Sequence[Mapping[str, str]] = (),
) -> None:
    """Print the rows under their column names. If there are no rows, print nothing.

    On a terminal, `tints` contains the style of each cell, by row and column. Ids in the column `ids` are shortened if
    they do not fit. Wide text is wrapped in the columns `wrapped`, kept in the columns `uncut`, and cut in all other
    columns. In a file or pipe, each row is one line, and nothing is cut.
    """
    if not rows:
        return
    from rich.table import Table
    from rich.text import Text

    console = output_console()
    cells: Cells = [[escape_line(cell) for cell in row] for row in rows]
    cells = _with_fitting_ids(columns, cells, ids)
    widths = _natural_widths(columns, cells)
    if console.is_terminal:
        widths = fit_widths(
            widths, [0 if column in (ids, *uncut) else len(column) for column in columns], console.width
        )
    console.width = sum(widths) + GAP * len(widths)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        wraps = column in wrapped
        table.add_column(column, width=width, no_wrap=not wraps, overflow="fold" if wraps else "ellipsis")
    for number, row in enumerate(cells):
        tint: Mapping[str, str] = tints[number] if tints else {}
        table.add_row(*(Text(cell, tint.get(column, "")) for column, cell in zip(columns, row, strict=True)))
    with console.capture() as printed:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))


def _with_fitting_ids(columns: Sequence[str], cells: Cells, ids: str) -> Cells:
    """Return the cells, with shortened ids if complete ids would not fit on a line with the other columns."""
    if ids not in columns:
        return cells
    position = columns.index(ids)
    widths = _natural_widths(columns, cells)
    space = line_width() - sum(widths) - GAP * (len(widths) - 1) + widths[position]
    short_ids = shorten_ids([row[position] for row in cells], space)
    return [[*row[:position], short_id, *row[position + 1 :]] for row, short_id in zip(cells, short_ids, strict=True)]


def shorten_ids(ids: Sequence[str], width: float) -> list[str]:
    """Return the ids if they fit into `width` characters, otherwise unique prefixes, which users can type."""
    if max(map(len, ids), default=0) <= width:
        return list(ids)
    size = SHORT_ID
    while len({subject_id[:size] for subject_id in ids}) < len({*ids}):
        size += 1
    return [subject_id[:size] for subject_id in ids]


def line_width() -> float:
    """Return the width of the terminal in characters, or infinity if there is no terminal."""
    console = output_console()
    return console.width if console.is_terminal else math.inf


def print_tinted(*parts: tuple[object, str]) -> None:
    """Print the parts on one line, separated by two spaces. On a terminal, each part is printed in its style."""
    from rich.text import Text

    console = output_console()
    with console.capture() as printed:
        console.print(Text("  ").join(Text(escape_line(part), style) for part, style in parts), soft_wrap=True, end="")
    typer.echo(printed.get())


def fit_widths(widths: Sequence[int], minimums: Sequence[int], line_width: int) -> list[int]:
    """Return column widths that fit on a line. The widest columns are narrowed, at most to their minimums.

    A column with minimum 0 keeps its width. If not all columns fit, the line is wider.
    """
    fitted = list(widths)
    while sum(fitted) + GAP * (len(fitted) - 1) > line_width:
        shrinkable = [column for column, width in enumerate(fitted) if 0 < minimums[column] < width]
        if not shrinkable:
            break
        fitted[max(shrinkable, key=fitted.__getitem__)] -= 1
    return fitted


def _natural_widths(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    return [max(len(column), *(cell_len(row[position]) for row in cells), 0) for position, column in enumerate(columns)]
