"""Prints the records of a source that were refused or left out, and the results of imports."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from graph_memory.cli.output.printing import command_line, count_of, plain
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.transfer.formats.records import Place
from graph_memory.memory.transfer.results import BlockCounts, MemoryImported, Refusal, Refusals, SourceNote


def show_findings(refused: Refusals, notes: Sequence[SourceNote]) -> None:
    """Print the first refused records, each with its place in the source, and notes on what was left out."""
    for refusal in refused.first:
        typer.echo(_refusal(refusal))
    if refused.count:
        more = refused.count - len(refused.first)
        typer.echo(f"Refused: {refused.count:,}{f' ({more:,} more than shown)' if more else ''}.\n")
    for note in notes:
        typer.echo(plain(f"{Place(note.file, note.line or 0)}: {note.text}."))


def show_memory_import(imported: MemoryImported) -> None:
    """Print the result of importing another program's memory."""
    if imported.blocks is not None:
        _show_blocks(imported, imported.blocks)
        return
    kinds = {"entities": imported.entities, "relations": imported.relations, "observations": imported.observations}
    rows = [[kind, f"{counts.new:,}", f"{counts.already_there:,}"] for kind, counts in kinds.items()]
    print_table([imported.format, "new", "already there"], rows)
    show_findings(imported.refused, imported.notes)
    entities = f"{imported.entities.new:,} {'entity' if imported.entities.new == 1 else 'entities'}"
    more = [count_of(imported.relations.new, "relation"), count_of(imported.observations.new, "observation")]
    new = ", ".join([entities, *more])
    _show_outcome(imported, new)


def _show_blocks(imported: MemoryImported, blocks: BlockCounts) -> None:
    row = ["blocks", f"{blocks.new:,}", f"{blocks.changed:,}", f"{blocks.already_there:,}"]
    print_table([imported.format, "new", "changed", "already there"], [row])
    show_findings(imported.refused, imported.notes)
    _show_outcome(imported, f"{count_of(blocks.new, 'new block')}, {count_of(blocks.changed, 'changed block')}")


def _show_outcome(imported: MemoryImported, new: str) -> None:
    if imported.dry_run:
        typer.echo(f"Nothing was written. Domain {imported.domain} would get {new}.")
    else:
        undo = command_line("revert", "--session", imported.session, domain=imported.domain) if imported.session else ""
        typer.echo(f"Imported into domain {imported.domain}: {new}.{undo and f' Undo it with `{undo}`.'}")


def _refusal(refusal: Refusal) -> str:
    place = Place(refusal.file, refusal.line or 0, refusal.column, refusal.element)
    return plain(f"{place}: {refusal.message}")
