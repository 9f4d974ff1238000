"""Lines in and text out over descriptors, without a worker thread where nothing blocks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from graph_memory.mcp_server.transport.pipes import CHUNK, ROOM, LineReader, TextWriter

pytestmark = pytest.mark.anyio


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Both ends of a pipe. A test closes an end with `close`, so that the fixture closes no descriptor twice."""
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def close(end: int) -> None:
    """Close an end of the pipe, and keep its number taken."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, end)
    os.close(null)


async def lines_of(descriptor: int) -> list[str]:
    reader = LineReader(descriptor)
    results: list[str] = []
    while line := await reader.readline():
        results.append(line)
    assert await reader.readline() == ""
    return results


async def test_lines_come_whole_however_they_were_cut(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    long = "ü" * CHUNK

    async def write() -> None:
        for part in ("a\nb", "c\r\n\n", f"{long}\nlast"):
            await anyio.to_thread.run_sync(os.write, writing, part.encode())
            await anyio.sleep(0.01)
        close(writing)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        assert await lines_of(reading) == ["a\n", "bc\r\n", "\n", f"{long}\n", "last"]


async def test_a_file_on_disk_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"one\n\xff\xfe\ntwo")
    descriptor = os.open(tmp_path / "lines", os.O_RDONLY)
    try:
        assert await lines_of(descriptor) == ["one\n", "\ufffd\ufffd\n", "two"]
    finally:
        os.close(descriptor)


async def test_a_wait_for_a_line_can_be_given_up_and_nothing_is_lost(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    reader = LineReader(reading)
    os.write(writing, b"half")
    with anyio.move_on_after(0.05) as scope:
        await reader.readline()
    assert scope.cancelled_caught
    os.write(writing, b" a line\n")
    assert await reader.readline() == "half a line\n"


async def test_a_text_that_nobody_reads_can_be_given_up(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(TextWriter(writing).write, "x" * 1_000_000)
            await anyio.wait_readable(reading)  # else the thread might not have begun, and would then write nothing
            tasks.cancel_scope.cancel()
    left = 1_000_000
    while left:  # the thread that was left behind ends when all is read
        left -= len(await anyio.to_thread.run_sync(os.read, reading, CHUNK))


@pytest.mark.parametrize("size", [10, ROOM, ROOM + 1, 1_000_000])
async def test_text_of_any_size_arrives_while_others_go_on(pipe: tuple[int, int], size: int) -> None:
    reading, writing = pipe
    result, has_ticked = bytearray(), anyio.Event()

    async def tick() -> None:
        for _ in range(5):
            await anyio.sleep(0.001)
        has_ticked.set()

    async def read() -> None:
        await has_ticked.wait()  # until then, a text that is larger than the pipe waits to be read
        while len(result) < size + 1:
            result.extend(await anyio.to_thread.run_sync(os.read, reading, CHUNK))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tick)
            tasks.start_soon(read)
            await TextWriter(writing).write("x" * size + "\n")
    assert result == b"x" * size + b"\n"


async def test_whoever_writes_is_told_that_nobody_reads(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    close(reading)
    for size in (10, 1_000_000):
        with pytest.raises(BrokenPipeError):
            await TextWriter(writing).write("x" * size)
