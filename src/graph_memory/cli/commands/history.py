"""`graph-memory log`, `sessions` and `revert`: what changed, also while it changes, and how to undo it."""

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
from graph_memory.cli.output.printing import count_of, local_time, note, plain, print_json
from graph_memory.cli.output.states import state_lines
from graph_memory.cli.output.tables import print_table, print_tinted
from graph_memory.cli.session import open_with_progress
from graph_memory.memory.branches.results import MergedChange
from graph_memory.memory.history.results import (
    Choice,
    LogEntry,
    LogPage,
    Operation,
    Reverted,
    RevertedChange,
    Sessions,
    Source,
)
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

FullOption = Annotated[bool, typer.Option("--full", help="Include the states before and after.")]
SessionOption = Annotated[str | None, typer.Option(help="Only changes of this session.")]
OperationOption = Annotated[
    list[str] | None, typer.Option("--operation", help="Only create, update or delete. Repeatable.")
]
ConflictOption = Annotated[
    Choice,
    typer.Option(help="If changed since: stop does nothing, skip leaves it, force undoes later changes too."),
]
FollowOption = Annotated[
    bool, typer.Option("--follow", help="Show the oldest first, then each new change as it comes, until Ctrl-C.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only show what would be undone.")]


@command()
def log(
    call: Call,
    since: takes.SinceOption = None,
    until: takes.UntilOption = None,
    subject: takes.SubjectOption = None,
    session: SessionOption = None,
    source: Annotated[Source | None, typer.Option(help="Only changes of agents, or of users.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only changes of this one.")] = None,
    operations: OperationOption = None,
    types: takes.TypesOption = None,
    full: FullOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    follow: FollowOption = False,
) -> None:
    """Show what changed, newest first: number, time, who, and the change in words."""
    wanted = Wanted(
        subject=subject,
        session=session,
        source=source,
        actor=actor,
        operations=cast("list[Operation]", operations) or None,
        types=types or None,
        full=full,
    )
    if follow:
        return follow_log(call, wanted, since=since, until=until, limit=limit, cursor=cursor)

    async def use(memory: Memory) -> LogPage:
        given = await with_whole_ids(memory, wanted)
        return await memory.history.log(since=since, until=until, limit=call.page_size(limit), cursor=cursor, **given)

    call.answer(use, show_log)
    return None


def show_log(page: LogPage) -> None:
    """Print a page of the log."""
    if page.entries and page.entries[0].before is None and page.entries[0].after is None:
        print_table(
            ("seq", "time", "by", "change"),
            [(entry.seq, local_time(entry.at), entry.by, entry.summary) for entry in page.folded],
            uncut=("seq", "time"),
            wrapped=("change",),
            tints=[{"seq": QUIET, "time": QUIET, "change": TINTS[entry.operation]} for entry in page.folded],
        )
    else:
        for entry in page.entries:
            print_entry(entry)
    more = f" There are more: use --limit N or --cursor {page.next_cursor}" if page.next_cursor else ""
    note(f"{count_of(len(page.entries), 'change')}.{more}")


_ITSELF = {Kind.DOMAIN: "the record of what was merged", Kind.ONTOLOGY: "the description of the ontology"}
"""What changes of the domain itself, and of the ontology beside its types, are about."""


def named(change: RevertedChange | MergedChange) -> str:
    """Return a subject that was changed, as a person knows it: with type and title, and its id."""
    if change.kind in _ITSELF:
        return _ITSELF[change.kind]
    if change.kind in TYPES:
        return plain(f"{change.kind.replace('_', ' ')} {change.subject.partition('/')[2]}")
    title = f" “{change.title}”" if change.title else ""
    if change.kind is Kind.OBSERVATION and title:
        return plain(f"observation{title}")
    return plain(f"{change.type or change.kind}{title} {change.subject}")


@command()
def sessions(
    call: Call,
    since: takes.SinceOption = None,
    until: takes.UntilOption = None,
    limit: takes.LimitOption = None,
) -> None:
    """Show who changed the domain, latest first: when, how much, and what."""
    call.answer(lambda memory: memory.history.sessions(since=since, until=until, limit=limit), _show_sessions)


def _show_sessions(found: Sessions) -> None:
    if found.sessions:
        print_table(
            ("last change", "by", "changes", "about", "session"),
            [
                (
                    local_time(session.ended),
                    session.actor or session.source,
                    session.changes,
                    _done_in(session),
                    session.session or "-",
                )
                for session in found.sessions
            ],
            ids="session",
            uncut=("last change", "changes"),
            wrapped=("about",),
        )
    note(f"{count_of(len(found.sessions), 'session')}.")


def _done_in(session: SessionSummary) -> str:
    """Return the summary of a session, or the titles of what it changed."""
    return " ".join((session.summary or ", ".join(session.about)).split())


@command()
def revert(
    call: Call,
    events: Annotated[
        list[str] | None, typer.Argument(metavar="EVENT", help="Events, by the numbers that `log` shows, or by id.")
    ] = None,
    since: takes.SinceOption = None,
    until: takes.UntilOption = None,
    session: Annotated[str | None, typer.Option(help="Everything that this session changed.")] = None,
    on_conflict: ConflictOption = "stop",
    dry_run: DryRunOption = False,
    yes: takes.YesOption = False,
) -> None:
    """Undo changes: of events, a range of the log, or a session. The undo is logged, and can be undone too."""
    _check_one_choice(events, since, until, session)

    async def use(memory: Memory, *, dry: bool) -> Reverted:
        if session is not None:
            named = await naming.session_id(memory, session)
            return await memory.history.revert_session(named, on_conflict=on_conflict, dry_run=dry)
        return await memory.history.revert(
            event_ids=events or None, since=since, until=until, on_conflict=on_conflict, dry_run=dry
        )

    if takes.should_confirm(yes=yes or dry_run):
        if call.preview(lambda memory: use(memory, dry=True), show_reverted).changes:
            takes.confirm("Undo this?")
        elif not call.as_json:
            return
    call.answer(lambda memory: use(memory, dry=dry_run), show_reverted, "Undoing")


