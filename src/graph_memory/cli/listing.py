"""Lists of nodes and connections: objects as JSON, or a table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from graph_memory.cli.command import Call
from graph_memory.cli.output.printing import counted, note
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import reading
from graph_memory.model.results import ConnectionIds, NodeIds, Result

if TYPE_CHECKING:
    from graph_memory.cli.session import Reader
    from graph_memory.memory.api.memory import Memory

F = TypeVar("F", bound=Result)
Find = Callable[["Memory", "Reader"], Awaitable[F]]
"""Finds in the memory, or in a past of it; names mean what they mean now."""


def list_nodes(call: Call, find: Find[NodeIds], as_of: str | None) -> None:
    """Print the nodes that are found, with their types and titles."""

    def show(page: NodeIds) -> None:
        nodes = page.nodes or ()
        if any(node.domain for node in nodes):
            print_table(
                ("domain", "type", "title", "id"),
                [(node.domain or "", node.type, node.title, node.id) for node in nodes],
            )
        else:
            print_table(("type", "title", "id"), [(node.type, node.title, node.id) for node in nodes])
        tell_end(len(nodes), "node", page.next_cursor)

    _list(call, find, as_of, show)


def list_connections(call: Call, find: Find[ConnectionIds], as_of: str | None) -> None:
    """Print the connections that are found, with the titles of their ends."""

    def show(page: ConnectionIds) -> None:
        connections = page.connections or ()
        rows = [
            (connection.from_title, connection.type, connection.to_title, connection.id) for connection in connections
        ]
        print_table(("from", "type", "to", "id"), rows)
        tell_end(len(rows), "connection", page.next_cursor)

    _list(call, find, as_of, show)


def _list(call: Call, find: Find[F], as_of: str | None, show: Callable[[F], None]) -> None:
    async def use(memory: Memory) -> F:
        return await find(memory, await reading(memory, as_of))

    call.answer(use, show, "Searching")


def tell_end(rows: int, noun: str, cursor: str | None) -> None:
    """Say on stderr how many there were, and how to go on."""
    more = f" There are more: use --limit N or --cursor {cursor}" if cursor else ""
    note(f"{counted(rows, noun)}.{more}")
