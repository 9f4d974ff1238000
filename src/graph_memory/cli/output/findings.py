"""Prints a source's rejected and omitted records, and the results of imports."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from graph_memory.cli.output.printing import command_line, escape_line, format_count
from graph_memory.cli.output.tables import print_table
from graph_memory.file_memory.results import StoreImportResult
from graph_memory.memory.folder_sync.results import FolderSyncResult, SyncConflict, SyncCounts
from graph_memory.memory.transfer.formats.records import SourcePosition
from graph_memory.memory.transfer.results import (
    BlockCounts,
    MemoryImportResult,
    RejectedRecords,
    SourceNote,
)


def show_findings(rejected: RejectedRecords, notes: Sequence[SourceNote]) -> None:
    """Print the first rejected records with their positions in the source, and notes about omitted data."""
    for record in rejected.first:
        position = SourcePosition(record.file, record.line or 0, record.column, record.element)
        typer.echo(escape_line(f"{position}: {record.message}"))
    if rejected.count:
        more = rejected.count - len(rejected.first)
        typer.echo(f"Rejected: {rejected.count:,}{f' ({more:,} more than shown)' if more else ''}.\n")
    for note in notes:
        typer.echo(escape_line(f"{SourcePosition(note.file, note.line or 0)}: {note.text}."))


def show_memory_import(imported: MemoryImportResult) -> None:
    """Print the result of importing another program's memory."""
    if imported.blocks is not None:
        _show_blocks(imported, imported.blocks)
        return
    kinds = {"entities": imported.entities, "relations": imported.relations, "observations": imported.observations}
    rows = [[kind, f"{counts.new:,}", f"{counts.already_there:,}"] for kind, counts in kinds.items()]
    print_table([imported.format, "new", "already there"], rows)
    show_findings(imported.refused, imported.notes)
    entities = f"{imported.entities.new:,} {'entity' if imported.entities.new == 1 else 'entities'}"
    more = [format_count(imported.relations.new, "relation"), format_count(imported.observations.new, "observation")]
    new = ", ".join([entities, *more])
    _show_outcome(imported, new)


def _show_blocks(imported: MemoryImportResult, blocks: BlockCounts) -> None:
    row = ["blocks", f"{blocks.new:,}", f"{blocks.changed:,}", f"{blocks.already_there:,}"]
    print_table([imported.format, "new", "changed", "already there"], [row])
    show_findings(imported.refused, imported.notes)
    _show_outcome(imported, f"{format_count(blocks.new, 'new block')}, {format_count(blocks.changed, 'changed block')}")


def _show_outcome(imported: MemoryImportResult, new: str) -> None:
    if imported.secrets:
        typer.echo(f"Replaced {format_count(imported.secrets, 'secret')}.")
    if imported.dry_run:
        typer.echo(f"Nothing was written. Domain {imported.domain} would get {new}.")
    else:
        undo = command_line("revert", "--session", imported.session, domain=imported.domain) if imported.session else ""
        typer.echo(f"Imported into domain {imported.domain}: {new}.{undo and f' Undo it with `{undo}`.'}")


def show_store_import(imported: StoreImportResult, domain: str | None) -> None:
    """Print the result of importing a memory store."""
    rows = [
        [kind, f"{counts.new:,}", f"{counts.already_there:,}"]
        for kind, counts in (("files", imported.memories), ("versions", imported.versions))
    ]
    print_table(["memory-store", "new", "already there"], rows)
    for text in imported.notes:
        typer.echo(escape_line(f"{text}."))
    if imported.dry_run:
        typer.echo("Nothing was written.")
    elif imported.session:
        typer.echo(f"Undo it with `{command_line('revert', '--session', imported.session, domain=domain)}`.")


def show_sync(synced: FolderSyncResult) -> None:
    """Print the result of synchronising a folder."""
    for text in synced.notes:
        typer.echo(escape_line(f"{text}."))
    for conflict in synced.conflicts:
        typer.echo(escape_line(_render_conflict(conflict)))
    is_equal = not any(any(_change_counts(counts)) for counts in (synced.folder, synced.memory))
    if not is_equal:
        rows = [
            [side, *map(str, _change_counts(counts))]
            for side, counts in (("folder", synced.folder), ("memory", synced.memory))
        ]
        print_table(["changed in", "created", "updated", "deleted"], rows)
    left = sum(not conflict.settled for conflict in synced.conflicts)
    if left:
        hint = "Edit one side, or use --prefer folder or --prefer memory"
        typer.echo(f"{format_count(left, 'conflict')} left; neither side was changed. {hint}.")
    if synced.copies:
        typer.echo(f"Copies of replaced files are in {escape_line(synced.copies)}.")
    if synced.dry_run:
        typer.echo("Nothing was written.")
    elif synced.session:
        undo = command_line("revert", "--session", synced.session, domain=synced.domain)
        typer.echo(f"Undo the changes in the memory with `{undo}`, and sync again.")
    elif is_equal and not left:
        typer.echo(f"The folder and domain {synced.domain} are equal.")


def _change_counts(counts: SyncCounts) -> tuple[int, int, int]:
    return counts.created, counts.updated, counts.deleted


def _render_conflict(conflict: SyncConflict) -> str:
    place = f"{conflict.name} ({conflict.path})" if conflict.path else conflict.name
    verb = "Settled" if conflict.settled else "Conflict"
    return f"{verb}: {place}: {', '.join(conflict.fields)}"
