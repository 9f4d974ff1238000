"""Lists of nodes and connections: the ids as JSON, or a table that says what they are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from graph_memory.cli.output.printing import counted, local_time, note, print_json
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import Where, reading, with_memory
from graph_memory.model.results import ConnectionIds, ConnectionSummary, NodeIds, NodeSummary

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


def list_nodes(
    find: Callable[[Any, Where], Awaitable[NodeIds]], domain: str | None, *, as_json: bool, as_of: str | None = None
) -> None:
    """Print the nodes that are found: by `find(memory, where)`, or in a past of it."""

    async def use(memory: Memory) -> tuple[NodeIds, tuple[NodeSummary, ...]]:
        reader, where = await reading(memory, domain, as_of)
        found = await find(reader, where)
        return found, () if as_json else await reader.describe_nodes(found.node_ids, **where)

    found, rows = with_memory(use, "Searching")
    if as_json:
        return print_json(found)
    if rows:
        print_table(
            ("id", "type", "title", "modified"),
            [(row.id, row.type, row.title, local_time(row.modified)) for row in rows],
        )
    return _tell_end(len(rows), "node", found.next_cursor)


def list_connections(find: Callable[[Memory], Awaitable[ConnectionIds]], domain: str | None, *, as_json: bool) -> None:
    """Print the connections that are found."""

    async def use(memory: Memory) -> tuple[ConnectionIds, tuple[ConnectionSummary, ...]]:
        found = await find(memory)
        return found, () if as_json else await memory.describe_connections(found.connection_ids, domain=domain)

    found, rows = with_memory(use, "Searching")
    if as_json:
        return print_json(found)
    if rows:
        print_table(
            ("id", "from", "type", "to", "modified"),
            [(row.id, row.from_title, row.type, row.to_title, local_time(row.modified)) for row in rows],
            whole=("id", "modified"),
        )
    return _tell_end(len(rows), "connection", found.next_cursor)


def _tell_end(rows: int, noun: str, cursor: str | None) -> None:
    """Say on stderr how many there were, and how to go on."""
    more = f" There are more: use --limit N or --cursor {cursor}" if cursor else ""
    note(f"{counted(rows, noun)}.{more}")
