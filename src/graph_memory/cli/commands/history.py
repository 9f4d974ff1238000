"""`graph-memory log`, `sessions` and `revert`: what was changed, and undoing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from graph_memory.cli.commands.follow import QUIET, TINTS, Wanted, follow_log, print_entry
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import aside, counted, local_time, note, plain, print_json
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import with_memory
from graph_memory.memory.history.results import Choice, LogEntry, LogPage, Operation, Reverted, Source
from graph_memory.model.kinds import TYPES

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

SinceOption = Annotated[
    str | None, typer.Option(help='The first change: a number, an event id, a time, or "2 hours ago".')
]
UntilOption = Annotated[str | None, typer.Option(help="The last change, given as for --since.")]
FullOption = Annotated[bool, typer.Option("--full", help="With the states before and after.")]
SessionOption = Annotated[str | None, typer.Option(help="Only changes of this session.")]
OperationOption = Annotated[
    list[str] | None, typer.Option("--operation", help="Only create, update or delete. Repeatable.")
]
ConflictOption = Annotated[
    Choice,
    typer.Option(help="Changed since: stop does nothing, skip leaves it, force undoes later changes too."),
]
FollowOption = Annotated[
    bool, typer.Option("--follow", help="Oldest first, and then each new change as it comes, until Ctrl-C.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say what would be undone.")]


def log(
    since: SinceOption = None,
    until: UntilOption = None,
    session: SessionOption = None,
    source: Annotated[Source | None, typer.Option(help="Only changes of agents, or of users.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only changes of this one.")] = None,
    operations: OperationOption = None,
    types: Annotated[list[str] | None, typer.Option("--type", help="A node or connection type. Repeatable.")] = None,
    full: FullOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    follow: FollowOption = False,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Show what was changed, newest first: number, time, who, and the change in words."""
    wanted = Wanted(
        session=session,
        source=source,
        actor=actor,
        operations=cast("list[Operation]", operations) or None,
        types=types or None,
        full=full,
        domain=domain,
    )
    if follow:
        return follow_log(wanted, since=since, until=until, limit=limit, cursor=cursor, as_json=as_json)
    size = takes.page_size(limit, as_json=as_json)
    page = with_memory(
        lambda memory: memory.history.log(since=since, until=until, limit=size, cursor=cursor, **wanted), "Reading"
    )
    return show_log(page, as_json=as_json)


def show_history(
    subject: str, *, full: bool, limit: int | None, cursor: str | None, domain: str | None, as_json: bool
) -> None:
    """Print every change of a node or connection."""
    size = takes.page_size(limit, as_json=as_json)
    page = with_memory(
        lambda memory: memory.history.log(subject=subject, full=full, limit=size, cursor=cursor, domain=domain),
        "Reading",
    )
    show_log(page, as_json=as_json)


def show_log(page: LogPage, *, as_json: bool) -> None:
    """Print a page of the log."""
    if as_json:
        return print_json(page)
    if page.entries and page.entries[0].before is None and page.entries[0].after is None:
        print_table(
            ("seq", "time", "by", "change"),
            [(entry.seq, local_time(entry.at), _by(entry), entry.summary) for entry in page.entries],
            whole=("seq", "time"),
            folded=("change",),
            tints=[{"seq": QUIET, "time": QUIET, "change": TINTS[entry.operation]} for entry in page.entries],
        )
    else:
        for entry in page.entries:
            print_entry(entry)
    more = f" There are more: --limit N, or --cursor {page.next_cursor}" if page.next_cursor else ""
    return note(f"{counted(len(page.entries), 'change')}.{more}")


def sessions(
    since: SinceOption = None,
    until: UntilOption = None,
    limit: takes.LimitOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Show who changed the domain, the last to write first: when, how much, and what about."""
    found = with_memory(
        lambda memory: memory.history.sessions(since=since, until=until, limit=limit, domain=domain), "Reading"
    )
    if as_json:
        return print_json(found)
    if found.sessions:
        print_table(
            ("session", "by", "from", "to", "changes", "about"),
            [
                (one.session or "-", one.actor or one.source, local_time(one.began), local_time(one.ended), one.changes,
                 ", ".join(one.about))
                for one in found.sessions
            ],
            whole=("session", "from", "to", "changes"),
        )  # fmt: skip
    return note(f"{counted(len(found.sessions), 'session')}.")


def revert(
    event_ids: Annotated[list[str] | None, typer.Argument(metavar="[EVENT]...", help="Ids of events.")] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    session: Annotated[str | None, typer.Option(help="Everything that this session changed.")] = None,
    on_conflict: ConflictOption = "stop",
    dry_run: DryRunOption = False,
    yes: takes.YesOption = False,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Undo changes: of events, of a stretch of the log, or of a session. It is logged, and can be undone too."""

    async def use(memory: Memory, *, dry: bool) -> Reverted:
        if session is not None and not event_ids and since is None and until is None:
            return await memory.history.revert_session(session, on_conflict=on_conflict, dry_run=dry, domain=domain)
        return await memory.history.revert(
            event_ids=event_ids or None, since=since, until=until, on_conflict=on_conflict, dry_run=dry, domain=domain
        )

    if takes.asks(yes=yes or dry_run):
        tried = with_memory(lambda memory: use(memory, dry=True), "Trying")
        with aside(as_json=as_json):
            show_reverted(tried)
        if tried.changes:
            takes.confirm("Undo this?")
        elif not as_json:
            return None
    done = with_memory(lambda memory: use(memory, dry=dry_run), "Undoing")
    return print_json(done) if as_json else show_reverted(done)


def show_reverted(found: Reverted) -> None:
    """Print what was undone, or would be, a line for each subject."""
    words = {"create": "restored", "update": "set back", "delete": "deleted"}
    for change in found.changes:
        is_type = change.kind in TYPES
        word = "taken back" if is_type and change.operation == "delete" else words[change.operation]
        name = change.subject.partition("/")[2] if is_type else change.subject
        typer.echo(f"{word}  {plain(change.kind.replace('_', ' '))} {plain(name)}")
    for skip in found.skipped:
        typer.echo(f"left      {plain(skip.subject)}: {plain(skip.reason)}")
    verb = "would be undone" if found.dry_run else "undone"
    changes, left = len(found.changes) + (found.more_changes or 0), len(found.skipped) + (found.more_skipped or 0)
    if (changes, left) != (len(found.changes), len(found.skipped)):
        typer.echo("…")
    note(f"{counted(changes, 'change')} {verb}, {counted(left, 'subject')} left.")


def _by(entry: LogEntry) -> str:
    return entry.actor or entry.source
