"""Standard input and output as the wire of a protocol: descriptors of our own, read and written with few hops.

A worker thread for each line and each answer costs more than most calls take. So the event loop itself waits for input
and reads it, and writes an answer that the pipe takes at once; only what could block goes to a worker thread.
"""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from typing import TYPE_CHECKING, cast

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from io import TextIOWrapper

CHUNK = 64 * 1024
"""Bytes that are read at once."""
ROOM = min(getattr(select, "PIPE_BUF", 512), 4_096)
"""Bytes that a pipe takes without blocking once it says that it can be written."""


def claim_stdin() -> int:
    """Return a descriptor of its own for standard input; whoever else reads standard input finds it empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        return _claim(sys.stdin.fileno(), nothing)
    finally:
        os.close(nothing)


def claim_stdout() -> int:
    """Return a descriptor of its own for standard output; what anybody else prints goes to standard error, at once."""
    sys.stdout.flush()
    cast("TextIOWrapper", sys.stdout).reconfigure(line_buffering=True)  # nothing is left in it when the process ends
    return _claim(sys.stdout.fileno(), sys.stderr.fileno())


def _claim(descriptor: int, instead: int) -> int:
    private = os.dup(descriptor)
    os.dup2(instead, descriptor)
    return private


class LineReader:
    """Lines of UTF-8 from a descriptor; what is no UTF-8 is read as the replacement character."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_awaitable = sys.platform != "win32"
        self._lines: deque[bytes] = deque()
        self._begun: list[bytes] = []

    async def readline(self) -> str:
        """Return the next line with its end, the last perhaps without; nothing at the end. It can be given up."""
        while not self._lines:
            chunk = await self._read()
            if not chunk:
                self._lines.append(b"".join(self._begun))
                self._begun = []
                break
            *whole, rest = chunk.split(b"\n")
            for part in whole:
                self._lines.append(b"".join([*self._begun, part, b"\n"]))
                self._begun = []
            self._begun += [rest] if rest else []
        return self._lines.popleft().decode("utf-8", errors="replace")

    async def _read(self) -> bytes:
        if self._is_awaitable:
            try:
                await anyio.wait_readable(self._descriptor)
                return os.read(self._descriptor, CHUNK)
            except PermissionError:  # a file on disk is always readable, and cannot be waited for
                self._is_awaitable = False
        return await anyio.to_thread.run_sync(os.read, self._descriptor, CHUNK, abandon_on_cancel=True)


class TextWriter:
    """Text to a descriptor, as UTF-8."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        """Write all of a text, unless it is given up. Raises BrokenPipeError when nobody reads any more."""
        data = text.encode("utf-8", errors="replace")
        if len(data) <= ROOM and self._has_room():
            data = data[os.write(self._descriptor, data) :]
        if data:
            await anyio.to_thread.run_sync(_write_all, self._descriptor, data, abandon_on_cancel=True)

    async def flush(self) -> None:
        """Do nothing: what was written is on its way."""

    def _has_room(self) -> bool:
        if sys.platform == "win32":
            return False
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        return any(event & select.POLLOUT for _, event in poll.poll(0))


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
