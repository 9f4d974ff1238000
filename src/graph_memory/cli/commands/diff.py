"""`graph-memory diff`: shows the differences between two points in the log, or between two domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import completion, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.times import point_callback
from graph_memory.cli.output.printing import escape_control_characters, escape_line, format_count, note
from graph_memory.cli.output.tables import GAP, line_width, shorten_ids
from graph_memory.memory.history.diff_results import ContentChange, Diff
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT",
        callback=point_callback("since"),
        help='The earlier state: a log number, event id, time, or phrase such as "last session". 0 is the start.',
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT",
        callback=point_callback("until"),
        help="The later state, in the same form as --since. Default: now.",
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
        str | None,
        typer.Option(
            metavar="DOMAIN",
            help="Another domain, such as a branch. --since is optional then.",
            autocompletion=completion.domains,
        ),
    ] = None,
    subject: takes.SubjectOption = None,
    types: takes.TypesOption = None,
    content: Annotated[bool, typer.Option("--content", help="Include text diffs of contents.")] = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
) -> None:
    """Show the differences between two points in the log, or between two domains, value by value."""
    if since is None and against is None and cursor is None:
        raise invalid_argument("since", "There is no state to compare with", "Use --since POINT, or --against DOMAIN.")

    async def use(memory: Memory) -> Diff:
        return await memory.history.diff(
            since=since,
            until=until,
            against=against,
            subject=subject and await naming.id_of(memory, subject),
            types=types or None,
            content=content,
            limit=call.page_size(limit),
            cursor=cursor,
        )

    call.answer(use, _show, "Comparing")


def _show(result: Diff) -> None:
    summary_width = max((len(escape_line(entry.summary)) for entry in result.entries), default=0)
    ids = shorten_ids([entry.subject for entry in result.entries], line_width() - len("+ ") - summary_width - GAP)
    for entry, short_id in zip(result.entries, ids, strict=True):
        typer.echo(f"{_MARKS[entry.operation]} {escape_line(entry.summary)}  {escape_line(short_id)}")
        if entry.content is not None:
            show_content(entry.content)
    more = f" There are more: use --limit N or --cursor {result.next_cursor}" if result.next_cursor else ""
    total = result.added + result.removed + result.changed
    parts = f"{result.added:,} added, {result.removed:,} removed, {result.changed:,} changed"
    against = f"{escape_line(result.against)} at " if result.against else ""
    note(f"{format_count(total, 'difference')} from {result.since} to {against}{result.until}: {parts}.{more}")


def show_content(change: ContentChange) -> None:
    """Print a content change: its text diff and the note about the diff, if it has them."""
    for line in (change.diff or "").split("\n") if change.diff is not None else ():
        typer.echo(f"{_INDENT}{escape_control_characters(line)}".rstrip())
    if change.note is not None:
        typer.echo(f"{_INDENT}({change.note})")
