"""`graph-memory batch`: makes many changes from a file in one transaction."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import EXIT_STATUS, fault_line
from graph_memory.cli.input.options import DEFAULT_ROWS
from graph_memory.cli.output.printing import escape_line, format_count, note, undo_command
from graph_memory.memory.batch.results import BatchItem, BatchResult
from graph_memory.model.errors import Code
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.plain import LocatedValue, parse_json_strictly

_KEYS = ("operations", "options", "idempotency_key", "idempotencyKey")


@command()
def batch(
    call: Call,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="FILE.json, FILE.jsonl with one operation per line, or - for standard input."
        ),
    ],
    atomic: Annotated[
        bool | None,
        typer.Option("--atomic/--no-atomic", help="Apply all or none (default), or skip invalid operations."),
    ] = None,
    first_fault: Annotated[bool, typer.Option("--first-fault", help="Report only the first error.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be done.")] = False,
    key: Annotated[
        str | None,
        typer.Option(
            "--idempotency-key",
            metavar="KEY",
            help="Any string. A batch whose key was used before is not applied again.",
        ),
    ] = None,
) -> None:
    """Make many changes in one transaction: all of them, or none. Exits with status 65 if an operation fails."""
    content = _read_batch_file(source)
    flags = {"atomic": atomic, "validate_before_commit": False if first_fault else None, "dry_run": dry_run or None}
    options: dict[str, object] = {**content.options, **{name: flag for name, flag in flags.items() if flag is not None}}

    result = call.answer(
        lambda memory: memory.execute_batch(content.operations, options=options, idempotency_key=key or content.key),
        _show,
        "Writing",
    )
    raise typer.Exit(EXIT_STATUS[Code.BATCH_REFUSED] if result.faults else 0)


@dataclass(frozen=True, slots=True)
class _BatchFile:
    operations: Any
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    key: str | None = None


def _read_batch_file(source: str) -> _BatchFile:
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise invalid_argument(
            "file", f"Cannot read {escape_line(source)}: {error.strerror}", "Pass the path of a file that exists."
        ) from error
    content = _parse_lines(data) if source.endswith(".jsonl") else _json_or_lines(data, source)
    if isinstance(content, list):
        return _BatchFile(cast("list[object]", content))
    fields = LocatedValue(content, "the file").fields(_KEYS)
    key, options = fields.get("idempotency_key", "idempotencyKey"), fields.get("options")
    values = {name: entry.value for name, entry in options.entries().items()} if options else {}
    return _BatchFile(fields.need("operations").value, values, key.text() if key else None)


def _json_or_lines(data: bytes, source: str) -> object:
    try:
        content = parse_json_strictly(data)
    except ValueError as error:
        if source == "-" and b"\n" in data.strip():
            return _parse_lines(data)
        hint = "Pass {operations: […]} or a list as JSON, or one operation on each line of a file named .jsonl."
        raise invalid_argument("file", f"{escape_line(source)} is not valid JSON: {error}", hint) from error
    is_operation = isinstance(content, dict) and "operations" not in content
    return [cast("object", content)] if is_operation and source == "-" else cast("object", content)


def _parse_lines(data: bytes) -> list[object]:
    operations: list[object] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            try:
                operations.append(parse_json_strictly(line))
            except ValueError as error:
                hint = "Pass one operation as JSON on each line."
                raise invalid_argument("file", f"Line {number} is not valid JSON: {error}", hint) from error
    return operations


def _show(result: BatchResult) -> None:
    faulty_indexes = {batch_fault.index for batch_fault in result.faults}
    applied = [item for item in result.results if item.index not in faulty_indexes]
    for item in applied[:DEFAULT_ROWS]:
        typer.echo(_render_item(item))
    if len(applied) > DEFAULT_ROWS:
        note(f"… and {len(applied) - DEFAULT_ROWS:,} more; --json prints all.")
    for batch_fault in result.faults[:DEFAULT_ROWS]:
        note(fault_line(batch_fault.model_dump(exclude_none=True)))
    if len(result.faults) > DEFAULT_ROWS:
        note(f"… and {len(result.faults) - DEFAULT_ROWS:,} more errors; --json prints all.")
    counts = f"{result.created:,} created, {result.updated:,} updated, {result.deleted:,} deleted"
    rejected_text = f", {format_count(result.refused, 'operation')} rejected" if result.refused else ""
    if result.repeated:
        note(f"Already applied, as {result.batch}: {counts}{rejected_text}. Nothing was changed now.")
    elif result.batch is None:
        note(f"{'Dry run' if result.dry_run else 'Nothing was changed'}: {counts}{rejected_text}.")
    else:
        note(f"{counts}{rejected_text}. To undo: {undo_command(result.since, result.until)}")


def _render_item(item: BatchItem) -> str:
    ref = [f"${item.ref}"] if item.ref else []
    version = [f"version {item.version}"] if item.version is not None else []
    return escape_line("  ".join([f"{item.index:>5}", f"{item.op:<17}", item.id or "-", *ref, *version]))
