"""An import that Ctrl-C ends while a thread reads the file: it ends as cancelled, with no other failure."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from threading import Event
from typing import Any

import pytest

from graph_memory.memory.transfer.archive import importing


class SlowReader:
    """A file whose next page takes until it is let go."""

    def __init__(self) -> None:
        self.reading, self.go_on = Event(), Event()

    def pages(self, _after: int, *, follows: bool) -> Generator[bool]:
        self.reading.set()
        self.go_on.wait(10)
        yield follows


def test_a_page_that_is_being_read_is_no_failure_of_its_own() -> None:
    reader: Any = SlowReader()

    async def read() -> None:
        async for _ in importing._pages(reader, 0):
            pass

    async def interrupt() -> None:
        task = asyncio.create_task(read())
        await asyncio.to_thread(reader.reading.wait, 10)
        task.cancel()  # as asyncio does at Ctrl-C, whatever shields there are
        with pytest.raises(asyncio.CancelledError):
            await task
        reader.go_on.set()

    asyncio.run(interrupt())
