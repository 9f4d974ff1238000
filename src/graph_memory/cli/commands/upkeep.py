"""`graph-memory verify`, `rebuild` and `blobs …`: looking after what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.input.options import DomainOption, JsonOption
from graph_memory.cli.output.printing import counted, note, print_json
from graph_memory.cli.session import with_memory
from graph_memory.model.results import Difference, Verification

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

DAY = 24 * 60 * 60.0

blobs_app = typer.Typer(help="Large and binary content, kept outside Neo4j.", no_args_is_help=True)


def verify(
    domain: DomainOption = None,
    every: Annotated[bool, typer.Option("--all", help="Every domain, whatever --domain names.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Replay a domain's log and compare it with the live graph; exits with 1 if they differ."""
    if every:
        return _verify_all(as_json=as_json)
    found = with_memory(lambda memory: memory.verify(domain=domain), "Verifying")
    _show(found, "difference", as_json=as_json)
    raise typer.Exit(0 if found.clean else DIFFERENCES)


def _verify_all(*, as_json: bool) -> None:
    async def use(memory: Memory) -> list[Verification]:
        return [await memory.verify(domain=one.name) for one in (await memory.list_domains()).domains]

    found = with_memory(use, "Verifying")
    if as_json:
        print_json({"domains": [one.to_dict() for one in found]})
    elif not found:
        note("No domain yet.")
    else:
        for one in found:
            _show(one, "difference", as_json=False)
    raise typer.Exit(0 if all(one.clean for one in found) else DIFFERENCES)


def rebuild(domain: DomainOption = None, as_json: JsonOption = False) -> None:
    """Repair the live graph of a domain from its log; exits with 1 if something could not be repaired."""
    found = with_memory(lambda memory: memory.rebuild(domain=domain), "Mending")
    left = found.unmended or ()
    _show(found, "difference", as_json=as_json)
    if not as_json:
        typer.echo(f"{len(found.differences) - len(left):,} repaired, {len(left):,} left.")
    if left and not as_json:
        typer.echo("What is left is not in the log either: restore the database or its blobs from a backup.", err=True)
    raise typer.Exit(DIFFERENCES if left else 0)


@blobs_app.command("gc")
def collect_blobs(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    grace: Annotated[float, typer.Option(min=0, help="Seconds to keep a blob without an owner.")] = DAY,
    as_json: JsonOption = False,
) -> None:
    """Remove the blobs that nothing in the log refers to."""
    found = with_memory(lambda memory: memory.collect_blobs(dry_run=dry_run, grace=grace), "Collecting")
    if as_json:
        return print_json(found)
    for blob in found.blobs:
        typer.echo(f"{blob.domain}/{blob.name}  {blob.bytes:,} bytes")
    done = "would be removed" if dry_run else "removed"
    return typer.echo(f"{counted(len(found.blobs), 'blob')} {done}.")


def _show(found: Verification, noun: str, *, as_json: bool) -> None:
    if as_json:
        return print_json(found)
    for difference in found.differences:
        typer.echo(_line(difference))
    compared = f"{counted(found.events, 'event')} replayed, {counted(found.subjects, 'subject')} compared"
    return typer.echo(f"{found.domain}: {compared}, {counted(len(found.differences), noun)}.")


def _line(difference: Difference) -> str:
    states = [("expected", difference.expected), ("found", difference.found)]
    found = "; ".join(f"{name} {state}" for name, state in states if state is not None)
    return f"{difference.kind} {difference.subject}: {difference.problem}" + (f" ({found})" if found else "")