def _check_one_choice(events: list[str] | None, since: str | None, until: str | None, session: str | None) -> None:
    """Raise INVALID_ARGUMENT unless it is clear which changes are meant."""
    if bool(events) + (since is not None) + (session is not None) != 1 or (until is not None and since is None):
        hint = "Give numbers of events as `graph-memory log` shows them, or --since and maybe --until, or --session."
        raise fault("event", "It is not clear what to revert", hint)


def show_reverted(found: Reverted) -> None:
    """Print what was undone, or would be, a line for each subject."""
    words = {"create": "restored", "update": "set back", "delete": "deleted"}
    for change in found.changes:
        is_type = change.kind in TYPES
        word = "removed" if is_type and change.operation == "delete" else words[change.operation]
        typer.echo(f"{word}  {named(change)}")
    for skip in found.skipped:
        title = f"“{skip.title}”" if skip.title else skip.subject
        typer.echo(f"left      {plain(title)}: {plain(skip.reason)}")
        if skip.call is not None:
            typer.echo(f"          {as_command(skip.call)}")
    if found.force is not None:
        typer.echo(f"          to undo these too: {as_command(found.force)}")
    verb = "would be undone" if found.dry_run else "undone"
    changes, left = len(found.changes) + (found.more_changes or 0), len(found.skipped) + (found.more_skipped or 0)
    if (changes, left) != (len(found.changes), len(found.skipped)):
        typer.echo("…")
    unchanged = f"; {count_of(left, 'subject')} left as {'it is' if left == 1 else 'they are'}" if left else ""
    note(f"{count_of(changes, 'change')} {verb}{unchanged}.")


QUIET = "dim"
TINTS: Mapping[Operation, str] = {"create": "green", "update": "yellow", "delete": "red"}

_GLANCE = 0.2
"""Seconds between two looks at whether anybody still reads."""


class Wanted(TypedDict):
    """Which changes are asked for."""

    subject: str | None
    session: str | None
    source: Source | None
    actor: str | None
    operations: Sequence[Operation] | None
    types: Sequence[str] | None
    full: bool


async def with_whole_ids(memory: Memory, wanted: Wanted) -> Wanted:
    """Return what is asked for, with the whole ids of the subject and the session that were named."""
    subject, session = wanted["subject"], wanted["session"]
    return {
        **wanted,
        "subject": subject and await naming.id_of(memory, subject),
        "session": session and await naming.session_id(memory, session),
    }


def follow_log(
    call: Call, wanted: Wanted, *, since: str | None, until: str | None, limit: int | None, cursor: str | None
) -> None:
    """Print the newest changes, or all from `since` on, and then each new one, oldest first."""
    for name, given in (("until", until), ("cursor", cursor)):
        if given is not None:
            raise fault(name, f"--follow cannot be used with --{name}", f"Leave out --{name}, or --follow.")
    size = None if since is not None and limit is None else call.page_size(limit)

    async def work() -> None:
        async with (
            open_with_progress() as memory,
            _until_ended(),
            aclosing(_changes(call.in_domain(memory), wanted, since, size)) as changes,
        ):
            async for entry in changes:
                if not _printed(entry, as_json=call.as_json):
                    return

    try:
        anyio.run(work)
    except KeyboardInterrupt:
        _discard_output()


def print_entry(entry: LogEntry) -> None:
    """Print a change on a line, and its states below it where they were asked for."""
    by, tint = entry.by, TINTS[entry.operation]
    print_tinted((entry.seq, QUIET), (local_time(entry.at), QUIET), (by, ""), (entry.summary, tint))
    if entry.before is None and entry.after is None:
        return
    print_tinted(("", ""), (f"{entry.subject}  {entry.id}", QUIET))
    for line in state_lines(entry.before or {}, entry.after or {}):
        typer.echo(f"    {line}")


async def _changes(memory: Memory, wanted: Wanted, since: str | None, size: int | None) -> AsyncGenerator[LogEntry]:
    """Give the newest changes, as many as a page has, or all from a point on where no size is given; then new ones."""
    start: int | str | None = since
    wanted = await with_whole_ids(memory, wanted)
    if size is not None:
        page = await memory.history.log(since=since, limit=size, **wanted)
        for entry in reversed(page.entries):
            yield entry
        start = page.entries[0].seq + 1 if page.entries else since or 1
    async with aclosing(memory.history.follow(since=start, **wanted)) as changes:
        async for entry in changes:
            yield entry


def _printed(entry: LogEntry, *, as_json: bool) -> bool:
    """Print a change, and tell whether somebody was there to read it."""
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
async def _until_ended() -> AsyncGenerator[None]:
    """Leave the block when Ctrl-C or SIGTERM asks for it, or when nobody reads standard output any more."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_await_signal, tasks.cancel_scope)
        tasks.start_soon(_await_closed_pipe, tasks.cancel_scope)
        yield
        tasks.cancel_scope.cancel()


async def _await_signal(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":  # there, Ctrl-C interrupts and the rest ends the process
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


async def _await_closed_pipe(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":  # where only a write shows it
        return
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    while not poll.poll(0):  # noqa: ASYNC110 - with no events asked for, only a closed reader or an error is told
        await anyio.sleep(_GLANCE)
    _discard_output()
    scope.cancel()


def _discard_output() -> None:
    """Have what may still be flushed to standard output go nowhere: nobody reads it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
