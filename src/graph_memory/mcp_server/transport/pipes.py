"""Reads lines from standard input and writes to standard output, with private descriptors and few thread switches.

Handing each line and each response to a worker thread would take longer than most calls. Therefore the event loop
itself waits for input and reads it. It also writes a response if the pipe has room. Only writes that could block run in
a worker thread.
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
"""Maximum number of bytes per read."""
ROOM = min(getattr(select, "PIPE_BUF", 512), 4_096)
"""Number of bytes that a writable pipe accepts without blocking."""


def claim_stdin() -> int:
    """Return a private descriptor for standard input. Other readers then see an empty standard input."""
    null_device = os.open(os.devnull, os.O_RDONLY)
    try:
        return _redirect(sys.stdin.fileno(), null_device)
    finally:
        os.close(null_device)


def claim_stdout() -> int:
    """Return a private descriptor for standard output.

    The output of other writers then goes to standard error, line by line.
    """
    sys.stdout.flush()
    cast("TextIOWrapper", sys.stdout).reconfigure(
        line_buffering=True
    )  # so that its buffer is empty when the process ends
    return _redirect(sys.stdout.fileno(), sys.stderr.fileno())


def _redirect(descriptor: int, replacement: int) -> int:
    private_descriptor = os.dup(descriptor)
    os.dup2(replacement, descriptor)
    return private_descriptor


class LineReader:
    """Reads UTF-8 lines from a descriptor. Invalid bytes become the replacement character."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_awaitable = sys.platform != "win32"
        self._lines: deque[bytes] = deque()
        self._partial_line: list[bytes] = []

    async def readline(self) -> str:
        """Return the next line with its line break, or an empty string at the end of the input. Can be cancelled."""
        while not self._lines:
            chunk = await self._read()
            if not chunk:
                self._lines.append(b"".join(self._partial_line))
                self._partial_line = []
                break
            *lines, partial_line = chunk.split(b"\n")
            for line in lines:
                self._lines.append(b"".join([*self._partial_line, line, b"\n"]))
                self._partial_line = []
            self._partial_line += [partial_line] if partial_line else []
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
    """Writes text to a descriptor as UTF-8."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        """Write the whole text, unless cancelled. Raises BrokenPipeError if the reader has closed the pipe."""
        data = text.encode("utf-8", errors="replace")
        if len(data) <= ROOM and self._has_room():
            data = data[os.write(self._descriptor, data) :]
        if data:
            await anyio.to_thread.run_sync(_write_all, self._descriptor, data, abandon_on_cancel=True)

    async def flush(self) -> None:
        """Do nothing, because nothing is buffered."""

    def _has_room(self) -> bool:
        if sys.platform == "win32":
            return False
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        return any(event & select.POLLOUT for _, event in poll.poll(0))


def _write_all(descriptor: int, data: bytes) -> None:
    unwritten = memoryview(data)
    while unwritten:
        unwritten = unwritten[os.write(descriptor, unwritten) :]
