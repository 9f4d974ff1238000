"""`graph-memory diff`: what differs between two points of the log."""

from __future__ import annotations

from typing import Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.times import point
from graph_memory.cli.output.printing import counted, harmless, note, plain
from graph_memory.memory.history.diff_results import ContentChange, Diff, DiffEntry

SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT",
        callback=point("since"),
        help='The earlier state: after this number, event id or time, yesterday, "2 hours ago". 0 is the start.',
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT", callback=point("until"), help="The later state, in the same form as --since. Default: now."
    ),
]
_MARKS = {"added": "+", "removed": "-", "changed": "~"}
_INDENT = "    "


@command()
def diff(
    call: Call,
    since: SinceOption = None,
    until: UntilOption = None,
    against: Annotated[
        str | None, typer.Option(help="Another domain, such as a branch; --since may be left out.")
    ] = None,
    subject: Annotated[str | None, typer.Option(help="Only this node or connection.")] = None,
    types: Annotated[list[str] | None, typer.Option("--type", help="A node or connection type. Repeatable.")] = None,
    content: Annotated[bool, typer.Option("--content", help="Include text diffs of contents.")] = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
) -> None:
    """Show what differs between two points of the log, or two domains: added, removed, changed, value by value."""
    call.answer(
        lambda memory: memory.history.diff(
            since=since,
            until=until,
            against=against,
            subject=subject,
            types=types or None,
            content=content,
            limit=call.size(limit),
            cursor=cursor,
        ),
        _show,
        "Comparing",
    )


def _show(found: Diff) -> None:
    for entry in found.entries:
        _show_entry(entry)
    more = f" There are more: use --limit N or --cursor {found.next_cursor}" if found.next_cursor else ""
    total = found.added + found.removed + found.changed
    parts = f"{found.added:,} added, {found.removed:,} removed, {found.changed:,} changed"
    other = f"{plain(found.against)} at " if found.against else ""
    note(f"{counted(total, 'difference')} from {found.since} to {other}{found.until}: {parts}.{more}")


def _show_entry(entry: DiffEntry) -> None:
    typer.echo(f"{_MARKS[entry.operation]} {plain(entry.subject)}  {plain(entry.summary)}")
    if entry.content is not None:
        show_content(entry.content)


def show_content(change: ContentChange) -> None:
    """Print the text diff of a content, if there is one, and what is said about it."""
    for line in (change.diff or "").split("\n") if change.diff is not None else ():
        typer.echo(f"{_INDENT}{harmless(line)}".rstrip())
    if change.note is not None:
        typer.echo(f"{_INDENT}({change.note})")
