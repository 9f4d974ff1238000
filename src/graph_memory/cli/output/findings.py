"""What of a source was refused or is left out, and what became of another program's memory."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from graph_memory.cli.output.printing import command_line, counted, plain
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.transfer.formats.records import Place
from graph_memory.memory.transfer.results import MemoryImported, Refusal, Refusals, SourceNote


def show_findings(refused: Refusals, notes: Sequence[SourceNote]) -> None:
    """Print the first of what was refused, each with its place, and what is left out."""
    for refusal in refused.first:
        typer.echo(_refusal(refusal))
    if refused.count:
        more = refused.count - len(refused.first)
        typer.echo(f"Refused: {refused.count:,}{f' ({more:,} more than shown)' if more else ''}.\n")
    for note in notes:
        typer.echo(plain(f"{Place(note.file, note.line or 0)}: {note.text}."))


def show_memory(done: MemoryImported) -> None:
    """Print what became of another program's memory."""
    kinds = {"entities": done.entities, "relations": done.relations, "observations": done.observations}
    rows = [[kind, f"{counts.new:,}", f"{counts.already_there:,}"] for kind, counts in kinds.items()]
    print_table([done.format, "new", "already there"], rows)
    show_findings(done.refused, done.notes)
    entities = f"{done.entities.new:,} {'entity' if done.entities.new == 1 else 'entities'}"
    more = [counted(done.relations.new, "relation"), counted(done.observations.new, "observation")]
    new = ", ".join([entities, *more])
    if done.dry_run:
        typer.echo(f"Nothing was written. Domain {done.domain} would get {new}.")
    else:
        undo = command_line("revert", "--session", done.session, domain=done.domain) if done.session else ""
        typer.echo(f"Imported into domain {done.domain}: {new}.{undo and f' Undo it with `{undo}`.'}")


def _refusal(refusal: Refusal) -> str:
    place = Place(refusal.file, refusal.line or 0, refusal.column, refusal.element)
    return plain(f"{place}: {refusal.message}")
