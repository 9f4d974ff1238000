"""`graph-memory log`, `sessions` and `revert`: list, follow and undo changes."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Annotated, TypedDict, cast

import anyio
import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import as_command
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.listing import note_count_and_cursor
from graph_memory.cli.output.printing import escape_line, format_count, format_local_time, note, print_json
from graph_memory.cli.output.states import state_lines
from graph_memory.cli.output.tables import print_table, print_tinted
from graph_memory.cli.session import open_with_progress
from graph_memory.memory.branches.results import MergedChange
from graph_memory.memory.history.results import (
    Choice,
    LogEntry,
    LogPage,
    Operation,
    RevertedChange,
    RevertResult,
    Sessions,
    Source,
)
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

FullOption = Annotated[bool, typer.Option("--full", help="Include the states before and after.")]
SessionOption = Annotated[str | None, typer.Option(help="Only changes in this session.")]
OperationOption = Annotated[
    list[str] | None, typer.Option("--operation", help="Only create, update or delete. Repeatable.")
]
ConflictOption = Annotated[
    Choice,
    typer.Option(
        help="If subjects changed later: stop does nothing, skip leaves out these subjects, force undoes the "
        "later changes too."
    ),
]
FollowOption = Annotated[bool, typer.Option("--follow", help="Show oldest first, then each new change, until Ctrl-C.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show the effect without undoing anything.")]


@command()
def log(
    call: Call,
    since: takes.SinceOption = None,
    until: takes.UntilOption = None,
    subject: takes.SubjectOption = None,
    session: SessionOption = None,
    source: Annotated[Source | None, typer.Option(help="Only changes by agents, or by users.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only changes by this actor.")] = None,
    operations: OperationOption = None,
    types: takes.TypesOption = None,
    full: FullOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    follow: FollowOption = False,
) -> None:
    """Show the log of changes, newest first: number, time, actor and description."""
    log_filter = LogFilter(
        subject=subject,
        session=session,
        source=source,
        actor=actor,
        operations=cast("list[Operation]", operations) or None,
        types=types or None,
        full=full,
    )
    if follow:
        return follow_log(call, log_filter, since=since, until=until, limit=limit, cursor=cursor)

    async def use(memory: Memory) -> LogPage:
        resolved = await resolve_names(memory, log_filter)
        return await memory.history.log(
            since=since, until=until, limit=call.page_size(limit), cursor=cursor, **resolved
        )

    call.answer(use, show_log)
    return None


def show_log(page: LogPage) -> None:
    """Print a page of the log."""
    if page.entries and page.entries[0].before is None and page.entries[0].after is None:
        print_table(
            ("seq", "time", "by", "change"),
            [(entry.seq, format_local_time(entry.at), entry.by, entry.summary) for entry in page.folded],
            uncut=("seq", "time"),
            wrapped=("change",),
            tints=[{"seq": DIM, "time": DIM, "change": TINTS[entry.operation]} for entry in page.folded],
        )
    else:
        for entry in page.entries:
            print_entry(entry)
    note_count_and_cursor(len(page.entries), "change", page.next_cursor)


_DOMAIN_SUBJECTS = {Kind.DOMAIN: "the record of what was merged", Kind.ONTOLOGY: "the description of the ontology"}
"""Descriptions of subjects that have no title, by kind."""


def subject_text(change: RevertedChange | MergedChange) -> str:
    """Return the type, title and id of the changed subject as text."""
    if change.kind in _DOMAIN_SUBJECTS:
        return _DOMAIN_SUBJECTS[change.kind]
    if change.kind in TYPES:
        return escape_line(f"{change.kind.replace('_', ' ')} {change.subject.partition('/')[2]}")
    title = f" “{change.title}”" if change.title else ""
    if change.kind is Kind.OBSERVATION and title:
        return escape_line(f"observation{title}")
    return escape_line(f"{change.type or change.kind}{title} {change.subject}")


@command()
def sessions(
    call: Call,
    since: takes.SinceOption = None,
    until: takes.UntilOption = None,
    limit: takes.LimitOption = None,
) -> None:
    """List the sessions that changed the domain, latest first: time, actor, number of changes, and topic."""
    call.answer(lambda memory: memory.history.sessions(since=since, until=until, limit=limit), _show_sessions)


def _show_sessions(page: Sessions) -> None:
    if page.sessions:
        print_table(
            ("last change", "by", "changes", "about", "session"),
            [
                (
                    format_local_time(session.ended),
                    session.actor or session.source,
                    session.changes,
                    _session_topic(session),
                    session.session or "-",
                )
                for session in page.sessions
            ],
            ids="session",
            uncut=("last change", "changes"),
            wrapped=("about",),
        )
    note(f"{format_count(len(page.sessions), 'session')}.")


def _session_topic(session: SessionSummary) -> str:
    """Return the session's summary or, if it has none, the titles of the subjects that it changed."""
    return " ".join((session.summary or ", ".join(session.about)).split())


