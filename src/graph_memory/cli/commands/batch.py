"""`graph-memory batch`: many changes in one transaction, from a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import EXIT_STATUS, fault_line
from graph_memory.cli.input.options import DEFAULT_ROWS
from graph_memory.cli.output.printing import count_of, note, plain, undo_line
from graph_memory.memory.batch.results import BatchItem, BatchResult
from graph_memory.model.errors import Code
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.plain import Located, parse_json_strictly

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_KEYS = ("operations", "options", "idempotency_key", "idempotencyKey")


@command()
def batch(
    call: Call,
    source: Annotated[
        str,
        typer.Argument(metavar="FILE", help="FILE.json, FILE.jsonl with an operation on each line, or - for either."),
    ],
    atomic: Annotated[
        bool | None, typer.Option("--atomic/--no-atomic", help="All or nothing (default), or leave out what is faulty.")
    ] = None,
    first_fault: Annotated[
        bool, typer.Option("--first-fault", help="Report the first fault, not all of them.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be done.")] = False,
    key: Annotated[
        str | None,
        typer.Option("--idempotency-key", metavar="KEY", help="Any text: the same batch with it is made only once."),
    ] = None,
) -> None:
    """Make many changes in one transaction: all of them, or none. Exits with 65 if operations are at fault."""
    given = _read(source)
    flags = {"atomic": atomic, "validate_before_commit": False if first_fault else None, "dry_run": dry_run or None}
    options: dict[str, object] = {**given.options, **{name: flag for name, flag in flags.items() if flag is not None}}

    async def use(memory: Memory) -> BatchResult:
        return await memory.execute_batch(given.operations, options=options, idempotency_key=key or given.key)

    done = call.answer(use, _show, "Writing")
    raise typer.Exit(EXIT_STATUS[Code.BATCH_REFUSED] if done.faults else 0)


@dataclass(frozen=True, slots=True)
class _Given:
    """What a file asks for."""

    operations: Any
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    key: str | None = None


def _read(source: str) -> _Given:
    """Return what a file asks for. Raises INVALID_ARGUMENT."""
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise fault("file", f"Cannot read {plain(source)}: {error.strerror}", "Name a file that exists.") from error
    content = _lines(data) if source.endswith(".jsonl") else _json_or_lines(data, source)
    if isinstance(content, list):
        return _Given(cast("list[object]", content))
    fields = Located(content, "the file").fields(_KEYS)
    key, options = fields.get("idempotency_key", "idempotencyKey"), fields.get("options")
    said = {name: entry.value for name, entry in options.entries().items()} if options else {}
    return _Given(fields.need("operations").value, said, key.text() if key else None)


def _json_or_lines(data: bytes, source: str) -> object:
    try:
        content = parse_json_strictly(data)
    except ValueError as error:
        if source == "-" and b"\n" in data.strip():
            return _lines(data)
        hint = "Give {operations: […]} or a list as JSON, or one operation on each line of a file named .jsonl."
        raise fault("file", f"{plain(source)} is not JSON: {error}", hint) from error
    is_one = isinstance(content, dict) and "operations" not in content
    return [cast("object", content)] if is_one and source == "-" else cast("object", content)


def _lines(data: bytes) -> list[object]:
    results: list[object] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            try:
                results.append(parse_json_strictly(line))
            except ValueError as error:
                hint = "Give one operation as JSON on each line."
                raise fault("file", f"Line {number} is not JSON: {error}", hint) from error
    return results


def _show(done: BatchResult) -> None:
    faulty = {each.index for each in done.faults}
    made = [item for item in done.results if item.index not in faulty]
    for item in made[:DEFAULT_ROWS]:
        typer.echo(_line(item))
    if len(made) > DEFAULT_ROWS:
        note(f"… and {len(made) - DEFAULT_ROWS:,} more; --json gives all.")
    for each in done.faults[:DEFAULT_ROWS]:
        note(fault_line(each.model_dump(exclude_none=True)))
    if len(done.faults) > DEFAULT_ROWS:
        note(f"… and {len(done.faults) - DEFAULT_ROWS:,} more at fault; --json gives all.")
    counts = f"{done.created:,} created, {done.updated:,} updated, {done.deleted:,} deleted"
    refused = f", {count_of(done.refused, 'operation')} refused" if done.refused else ""
    if done.repeated:
        note(f"Made before, as {done.batch}: {counts}{refused}. Nothing was changed now.")
    elif done.batch is None:
        note(f"{'Dry run' if done.dry_run else 'Nothing was changed'}: {counts}{refused}.")
    else:
        note(f"{counts}{refused}. To undo: {undo_line(done.since, done.until)}")


def _line(item: BatchItem) -> str:
    named = [f"${item.ref}"] if item.ref else []
    version = [f"version {item.version}"] if item.version is not None else []
    return plain("  ".join([f"{item.index:>5}", f"{item.op:<17}", item.id or "-", *named, *version]))
