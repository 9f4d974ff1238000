"""`graph-memory reconcile`: adopt or undo changes that were made outside graph-memory."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.prompts import choose_answer
from graph_memory.cli.output.printing import escape_line, format_count, note
from graph_memory.memory.drift.results import HandChange, Reconciliation, Which
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_MARKS = {"made": "+", "deleted": "-", "changed": "~"}
_INDENT = "    "

AdoptOption = Annotated[
    list[str] | None, typer.Option("--adopt", metavar="ID", help="Adopt this change into the log. Repeatable.")
]
RestoreOption = Annotated[
    list[str] | None,
    typer.Option("--restore", metavar="ID", help="Undo this change: restore the state of the log. Repeatable."),
]


@command()
def reconcile(
    call: Call,
    adopt: AdoptOption = None,
    restore: RestoreOption = None,
    adopt_all: Annotated[bool, typer.Option("--adopt-all", help="Adopt all changes that the ontology allows.")] = False,
    restore_all: Annotated[
        bool,
        typer.Option(
            "--restore-all", help="Undo all other changes, except changes to items without a domain or an id."
        ),
    ] = False,
    yes: takes.YesOption = False,
) -> None:
    """Show, adopt or undo changes made outside graph-memory. Exits with status 1 if unresolved changes remain."""
    to_adopt, to_restore = _selection("adopt", adopt, adopt_all), _selection("restore", restore, restore_all)
    if to_restore and takes.should_confirm(yes=yes or call.as_json):
        takes.confirm("Restoring discards changes that the log does not contain. Continue?")
    reconciliation = _reconcile(call, to_adopt, to_restore)
    if (
        not call.as_json
        and not to_adopt
        and not to_restore
        and reconciliation.changes
        and takes.should_confirm(yes=yes)
    ):
        reconciliation = _review_changes(call, reconciliation)
        _show_end(reconciliation)
    else:
        call.print_answer(reconciliation, _show_all)
    raise typer.Exit(0 if reconciliation.clean else DIFFERENCES)


def _selection(name: str, ids: Sequence[str] | None, is_all: bool) -> Which:
    if ids and is_all:
        raise invalid_argument(name, f"--{name} and --{name}-all were both given", "Pass one of them.")
    return "all" if is_all else ids or ()


def _reconcile(call: Call, adopt: Which, restore: Which) -> Reconciliation:
    async def use(memory: Memory) -> Reconciliation:
        return await memory.upkeep.reconcile(
            adopt=await _resolve_ids(memory, adopt), restore=await _resolve_ids(memory, restore)
        )

    return call.use_memory(use, "Comparing")


async def _resolve_ids(memory: Memory, selection: Which) -> Which:
    return selection if selection == "all" else await naming.ids_of(memory, selection)


def _review_changes(call: Call, reconciliation: Reconciliation) -> Reconciliation:
    """Ask the user whether to adopt or undo each change, and apply the choices. Return the state after that."""
    chosen: dict[str, list[str]] = {"adopt": [], "restore": [], "skip": []}
    for change in reconciliation.changes:
        _show(change)
        answer = choose_answer(
            f"{_INDENT}What now:", [*(["adopt"] if change.adoptable else []), "restore", "skip", "quit"]
        )
        if answer == "quit":
            break
        chosen[answer].append(change.id)
    if not chosen["adopt"] and not chosen["restore"]:
        return reconciliation
    differing_ids = {change.id for change in _reconcile(call, (), ()).changes}
    adopt, restore = (_still_differing(chosen[answer], differing_ids) for answer in ("adopt", "restore"))
    result = _reconcile(call, adopt, restore)
    for change in result.changes:
        if change.settled is not None:
            _show_settled(change)
    return result


def _still_differing(chosen_ids: Sequence[str], differing_ids: Set[str]) -> list[str]:
    """Return the ids of the chosen changes that still exist.

    Also prints which changes were resolved in the meantime.
    """
    for change_id in chosen_ids:
        if change_id not in differing_ids:
            typer.echo(f"already resolved  {escape_line(change_id)}")
    return [change_id for change_id in chosen_ids if change_id in differing_ids]


def _show_all(reconciliation: Reconciliation) -> None:
    for change in reconciliation.changes:
        _show(change)
    _show_end(reconciliation)


def _show(change: HandChange) -> None:
    note_text = "" if change.what == "changed" else f"  ({change.what} outside graph-memory)"
    subject = " ".join(part for part in (change.type or change.kind, change.title) if part)
    typer.echo(f"{_MARKS[change.what]} {escape_line(change.id)}  {escape_line(subject)}{note_text}")
    for difference in change.differences:
        typer.echo(f"{_INDENT}{escape_line(difference)}")
    if change.settled is not None:
        _show_settled(change, indent=_INDENT)
    elif not change.adoptable:
        typer.echo(f"{_INDENT}Cannot be adopted: {escape_line(change.reason)}")


def _show_settled(change: HandChange, indent: str = "") -> None:
    text = f"{indent}{change.settled}  {escape_line(change.id)}"
    typer.echo(text + (f": {escape_line(change.reason)}" if change.settled == "refused" else ""))


def _show_end(reconciliation: Reconciliation) -> None:
    counts = {
        word: sum(change.settled == word for change in reconciliation.changes)
        for word in ("adopted", "restored", "refused")
    }
    outcomes = "".join(f", {count:,} {word}" for word, count in counts.items() if count)
    has_open = any(change.settled is None for change in reconciliation.changes)
    hint = " Resolve them with --adopt ID, --restore ID, --adopt-all or --restore-all." if has_open else ""
    note(f"{format_count(len(reconciliation.changes), 'change')} outside graph-memory{outcomes}.{hint}")