@command()
def revert(
    call: Call,
    events: Annotated[
        list[str] | None, typer.Argument(metavar="EVENT", help="Events, by the numbers that `log` shows, or by id.")
    ] = None,
    since: takes.SinceOption = None,
    until: takes.UntilOption = None,
    session: Annotated[str | None, typer.Option(help="All changes of this session.")] = None,
    on_conflict: ConflictOption = "stop",
    dry_run: DryRunOption = False,
    yes: takes.YesOption = False,
) -> None:
    """Undo changes: single events, a range of the log, or a session. The undo is logged, and can be undone too."""
    _check_selection(events, since, until, session)

    async def use(memory: Memory, *, dry: bool) -> RevertResult:
        if session is not None:
            session_id = await naming.session_id(memory, session)
            return await memory.history.revert_session(session_id, on_conflict=on_conflict, dry_run=dry)
        return await memory.history.revert(
            event_ids=events or None, since=since, until=until, on_conflict=on_conflict, dry_run=dry
        )

    if takes.should_confirm(yes=yes or dry_run):
        if call.preview(lambda memory: use(memory, dry=True), show_reverted).changes:
            takes.confirm("Undo this?")
        elif not call.as_json:
            return
    call.answer(lambda memory: use(memory, dry=dry_run), show_reverted, "Undoing")


def _check_selection(events: list[str] | None, since: str | None, until: str | None, session: str | None) -> None:
    """Raise INVALID_ARGUMENT unless exactly one is given: events, a range of the log, or a session."""
    if bool(events) + (since is not None) + (session is not None) != 1 or (until is not None and since is None):
        hint = "Pass event numbers from `graph-memory log`, --since (optionally with --until), or --session."
        raise invalid_argument("event", "Exactly one of events, a range and a session must be given", hint)


def show_reverted(reverted: RevertResult) -> None:
    """Print a line for each subject whose changes were undone (or, in a dry run, would be undone)."""
    words = {"create": "restored", "update": "set back", "delete": "deleted"}
    for change in reverted.changes:
        is_type = change.kind in TYPES
        word = "removed" if is_type and change.operation == "delete" else words[change.operation]
        typer.echo(f"{word}  {subject_text(change)}")
    for skip in reverted.skipped:
        title = f"“{skip.title}”" if skip.title else skip.subject
        typer.echo(f"left      {escape_line(title)}: {escape_line(skip.reason)}")
        if skip.call is not None:
            typer.echo(f"          {as_command(skip.call)}")
    if reverted.force is not None:
        typer.echo(f"          to undo these too: {as_command(reverted.force)}")
    verb = "would be undone" if reverted.dry_run else "undone"
    changes = len(reverted.changes) + (reverted.more_changes or 0)
    skipped = len(reverted.skipped) + (reverted.more_skipped or 0)
    if (changes, skipped) != (len(reverted.changes), len(reverted.skipped)):
        typer.echo("…")
    unchanged = (
        f"; {format_count(skipped, 'subject')} left as {'it is' if skipped == 1 else 'they are'}" if skipped else ""
    )
    note(f"{format_count(changes, 'change')} {verb}{unchanged}.")


