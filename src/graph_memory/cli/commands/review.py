"""`graph-memory review`: a person goes through changes one by one; what they reject is undone together."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from graph_memory.cli.commands.diff import show_content
from graph_memory.cli.commands.history import ConflictOption, show_reverted
from graph_memory.cli.errors import error_text
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.editing import can_be_edited, edit
from graph_memory.cli.input.prompts import choose_answer
from graph_memory.cli.output.printing import count_of, local_time, note, plain
from graph_memory.cli.session import open_interactive
from graph_memory.memory.history.diff_results import DiffEntry, Value, ValueChange
from graph_memory.memory.history.results import Choice, LogEntry, Reverted, Reviewed, Verdict
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import is_whole
from graph_memory.model.subjects.kinds import DATA, TYPES, Kind
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.sync import SyncMemory

PAGE = 500
"""Changes that are asked for at a time."""
_INDENT = "    "


def review(
    session: Annotated[str | None, typer.Option(help="The changes of this session.")] = None,
    since: takes.SinceOption = None,
    again: Annotated[bool, typer.Option("--all", help="Also show what was reviewed already.")] = False,
    on_conflict: ConflictOption = "stop",
    domain: takes.DomainOption = None,
) -> None:
    """Go through the changes that nobody has reviewed yet, at a terminal: accept, reject or edit each.

    The rejected are undone together at the end.
    """
    if not sys.stdin.isatty():
        hint = Hint("Run it at a terminal; in a script, use {memory_log} and {memory_revert}.")
        raise fault("stdin", "A review needs a person at a terminal", hint)
    with open_interactive() as memory:
        if session is not None and not is_whole(session):
            session = naming.session_named(session, memory.history.sessions(limit=naming.MAX_SESSIONS, domain=domain))
        known = memory.history.reviewed(domain=domain)
        first = min([*known.verdicts, known.settled + 1]) if again else known.settled + 1
        begin = str(first) if session is None and since is None else since
        entries = _changes(memory, session, begin, domain)
        changes = [entry for entry in entries if again or entry.seq not in known.verdicts]
        if not changes:
            is_done = bool(entries or (known.verdicts and begin != since))
            return note("All of it was reviewed; --all shows it again." if is_done else "Nothing to review.")
        rejected = _walk(memory, changes, known, domain)
        return _undo(memory, rejected, on_conflict, domain) if rejected else None


def _changes(memory: SyncMemory, session: str | None, since: str | None, domain: str | None) -> list[LogEntry]:
    """Return the changes, the newest last."""
    entries: list[LogEntry] = []
    cursor = None
    while True:
        page = memory.history.log(session=session, since=since, limit=PAGE, cursor=cursor, domain=domain)
        entries += page.entries
        cursor = page.next_cursor
        if cursor is None:
            return entries[::-1]


def _walk(memory: SyncMemory, changes: Sequence[LogEntry], known: Reviewed, domain: str | None) -> list[LogEntry]:
    """Ask about each change, remember what is said, and return those that were rejected: these are undone first."""
    [newest] = memory.history.log(limit=1, domain=domain).entries
    rejected: list[LogEntry] = []
    counts: Counter[str] = Counter()
    for place, change in enumerate(changes, start=1):
        before = known.verdicts.get(change.seq)
        answer, version = _asked(memory, change, f"{place}/{len(changes)}", before, domain)
        if answer == "quit":
            break
        counts[answer] += 1
        if answer == "reject":
            rejected.append(change)
        else:
            own: dict[int, Verdict] = {version: "accept"} if version is not None and version > newest.seq else {}
            memory.history.mark_reviewed({change.seq: answer, **own}, domain=domain)
    text = f"{counts['accept']:,} accepted, {counts['reject']:,} rejected, {counts['edit']:,} edited"
    note(f"{count_of(counts.total(), 'change')} of {len(changes):,} reviewed: {text}.")
    return rejected


def _asked(
    memory: SyncMemory, change: LogEntry, place: str, before: Verdict | None, domain: str | None
) -> tuple[Verdict | Literal["quit"], int | None]:
    """Show a change, and return what a person says to it; after an edit also the version that it made."""
    _show(memory, change, place, domain)
    if before is not None:
        note(f"{_INDENT}It was reviewed before: {before}.")
    choices = ["accept", "quit"]
    if _can_be_rejected(change):
        choices = ["accept", "reject", *(["edit"] if can_be_edited(change) else []), "quit"]
    while True:
        answer = cast("Verdict | Literal['quit']", choose_answer(place, choices))
        version = edit(memory, change, domain) if answer == "edit" else None
        if answer != "edit" or version is not None:
            return answer, version


def _show(memory: SyncMemory, change: LogEntry, place: str, domain: str | None) -> None:
    by = change.actor or change.source
    typer.echo(f"\n[{place}] {change.seq}  {local_time(change.at)}  {plain(by)}  {plain(change.summary)}")
    typer.echo(f"{_INDENT}{plain(change.kind)} {plain(change.subject)}")
    if not _can_be_rejected(change):
        return note(f"{_INDENT}{_why_it_stays(change)}")
    if change.kind not in DATA:
        return None
    try:
        _show_difference(memory, change, domain)
    except GraphError as error:
        note(f"{_INDENT}{error_text(error)}")
    return None


def _can_be_rejected(change: LogEntry) -> bool:
    """Say whether a change may be undone by itself."""
    return change.kind in (*DATA, *TYPES) or (change.kind == Kind.DOMAIN and change.operation == "update")


def _why_it_stays(change: LogEntry) -> str:
    if change.operation == "update":
        return "It is undone with the types that were removed."
    return f"The creation of {'a domain' if change.kind == Kind.DOMAIN else 'an ontology'} cannot be undone."


def _show_difference(memory: SyncMemory, change: LogEntry, domain: str | None) -> None:
    """Print what a change did, value by value, and its content as a text diff."""
    page = memory.history.diff(
        since=change.seq - 1, until=change.seq, subject=change.subject, content=True, domain=domain
    )
    for entry in page.entries:
        for value in _values(memory, change, entry, domain):
            typer.echo(f"{_INDENT}{plain(value.name)}: {_told(value.before)} → {_told(value.after)}")
        if entry.more:
            typer.echo(f"{_INDENT}and {count_of(entry.more, 'further value')}")
        if entry.content is not None:
            show_content(entry.content)


def _values(memory: SyncMemory, change: LogEntry, entry: DiffEntry, domain: str | None) -> Sequence[ValueChange]:
    """Return the values that a change set; of what came or went, all its properties."""
    if entry.operation == "changed":
        return (*(entry.properties or ()), *(entry.attributes or ()))
    [whole] = memory.history.log(
        subject=change.subject, since=change.seq, until=change.seq, full=True, domain=domain
    ).entries
    before, after = user_properties(whole.before or {}), user_properties(whole.after or {})
    names = sorted({*before, *after})
    return [ValueChange(name=name, before=before.get(name), after=after.get(name)) for name in names]


def _told(value: Value | None) -> str:
    return "none" if value is None else plain(json.dumps(value, ensure_ascii=False))


def _undo(memory: SyncMemory, rejected: Sequence[LogEntry], on_conflict: Choice, domain: str | None) -> None:
    """Undo the rejected changes together, once a person has seen what that comes to and said yes."""
    note("\nRejected:")
    for change in rejected:
        note(f"{_INDENT}{change.seq}  {plain(change.summary)}")
    ids = [change.id for change in rejected]
    choice, tried = _tried(memory, ids, on_conflict, domain)
    if tried is None:
        return note("Nothing was undone.")
    show_reverted(tried)
    if not tried.changes:
        return None
    takes.confirm("Undo this?")
    done = memory.history.revert(event_ids=ids, on_conflict=choice, domain=domain)
    _remember_rejected(memory, rejected, done, domain)
    return show_reverted(done)


def _remember_rejected(memory: SyncMemory, rejected: Sequence[LogEntry], done: Reverted, domain: str | None) -> None:
    """Remember what was rejected and is undone, and that nobody needs to review the undoing."""
    verdicts: dict[int, Verdict] = {change.seq: "reject" for change in rejected}
    if done.changes:
        first = min(change.seq for change in done.changes)
        undoing = [change.seq for change in _changes(memory, None, str(first), domain) if change.batch == done.batch]
        verdicts |= dict.fromkeys(undoing, "accept")
    memory.history.mark_reviewed(verdicts, domain=domain)


def _tried(
    memory: SyncMemory, ids: Sequence[str], on_conflict: Choice, domain: str | None
) -> tuple[Choice, Reverted | None]:
    """Return what undoing would do, and the choice it was tried with; None when a person leaves it at conflicts."""
    try:
        return on_conflict, memory.history.revert(event_ids=ids, on_conflict=on_conflict, dry_run=True, domain=domain)
    except GraphError as error:
        if error.code is not Code.REVERT_CONFLICT:
            raise
        conflicts = cast("Sequence[Mapping[str, object]]", error.details["conflicts"])
    for conflict in conflicts:
        typer.echo(f"conflict  {plain(conflict['subject'])}: {plain(conflict['reason'])}")
    force = ["force"] if any(conflict["forcible"] for conflict in conflicts) else []
    answer = choose_answer("Leave these as they are, or undo later changes too:", ["skip", *force, "quit"])
    return ("stop", None) if answer == "quit" else _tried(memory, ids, cast("Choice", answer), domain)
