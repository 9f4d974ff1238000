"""The servers on one database: each records that it runs, and where it stores blobs."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError
from graph_memory.storage.blobs.blobs import Blobs
from graph_memory.storage.queries import query
from graph_memory.storage.store import Store, Transaction

RUNNING_MILLISECONDS = 30_000
"""Milliseconds after which a server that was not announced again counts as ended."""


@dataclass(frozen=True, slots=True)
class ServerRow:
    """A running server, and the id of the place of its blobs."""

    server: str
    place: str


ANNOUNCE = query("servers/announce", ServerRow)


class Servers:
    """The other servers on the database, as this server last read them."""

    def __init__(self) -> None:
        self.others = 0
        """Number of other servers."""
        self._place: str | None = None
        """The id of the place of this server's blobs, once it was read."""

    async def announce(self, store: Store, blobs: Blobs, server: str) -> None:
        """Record that this server runs, and count the others.

        Raises STORE_CONFLICT if the server that has run longest stores its blobs in another place.
        """
        place = self._place = self._place or await blobs.place_id()

        async def record(transaction: Transaction) -> list[ServerRow]:
            return await transaction.run(ANNOUNCE, server=server, place=place, milliseconds=RUNNING_MILLISECONDS)

        running = await store.write("announce", record)
        self.others = len(running) - 1
        if running[0].place != place:
            message = f"Other servers on this database do not store their blobs at {blobs.location}"
            hint = (
                "Set GRAPH_MEMORY_BLOB_URL of all servers to one shared folder or object store, and restart them. To "
                "change the place, stop all servers first."
            )
            raise GraphError(Code.STORE_CONFLICT, message, {"hint": hint})
