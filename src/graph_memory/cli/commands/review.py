"""`graph-memory review`: interactive review of changes. Rejected changes are undone together."""

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
from graph_memory.cli.output.printing import escape_line, format_count, format_local_time, note
from graph_memory.cli.session import open_interactive
from graph_memory.memory.history.diff_results import DiffEntry, Value, ValueChange
from graph_memory.memory.history.results import Choice, LogEntry, RevertResult, ReviewList, Verdict
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import is_generated_id
from graph_memory.model.subjects.kinds import DATA, TYPES, Kind
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.sync import SyncMemory

PAGE_SIZE = 500
"""Maximum number of changes per log query."""
_INDENT = "    "


def review(
    session: Annotated[str | None, typer.Option(help="Only changes in this session.")] = None,
    since: takes.SinceOption = None,
    again: Annotated[bool, typer.Option("--all", help="Include changes that were already reviewed.")] = False,
    on_conflict: ConflictOption = "stop",
    domain: takes.DomainOption = None,
) -> None:
    """Review new changes in a terminal: accept, reject or edit each of them.

    Rejected changes are undone together at the end.
    """
    if not sys.stdin.isatty():
        hint = Hint("Run it in a terminal. In a script, use {memory_log} and {memory_revert} instead.")
        raise invalid_argument("stdin", "A review is interactive and needs a terminal", hint)
    with open_interactive() as memory:
        if session is not None and not is_generated_id(session):
            session = naming.session_named(session, memory.history.sessions(limit=naming.MAX_SESSIONS, domain=domain))
        reviewed = memory.history.reviewed(domain=domain)
        first = min([*reviewed.verdicts, reviewed.settled + 1]) if again else reviewed.settled + 1
        start = str(first) if session is None and since is None else since
        entries = _read_changes(memory, session, start, domain)
        reviewable = [entry for entry in entries if entry.seq > reviewed.settled or entry.seq in reviewed.verdicts]
        changes = [entry for entry in reviewable if again or entry.seq not in reviewed.verdicts]
        if not changes:
            is_done = bool(reviewable or (reviewed.verdicts and start != since))
            return note("All changes were reviewed; --all shows them again." if is_done else "Nothing to review.")
        rejected = _review_changes(memory, changes, reviewed, domain)
        return _undo(memory, rejected, on_conflict, domain) if rejected else None


def _read_changes(memory: SyncMemory, session: str | None, since: str | None, domain: str | None) -> list[LogEntry]:
    entries: list[LogEntry] = []
    cursor = None
    while True:
        page = memory.history.log(session=session, since=since, limit=PAGE_SIZE, cursor=cursor, domain=domain)
        entries += page.entries
        cursor = page.next_cursor
        if cursor is None:
            return entries[::-1]


def _review_changes(
    memory: SyncMemory, changes: Sequence[LogEntry], reviewed: ReviewList, domain: str | None
) -> list[LogEntry]:
    """Ask about each change, and return the rejected changes. Marks accepted and edited changes as reviewed."""
    [newest] = memory.history.log(limit=1, domain=domain).entries
    rejected: list[LogEntry] = []
    counts: Counter[str] = Counter()
    for position, change in enumerate(changes, start=1):
        verdict, reviewer = reviewed.verdicts.get(change.seq), (reviewed.reviewers or {}).get(change.seq)
        previous = f"{verdict} by {reviewer}" if verdict and reviewer else verdict
        answer, version = _ask_about(memory, change, f"{position}/{len(changes)}", previous, domain)
        if answer == "quit":
            break
        counts[answer] += 1
        if answer == "reject":
            rejected.append(change)
        else:
            edited: dict[int, Verdict] = {version: "accept"} if version is not None and version > newest.seq else {}
            memory.history.mark_reviewed({change.seq: answer, **edited}, domain=domain)
    text = f"{counts['accept']:,} accepted, {counts['reject']:,} rejected, {counts['edit']:,} edited"
    note(f"{format_count(counts.total(), 'change')} of {len(changes):,} reviewed: {text}.")
    return rejected


def _ask_about(
    memory: SyncMemory, change: LogEntry, position: str, previous: str | None, domain: str | None
) -> tuple[Verdict | Literal["quit"], int | None]:
    """Show a change, and ask for a verdict. Return the verdict and, if the subject was edited, its new version."""
    _show(memory, change, position, domain)
    if previous is not None:
        note(f"{_INDENT}It was reviewed before: {escape_line(previous)}.")
    choices = ["accept", "quit"]
    if _can_be_rejected(change):
        choices = ["accept", "reject", *(["edit"] if can_be_edited(change) else []), "quit"]
    while True:
        answer = cast("Verdict | Literal['quit']", choose_answer(position, choices))
        version = edit(memory, change, domain) if answer == "edit" else None
        if answer != "edit" or version is not None:
            return answer, version


