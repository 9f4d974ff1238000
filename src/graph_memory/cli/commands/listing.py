"""Lists of nodes and connections: the ids as JSON, or a table that says what they are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from graph_memory.cli.command import Call
from graph_memory.cli.output.printing import counted, local_time, note
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import reading
from graph_memory.model.results import ConnectionIds, ConnectionSummary, NodeIds, NodeSummary

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.past import Past


def list_nodes(call: Call, find: Callable[[Memory | Past], Awaitable[NodeIds]], as_of: str | None = None) -> None:
    """Print the nodes that are found in the memory, or in a past of it."""

    async def use(memory: Memory) -> tuple[NodeIds, tuple[NodeSummary, ...]]:
        reader = await reading(memory, as_of)
        found = await find(reader)
        return found, () if call.as_json else await reader.describe_nodes(found.node_ids)

    def show(found: NodeIds) -> None:
        if rows:
            print_table(
                ("id", "type", "title", "modified"),
                [(row.id, row.type, row.title, local_time(row.modified)) for row in rows],
            )
        _tell_end(len(rows), "node", found.next_cursor)

    found, rows = call.ask(use, "Searching")
    call.give(found, show)


def list_connections(call: Call, find: Callable[[Memory], Awaitable[ConnectionIds]]) -> None:
    """Print the connections that are found."""

    async def use(memory: Memory) -> tuple[ConnectionIds, tuple[ConnectionSummary, ...]]:
        found = await find(memory)
        return found, () if call.as_json else await memory.describe_connections(found.connection_ids)

    def show(found: ConnectionIds) -> None:
        if rows:
            print_table(
                ("id", "from", "type", "to", "modified"),
                [(row.id, row.from_title, row.type, row.to_title, local_time(row.modified)) for row in rows],
                whole=("id", "modified"),
            )
        _tell_end(len(rows), "connection", found.next_cursor)

    found, rows = call.ask(use, "Searching")
    call.give(found, show)


def _tell_end(rows: int, noun: str, cursor: str | None) -> None:
    """Say on stderr how many there were, and how to go on."""
    more = f" There are more: use --limit N or --cursor {cursor}" if cursor else ""
    note(f"{counted(rows, noun)}.{more}")
