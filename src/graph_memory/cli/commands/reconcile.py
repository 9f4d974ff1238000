"""`graph-memory reconcile`: what was changed by hand is adopted by the log, or undone."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.prompts import choose_answer
from graph_memory.cli.output.printing import count_of, note, plain
from graph_memory.memory.drift.results import HandChange, Reconciliation, Which
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_MARKS = {"made": "+", "deleted": "-", "changed": "~"}
_INDENT = "    "

AdoptOption = Annotated[
    list[str] | None, typer.Option("--adopt", metavar="ID", help="Adopt this change into the log. Repeatable.")
]
RestoreOption = Annotated[
    list[str] | None, typer.Option("--restore", metavar="ID", help="Restore what the log has. Repeatable.")
]


@command()
def reconcile(
    call: Call,
    adopt: AdoptOption = None,
    restore: RestoreOption = None,
    adopt_all: Annotated[bool, typer.Option("--adopt-all", help="Adopt all that the ontology allows.")] = False,
    restore_all: Annotated[
        bool, typer.Option("--restore-all", help="Restore the rest, except what lacks a domain or an id.")
    ] = False,
    yes: takes.YesOption = False,
) -> None:
    """Show what was changed outside graph-memory; adopt it or restore the log's state. Exits with 1 if some is left."""
    to_adopt, to_restore = _which("adopt", adopt, adopt_all), _which("restore", restore, restore_all)
    if to_restore and takes.should_confirm(yes=yes or call.as_json):
        takes.confirm("Restoring discards changes that the log does not have. Continue?")
    reconciliation = _done(call, to_adopt, to_restore)
    if (
        not call.as_json
        and not to_adopt
        and not to_restore
        and reconciliation.changes
        and takes.should_confirm(yes=yes)
    ):
        reconciliation = _settled_one_by_one(call, reconciliation)
        _show_end(reconciliation)
    else:
        call.print_answer(reconciliation, _show_all)
    raise typer.Exit(0 if reconciliation.clean else DIFFERENCES)


def _which(name: str, ids: Sequence[str] | None, every: bool) -> Which:
    if ids and every:
        raise fault(name, f"--{name} and --{name}-all were both given", "Give one of them.")
    return "all" if every else ids or ()


def _done(call: Call, adopt: Which, restore: Which) -> Reconciliation:
    async def use(memory: Memory) -> Reconciliation:
        return await memory.upkeep.reconcile(adopt=await _ids(memory, adopt), restore=await _ids(memory, restore))

    return call.ask(use, "Comparing")


async def _ids(memory: Memory, which: Which) -> Which:
    return which if which == "all" else await naming.ids_of(memory, which)


def _settled_one_by_one(call: Call, found: Reconciliation) -> Reconciliation:
    """Ask about each change, do what was chosen, and return what became of all."""
    chosen: dict[str, list[str]] = {"adopt": [], "restore": [], "skip": []}
    for change in found.changes:
        _show(change)
        answer = choose_answer(
            f"{_INDENT}What now:", [*(["adopt"] if change.adoptable else []), "restore", "skip", "quit"]
        )
        if answer == "quit":
            break
        chosen[answer].append(change.id)
    if not chosen["adopt"] and not chosen["restore"]:
        return found
    differing = {change.id for change in _done(call, (), ()).changes}
    adopt, restore = (_still(chosen[answer], differing) for answer in ("adopt", "restore"))
    done = _done(call, adopt, restore)
    for change in done.changes:
        if change.settled is not None:
            _show_settled(change)
    return done


def _still(chosen: Sequence[str], differing: Set[str]) -> list[str]:
    """Return what still differs; somebody may have settled the others while the person was asked."""
    for change in chosen:
        if change not in differing:
            typer.echo(f"already resolved  {plain(change)}")
    return [change for change in chosen if change in differing]


def _show_all(found: Reconciliation) -> None:
    for change in found.changes:
        _show(change)
    _show_end(found)


def _show(change: HandChange) -> None:
    what = "" if change.what == "changed" else f"  ({change.what} outside graph-memory)"
    typer.echo(f"{_MARKS[change.what]} {plain(change.id)}  {plain(_named(change))}{what}")
    for difference in change.differences:
        typer.echo(f"{_INDENT}{plain(difference)}")
    if change.settled is not None:
        _show_settled(change, indent=_INDENT)
    elif not change.adoptable:
        typer.echo(f"{_INDENT}Cannot be adopted: {plain(change.reason)}")


def _named(change: HandChange) -> str:
    return " ".join(part for part in (change.type or change.kind, change.title) if part)


def _show_settled(change: HandChange, indent: str = "") -> None:
    text = f"{indent}{change.settled}  {plain(change.id)}"
    typer.echo(text + (f": {plain(change.reason)}" if change.settled == "refused" else ""))


def _show_end(found: Reconciliation) -> None:
    counts = {word: sum(c.settled == word for c in found.changes) for word in ("adopted", "restored", "refused")}
    done = "".join(f", {count:,} {word}" for word, count in counts.items() if count)
    left = any(change.settled is None for change in found.changes)
    hint = " Resolve them with --adopt ID, --restore ID, --adopt-all or --restore-all." if left else ""
    note(f"{count_of(len(found.changes), 'change')} outside graph-memory{done}.{hint}")
