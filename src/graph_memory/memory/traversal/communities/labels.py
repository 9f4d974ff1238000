"""Starts the process that computes the community labels of a network's nodes."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from contextlib import suppress

import anyio
from anyio.abc import ByteReceiveStream, Process

from graph_memory.memory.background import task_group
from graph_memory.memory.traversal.communities.values import Network
from graph_memory.model.errors import Code, GraphError, Hint

COMMAND = [sys.executable, "-P", "-m", "graph_memory.memory.traversal.communities.leiden"]
"""With `-P`, Python does not import modules from the working directory, which may be another user's project."""


async def find_labels(network: Network) -> Sequence[int]:
    """Return each node's label. The process that computes the labels is killed if the call is cancelled.

    Raises INTERNAL if the process fails.
    """
    async with await anyio.open_process(COMMAND) as process:
        try:
            output, errors = await _exchange(process, network.encode())
        except BaseException:
            process.kill()  # closing the process would wait until it ends
            raise
    if process.returncode != 0:
        reason = errors.decode(errors="replace").strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
        raise computation_error(reason[0])
    labels = array("i", output)
    if len(labels) != len(network.numbers):
        raise computation_error(f"{len(labels):,} labels for {len(network.numbers):,} nodes")
    return labels


def computation_error(reason: str) -> GraphError:
    """Return the INTERNAL error of a failed computation."""
    hint = Hint("Repeat the call in a minute", ", or run {graph-memory doctor} to check the installation", ".")
    return GraphError(Code.INTERNAL, f"The communities could not be computed: {reason}", {"hint": hint})


async def _exchange(process: Process, data: bytes) -> tuple[bytes, bytes]:
    """Send data to the process. When it has ended, return its output and its errors."""
    assert process.stdin is not None  # noqa: S101 - all three are pipes
    assert process.stdout is not None  # noqa: S101
    assert process.stderr is not None  # noqa: S101
    output, errors = bytearray(), bytearray()
    async with task_group() as tasks:
        tasks.start_soon(_read, process.stdout, output)
        tasks.start_soon(_read, process.stderr, errors)
        with suppress(anyio.BrokenResourceError, OSError):  # it ended before it read everything: `errors` says why
            await process.stdin.send(data)
            await process.stdin.aclose()
    await process.wait()
    return bytes(output), bytes(errors)


async def _read(stream: ByteReceiveStream, received: bytearray) -> None:
    async for chunk in stream:
        received += chunk