DIM = "dim"
TINTS: Mapping[Operation, str] = {"create": "green", "update": "yellow", "delete": "red"}

_POLL_INTERVAL = 0.2
"""Interval in seconds at which a command that follows the log checks whether standard output is still open."""


class LogFilter(TypedDict):
    """The filters of a log query."""

    subject: str | None
    session: str | None
    source: Source | None
    actor: str | None
    operations: Sequence[Operation] | None
    types: Sequence[str] | None
    full: bool


async def resolve_names(memory: Memory, log_filter: LogFilter) -> LogFilter:
    """Return the filter with the names of its subject and session replaced by full ids."""
    subject, session = log_filter["subject"], log_filter["session"]
    return {
        **log_filter,
        "subject": subject and await naming.id_of(memory, subject),
        "session": session and await naming.session_id(memory, session),
    }


def follow_log(
    call: Call, log_filter: LogFilter, *, since: str | None, until: str | None, limit: int | None, cursor: str | None
) -> None:
    """Print the newest changes, or all changes since `since`. Then print each new change as it happens."""
    for name, value in (("until", until), ("cursor", cursor)):
        if value is not None:
            raise invalid_argument(name, f"--follow cannot be used with --{name}", f"Leave out --{name}, or --follow.")
    size = None if since is not None and limit is None else call.page_size(limit)

    async def work() -> None:
        async with (
            open_with_progress() as memory,
            _cancel_when_stopped(),
            aclosing(_follow_changes(call.in_domain(memory), log_filter, since, size)) as changes,
        ):
            async for entry in changes:
                if not _try_to_print(entry, as_json=call.as_json):
                    return

    try:
        anyio.run(work)
    except KeyboardInterrupt:
        _discard_output()


def print_entry(entry: LogEntry) -> None:
    """Print a log entry on one line. If it includes the states before and after, print them on the next lines."""
    by, tint = entry.by, TINTS[entry.operation]
    print_tinted((entry.seq, DIM), (format_local_time(entry.at), DIM), (by, ""), (entry.summary, tint))
    if entry.before is None and entry.after is None:
        return
    print_tinted(("", ""), (f"{entry.subject}  {entry.id}", DIM))
    for line in state_lines(entry.before or {}, entry.after or {}):
        typer.echo(f"    {line}")


async def _follow_changes(
    memory: Memory, log_filter: LogFilter, since: str | None, size: int | None
) -> AsyncGenerator[LogEntry]:
    """Yield the newest `size` changes (default: all since `since`), oldest first.

    Then yield new changes as they happen.
    """
    start: int | str | None = since
    log_filter = await resolve_names(memory, log_filter)
    if size is not None:
        page = await memory.history.log(since=since, limit=size, **log_filter)
        for entry in reversed(page.entries):
            yield entry
        start = page.entries[0].seq + 1 if page.entries else since or 1
    async with aclosing(memory.history.follow(since=start, **log_filter)) as changes:
        async for entry in changes:
            yield entry


def _try_to_print(entry: LogEntry, *, as_json: bool) -> bool:
    """Print a log entry, or its JSON. Return False if standard output is closed."""
    try:
        if as_json:
            print_json(entry)
        else:
            print_entry(entry)
    except BrokenPipeError:
        _discard_output()
        return False
    return True


@asynccontextmanager
async def _cancel_when_stopped() -> AsyncGenerator[None]:
    """Cancel the `with` block on Ctrl-C, on SIGTERM, or when standard output is closed."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_await_signal, tasks.cancel_scope)
        tasks.start_soon(_await_closed_pipe, tasks.cancel_scope)
        yield
        tasks.cancel_scope.cancel()


async def _await_signal(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":  # on Windows, Ctrl-C raises KeyboardInterrupt
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


async def _await_closed_pipe(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":  # on Windows, only a write detects it
        return
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    while not poll.poll(0):  # noqa: ASYNC110 - without event flags, poll reports only errors and hang-ups
        await anyio.sleep(_POLL_INTERVAL)
    _discard_output()
    scope.cancel()


def _discard_output() -> None:
    """Drop the buffered output, because standard output is closed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