def _show(memory: SyncMemory, change: LogEntry, position: str, domain: str | None) -> None:
    by = change.actor or change.source
    typer.echo(
        f"\n[{position}] {change.seq}  {format_local_time(change.at)}  {escape_line(by)}  {escape_line(change.summary)}"
    )
    typer.echo(f"{_INDENT}{escape_line(change.kind)} {escape_line(change.subject)}")
    if not _can_be_rejected(change):
        return note(f"{_INDENT}{_reason_to_keep(change)}")
    if change.kind not in DATA:
        return None
    try:
        _show_difference(memory, change, domain)
    except GraphError as error:
        note(f"{_INDENT}{error_text(error)}")
    return None


def _can_be_rejected(change: LogEntry) -> bool:
    """Return whether the change can be undone separately."""
    return change.kind in (*DATA, *TYPES) or (change.kind == Kind.DOMAIN and change.operation == "update")


def _reason_to_keep(change: LogEntry) -> str:
    if change.operation == "update":
        return "It is undone together with the removed types."
    return f"The creation of {'a domain' if change.kind == Kind.DOMAIN else 'an ontology'} cannot be undone."


def _show_difference(memory: SyncMemory, change: LogEntry, domain: str | None) -> None:
    page = memory.history.diff(
        since=change.seq - 1, until=change.seq, subject=change.subject, content=True, domain=domain
    )
    for entry in page.entries:
        for value in _values(memory, change, entry, domain):
            typer.echo(f"{_INDENT}{escape_line(value.name)}: {_value_text(value.before)} → {_value_text(value.after)}")
        if entry.more:
            typer.echo(f"{_INDENT}and {format_count(entry.more, 'further value')}")
        if entry.content is not None:
            show_content(entry.content)


def _values(memory: SyncMemory, change: LogEntry, entry: DiffEntry, domain: str | None) -> Sequence[ValueChange]:
    """Return the changed values. For a new or deleted subject, these are all of its properties."""
    if entry.operation == "changed":
        return (*(entry.properties or ()), *(entry.attributes or ()))
    [full_entry] = memory.history.log(
        subject=change.subject, since=change.seq, until=change.seq, full=True, domain=domain
    ).entries
    before, after = user_properties(full_entry.before or {}), user_properties(full_entry.after or {})
    names = sorted({*before, *after})
    return [ValueChange(name=name, before=before.get(name), after=after.get(name)) for name in names]


def _value_text(value: Value | None) -> str:
    return "none" if value is None else escape_line(json.dumps(value, ensure_ascii=False))


def _undo(memory: SyncMemory, rejected: Sequence[LogEntry], on_conflict: Choice, domain: str | None) -> None:
    """Show the effect of undoing all rejected changes, and undo them if the user confirms."""
    note("\nRejected:")
    for change in rejected:
        note(f"{_INDENT}{change.seq}  {escape_line(change.summary)}")
    ids = [change.id for change in rejected]
    choice, trial = _try_undo(memory, ids, on_conflict, domain)
    if trial is None:
        return note("Nothing was undone.")
    show_reverted(trial)
    if not trial.changes:
        return None
    takes.confirm("Undo this?")
    done = memory.history.revert(event_ids=ids, on_conflict=choice, domain=domain)
    _mark_rejected(memory, rejected, done, domain)
    return show_reverted(done)


def _mark_rejected(memory: SyncMemory, rejected: Sequence[LogEntry], done: RevertResult, domain: str | None) -> None:
    """Record the rejected changes as rejected, and the changes that undid them as accepted."""
    verdicts: dict[int, Verdict] = {change.seq: "reject" for change in rejected}
    if done.changes:
        first = min(change.seq for change in done.changes)
        changes = _read_changes(memory, None, str(first), domain)
        undoing = [change.seq for change in changes if change.batch == done.batch]
        verdicts |= dict.fromkeys(undoing, "accept")
    memory.history.mark_reviewed(verdicts, domain=domain)


def _try_undo(
    memory: SyncMemory, ids: Sequence[str], on_conflict: Choice, domain: str | None
) -> tuple[Choice, RevertResult | None]:
    """Preview the undo, and ask how to handle conflicts. The preview is None if the user quits."""
    try:
        return on_conflict, memory.history.revert(event_ids=ids, on_conflict=on_conflict, dry_run=True, domain=domain)
    except GraphError as error:
        if error.code is not Code.REVERT_CONFLICT:
            raise
        conflicts = cast("Sequence[Mapping[str, object]]", error.details["conflicts"])
    for conflict in conflicts:
        typer.echo(f"conflict  {escape_line(conflict['subject'])}: {escape_line(conflict['reason'])}")
    force = ["force"] if any(conflict["forcible"] for conflict in conflicts) else []
    answer = choose_answer("Leave these as they are, or undo later changes too:", ["skip", *force, "quit"])
    return ("stop", None) if answer == "quit" else _try_undo(memory, ids, cast("Choice", answer), domain)
