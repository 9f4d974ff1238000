"""A TCP proxy on loopback, between a client and a server on this machine, that fails as networks do."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

HOST = "127.0.0.1"
COMMIT = bytes.fromhex("0002B0120000")
"""The Bolt message that ends a transaction; a statement that is a transaction of its own comes without."""

_ROUTE = bytes.fromhex("B366")
"""The beginning of the Bolt message that asks for the members of a cluster. The driver sends it alone."""
_IGNORED = bytes.fromhex("0002B07E0000")
_BLOCK = 1 << 16
_QUIET = 1.0
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


def _answer_with(kind: int, **fields: object) -> bytes:
    """Return a Bolt message of a server."""
    message = bytes([0xB1, kind]) + _pack(fields)
    return len(message).to_bytes(2) + message + bytes(2)


def _pack(value: object) -> bytes:
    match value:
        case str():
            return bytes([0xD0, len(value)]) + value.encode()
        case int():
            return b"\xc9" + value.to_bytes(2)
        case list():
            items = cast("list[object]", value)
            return bytes([0x90 + len(items)]) + b"".join(map(_pack, items))
        case _:
            pairs = cast("dict[str, object]", value).items()
            return bytes([0xA0 + len(pairs)]) + b"".join(_pack(part) for pair in pairs for part in pair)


_SUCCESS, _FAILURE = 0x70, 0x7F
_NOT_A_LEADER = _answer_with(
    _FAILURE,
    neo4j_code="Neo.ClientError.Cluster.NotALeader",
    message="No write operations are allowed directly on this database.",
    gql_status="08N09",
    description="error: connection exception - request error.",
)


def _count_messages(block: bytes) -> int:
    """Return the number of Bolt messages in a block that contains only whole ones."""
    count = place = 0
    while place < len(block):
        size = int.from_bytes(block[place : place + 2])
        count, place = count + (size == 0), place + 2 + size
    return count


class Fault(StrEnum):
    """How a connection ends, or a request fails."""

    CUT = "cut"
    """Closed in order, as by a server that stops."""
    RESET = "reset"
    """Reset, as by a firewall that forgot it."""
    NOT_A_LEADER = "not a leader"
    """Refused, as by a server of a cluster that no longer takes writes. The connection stays."""


@dataclass
class Trap:
    """The fate of the connection on which the client next sends certain bytes."""

    marker: bytes
    fault: Fault
    answered: bool
    """Whether the server gets them, and has answered, before the connection ends."""
    sprung: asyncio.Event = field(default_factory=asyncio.Event)


class _End:
    """One end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def close(self, fault: Fault) -> None:
        """Close it, once or again."""
        if fault is Fault.RESET:
            with suppress(OSError):  # the other side may have closed it already
                self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self.writer.transport.abort()
        self.writer.close()


class _Link:
    """A connection of a client, carried on to the server."""

    def __init__(self, client: _End, server: _End) -> None:
        self.client = client
        self.server = server
        self.trap: Trap | None = None
        self.is_answered = False

    def end(self, fault: Fault) -> None:
        """End it on both sides."""
        for end in (self.client, self.server):
            end.close(fault)


