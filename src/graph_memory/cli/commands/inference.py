"""`graph-memory infer`: connections that follow from transitive types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import counted, note, undo_line
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.meaning.results import Inferred

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


@command()
def infer(
    call: Call,
    connection_type: takes.ConnectionTypeOption = None,
    max_depth: Annotated[int | None, typer.Option(help="Maximum number of connections in a row to infer from.")] = None,
    limit: Annotated[int | None, typer.Option(help="Maximum number of connections to write (default 1,000).")] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the missing connections. By default they are only listed.")
    ] = False,
) -> None:
    """List the connections that follow from transitive types. With --write, add the missing ones."""

    async def use(memory: Memory) -> Inferred:
        return await memory.infer_connections(
            connection_type=connection_type, max_depth=max_depth, limit=limit, dry_run=not write
        )

    call.answer(use, _show_inferred, "Inferring")


def _show_inferred(found: Inferred) -> None:
    rows = [(one.from_title, one.type, one.to_title, counted(len(one.evidence), "step")) for one in found.connections]
    print_table(("from", "type", "to", "follows from"), rows)
    done = "would be written; use --write" if found.dry_run else "written"
    note(f"{counted(len(rows), 'connection')} {done}.")
    if found.more:
        note(f"{found.more:,} more follow: raise --limit.")
    if found.refused:
        note(f"{counted(found.refused, 'other')} would break a rule of the ontology.")
    for one in found.unfounded:
        note(f"{one.connection_id} was inferred from what no longer holds: {', '.join(one.lost)}")
    if found.since is not None:
        note(f"To undo: {undo_line(found.since, found.until)}")
