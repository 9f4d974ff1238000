"""Texts that report the results of exports and imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_memory.cli.output.printing import escape_line, format_count
from graph_memory.memory.transfer.results import (
    ExportResult,
    FolderExportResult,
    FolderImportResult,
    GraphExportResult,
    ImportResult,
)

if TYPE_CHECKING:
    from graph_memory.agent.results import ConversationImportResult


def conversations_text(done: ConversationImportResult) -> str:
    """Return the lines that report how many events and sessions an import of conversations added."""
    verb = "Would import" if done.dry_run else "Imported"
    lines = [
        f"{verb} {format_count(done.events, 'event')} of {format_count(done.sessions, 'session')} of {done.format}"
        + f"; {done.added:,} {'are' if done.dry_run else 'were'} new.",
        *(f"  domain {name}: {format_count(count, 'event')}" for name, count in sorted(done.domains.items())),
    ]
    if done.secrets:
        lines.append(f"Replaced {format_count(done.secrets, 'secret')}.")
    if done.unreadable:
        lines.append(f"Skipped {format_count(done.unreadable, 'damaged line')}.")
    return "\n".join(lines)


def counts_text(result: FolderExportResult | FolderImportResult | GraphExportResult) -> str:
    """Return the numbers of nodes, connections and observations as text."""
    text = f"{format_count(result.nodes, 'node')}, {format_count(result.connections, 'connection')}"
    observations = 0 if isinstance(result, GraphExportResult) else result.observations
    return f"{text}, {format_count(observations, 'observation')}" if observations else text


def export_text(exported: ExportResult, target: str) -> str:
    """Return the line that reports the export of a domain to a file."""
    return (
        f"Exported domain {exported.domain} to {escape_line(target)}: {format_count(exported.events, 'event')}, "
        f"{format_count(exported.contents, 'content')}, up to number {exported.seq:,} of its log."
    )


def import_text(imported: ImportResult) -> str:
    """Return the line that reports the import of a domain from a file."""
    resumed = " It resumed where it was interrupted." if imported.resumed else ""
    return (
        f"Imported domain {imported.domain}: {format_count(imported.events, 'event')}, "
        f"{format_count(imported.subjects, 'subject')} in the graph.{resumed}"
    )