class Proxy:
    """Carries bytes between its own port and that of a server. What it does to them can be changed at any moment."""

    def __init__(self, target: int) -> None:
        self.port = 0
        self.delay = 0.0
        """Seconds that every block waits, in each direction."""
        self.swallows = False
        """Whether answers are thrown away, while the connection stays."""
        self.faults = 0
        """How many connections were ended from here."""
        self.route = b""
        """The answer to a client that asks for the members of a cluster. Without it, the server answers."""
        self._target = target
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._trap: Trap | None = None
        self._server: asyncio.Server | None = None

    @property
    def uri(self) -> str:
        """The address as a Bolt client takes it."""
        return f"bolt://{HOST}:{self.port}"

    async def come(self) -> None:
        """Listen, on the same port as before."""
        self._server = await asyncio.start_server(self._carry, HOST, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def go(self, fault: Fault = Fault.CUT) -> None:
        """Stop listening and end every connection: from now on connections are refused."""
        if self._server:
            self._server.close()
            self._server = None
        self.end_all(fault)

    def end_all(self, fault: Fault = Fault.CUT) -> None:
        """End every connection that there is; new ones are taken."""
        for link in self._links:
            self.faults += 1
            link.end(fault)

    def trap(self, marker: bytes, fault: Fault, *, answered: bool) -> Trap:
        """Wait for bytes of a client, once."""
        self._trap = Trap(marker, fault, answered)
        return self._trap

    def show_cluster(self, leader: Proxy | None, follower: Proxy) -> None:
        """Tell clients from now on that a cluster has these members, and that this one knows them."""
        members = {"ROUTE": self, "READ": follower} | ({"WRITE": leader} if leader else {})
        servers = [{"role": role, "addresses": [f"{HOST}:{proxy.port}"]} for role, proxy in members.items()]
        self.route = _answer_with(_SUCCESS, rt={"ttl": 300, "db": "neo4j", "servers": servers})

    async def close(self) -> None:
        """End all that is left."""
        self.go()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        client = _End(reader, writer)
        try:
            with suppress(OSError, asyncio.CancelledError):  # asyncio reports a connection's task that was cancelled
                link = _Link(client, _End(*await asyncio.open_connection(HOST, self._target)))
                await self._carry_on(link)
        finally:
            self._tasks.discard(task)
            client.close(Fault.CUT)

    async def _carry_on(self, link: _Link) -> None:
        self._links.add(link)
        try:
            await asyncio.gather(self._carry_requests(link), self._back(link))
        finally:
            self._links.discard(link)
            link.end(Fault.CUT)

    async def _carry_requests(self, link: _Link) -> None:
        """Carry what the client says to the server."""
        with suppress(OSError):
            while block := await link.client.reader.read(_BLOCK):
                await asyncio.sleep(self.delay)
                if self.route and _ROUTE in block:
                    link.client.writer.write(self.route)
                    continue
                if self._trap and self._trap.marker in block:
                    link.trap, self._trap = self._trap, None
                    if link.trap.fault is Fault.NOT_A_LEADER:
                        await self._refuse(link, block)
                        continue
                    if not link.trap.answered:
                        break
                link.server.writer.write(block)
                await link.server.writer.drain()
        self._spring(link)
        link.end(Fault.CUT)

    async def _refuse(self, link: _Link, block: bytes) -> None:
        """Answer requests in the place of the server, which does not get them."""
        assert link.trap
        self.faults += 1
        link.trap.sprung.set()
        link.trap = None
        link.client.writer.write(_NOT_A_LEADER + _IGNORED * (_count_messages(block) - 1))
        await link.client.writer.drain()

    async def _back(self, link: _Link) -> None:
        """Carry what the server answers to the client."""
        with suppress(OSError):
            while block := await self._answer(link):
                await asyncio.sleep(self.delay)
                link.is_answered = link.trap is not None
                if not link.trap and not self.swallows:
                    link.client.writer.write(block)
                    await link.client.writer.drain()
        self._spring(link)
        link.end(Fault.CUT)

    async def _answer(self, link: _Link) -> bytes:
        """Return the bytes of the server; none once it has been quiet for a while after a trap."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_QUIET):
                    return await link.server.reader.read(_BLOCK)
            if link.trap and link.is_answered:
                return b""

    def _spring(self, link: _Link) -> None:
        if link.trap and not link.trap.sprung.is_set():
            self.faults += 1
            link.end(link.trap.fault)
            link.trap.sprung.set()


@asynccontextmanager
async def proxy_to(port: int) -> AsyncGenerator[Proxy]:
    """Give a proxy to a port of this machine."""
    proxy = Proxy(port)
    await proxy.come()
    try:
        yield proxy
    finally:
        await proxy.close()
