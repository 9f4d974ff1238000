"""`graph-memory review`: a person goes through changes one by one; what they reject is undone together."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer

from graph_memory.cli.commands.diff import show_content
from graph_memory.cli.commands.history import ConflictOption, show_reverted
from graph_memory.cli.errors import explained
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.editing import can_be_edited, edit
from graph_memory.cli.input.prompts import answered
from graph_memory.cli.output.printing import counted, local_time, note, plain
from graph_memory.cli.session import open_for_a_person
from graph_memory.memory.history.diff_results import DiffEntry, Value, ValueChange
from graph_memory.memory.history.results import Choice, LogEntry, Reverted
from graph_memory.model.arguments import fault
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.kinds import DATA, TYPES, Kind
from graph_memory.model.subjects import user_properties

if TYPE_CHECKING:
    from graph_memory.sync import SyncMemory

PAGE = 500
"""Changes that are asked for at a time."""
_INDENT = "    "


def review(
    session: Annotated[str | None, typer.Option(help="The changes of this session.")] = None,
    since: takes.SinceOption = None,
    on_conflict: ConflictOption = "stop",
    domain: takes.DomainOption = None,
) -> None:
    """Go through changes one by one at a terminal: accept, reject or edit each. The rejected are undone together."""
    _check_asked(session, since)
    with open_for_a_person() as memory:
        changes = _changes(memory, session, since, domain)
        if not changes:
            return note("Nothing to review.")
        rejected = _walk(memory, changes, domain)
        return _undo(memory, rejected, on_conflict, domain) if rejected else None


def _check_asked(session: str | None, since: str | None) -> None:
    if not sys.stdin.isatty():
        hint = "Run it at a terminal; in a script, use memory_log and memory_revert."
        raise fault("stdin", "A review needs a person at a terminal", hint)
    if session is None and since is None:
        hint = "Give --session ID (`graph-memory sessions` lists them), --since POINT, or both."
        raise fault("since", "It is not clear what to review", hint)


def _changes(memory: SyncMemory, session: str | None, since: str | None, domain: str | None) -> list[LogEntry]:
    """Return the changes, the newest last."""
    found: list[LogEntry] = []
    cursor = None
    while True:
        page = memory.history.log(session=session, since=since, limit=PAGE, cursor=cursor, domain=domain)
        found += page.entries
        cursor = page.next_cursor
        if cursor is None:
            return found[::-1]


def _walk(memory: SyncMemory, changes: Sequence[LogEntry], domain: str | None) -> list[LogEntry]:
    """Ask about each change, and return those that were rejected."""
    rejected: list[LogEntry] = []
    counts: Counter[str] = Counter()
    for place, change in enumerate(changes, start=1):
        answer = _asked(memory, change, f"{place}/{len(changes)}", domain)
        if answer == "quit":
            break
        counts[answer] += 1
        if answer == "reject":
            rejected.append(change)
    told = f"{counts['accept']:,} accepted, {counts['reject']:,} rejected, {counts['edit']:,} edited"
    note(f"{counted(counts.total(), 'change')} of {len(changes):,} reviewed: {told}.")
    return rejected


def _asked(memory: SyncMemory, change: LogEntry, place: str, domain: str | None) -> str:
    """Show a change, and return what a person says to it."""
    _show(memory, change, place, domain)
    choices = ["accept", "quit"]
    if _can_be_rejected(change):
        choices = ["accept", "reject", *(["edit"] if can_be_edited(change) else []), "quit"]
    while True:
        answer = answered(place, choices)
        if answer != "edit" or edit(memory, change, domain):
            return answer


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
        note(f"{_INDENT}{explained(error)}")
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
            typer.echo(f"{_INDENT}and {counted(entry.more, 'further value')}")
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
    return show_reverted(memory.history.revert(event_ids=ids, on_conflict=choice, domain=domain))


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
    answer = answered("Leave these as they are, or undo later changes too:", ["skip", *force, "quit"])
    return ("stop", None) if answer == "quit" else _tried(memory, ids, cast("Choice", answer), domain)
