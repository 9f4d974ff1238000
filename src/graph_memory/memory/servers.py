"""The servers of a database. Each records that it is running, and where it stores blobs."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError
from graph_memory.storage.blobs.blobs import Blobs
from graph_memory.storage.queries import query
from graph_memory.storage.store import Store, Transaction

RUNNING_MILLISECONDS = 30_000
"""Time in milliseconds after its last announcement until a server counts as stopped."""


@dataclass(frozen=True, slots=True)
class ServerRow:
    """A running server's id, and the id of the location where it stores blobs."""

    server: str
    place: str


ANNOUNCE = query("servers/announce", ServerRow)


class Servers:
    """Announces this server on the database, and counts the other running servers each time."""

    def __init__(self) -> None:
        self.others = 0
        """Number of other servers that were running when this server was last announced."""
        self._place: str | None = None
        """The id of the location where this server stores blobs, or None before it was read."""

    async def announce(self, store: Store, blobs: Blobs, server: str) -> None:
        """Record that this server is running, and count the other running servers.

        Raises STORE_CONFLICT if the longest-running server stores its blobs in another location.
        """
        place = self._place = self._place or await blobs.blob_store_id()

        async def record(transaction: Transaction) -> list[ServerRow]:
            return await transaction.run(ANNOUNCE, server=server, place=place, milliseconds=RUNNING_MILLISECONDS)

        running = await store.write("announce", record)
        self.others = len(running) - 1
        if running[0].place != place:
            message = f"Other servers on this database do not store their blobs at {blobs.location}"
            hint = (
                "Set GRAPH_MEMORY_BLOB_URL of all servers to one shared folder or object store, and restart them. To "
                "change the location, stop all servers first."
            )
            raise GraphError(Code.STORE_CONFLICT, message, {"hint": hint})
