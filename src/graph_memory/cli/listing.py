"""Prints lists of nodes and connections, as JSON or as tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from graph_memory.cli.command import Call
from graph_memory.cli.output.printing import format_count, note
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import reader_at
from graph_memory.model.results import ConnectionIds, NodeIds, Result

if TYPE_CHECKING:
    from graph_memory.cli.session import Reader
    from graph_memory.memory.api.memory import Memory

F = TypeVar("F", bound=Result)
Find = Callable[["Memory", "Reader"], Awaitable[F]]
"""A function that searches its second argument, the memory or a past state. It resolves names with its first one."""


def list_nodes(call: Call, find: Find[NodeIds], as_of: str | None) -> None:
    """Print the nodes that `find` returns, with types and titles, or as JSON. `as_of` selects a past state."""

    def show(page: NodeIds) -> None:
        nodes = page.nodes or ()
        if any(node.domain for node in nodes):
            print_table(
                ("domain", "type", "title", "id"),
                [(node.domain or "", node.type, node.title, node.id) for node in nodes],
            )
        else:
            print_table(("type", "title", "id"), [(node.type, node.title, node.id) for node in nodes])
        note_count_and_cursor(len(nodes), "node", page.next_cursor)

    _list(call, find, as_of, show)


def list_connections(call: Call, find: Find[ConnectionIds], as_of: str | None) -> None:
    """Print the connections that `find` returns, with the titles of their endpoints, or as JSON. See `list_nodes`."""

    def show(page: ConnectionIds) -> None:
        connections = page.connections or ()
        rows = [
            (connection.from_title, connection.type, connection.to_title, connection.id) for connection in connections
        ]
        print_table(("from", "type", "to", "id"), rows)
        note_count_and_cursor(len(rows), "connection", page.next_cursor)

    _list(call, find, as_of, show)


def _list(call: Call, find: Find[F], as_of: str | None, show: Callable[[F], None]) -> None:
    async def use(memory: Memory) -> F:
        return await find(memory, await reader_at(memory, as_of))

    call.answer(use, show, "Searching")


def note_count_and_cursor(rows: int, noun: str, cursor: str | None) -> None:
    """Print the number of rows and the cursor for the next page to stderr."""
    more_hint = f" There are more: use --limit N or --cursor {cursor}" if cursor else ""
    note(f"{format_count(rows, noun)}.{more_hint}")
