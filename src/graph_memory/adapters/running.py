"""Code shared by all adapters: runs calls on a sync or an async memory, from threads with or without an event loop."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from anyio.to_thread import run_sync

from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import NodeType
from graph_memory.model.values.fields import LONGEST
from graph_memory.sync import SyncMemory

R = TypeVar("R")
_MAX_SEGMENT = 120
"""Maximum number of characters of a path segment, so that a path can have two of them."""


class Runner:
    """Calls async functions with a sync or an async memory, as one actor in one session."""

    def __init__(self, memory: Memory | SyncMemory, domain: str | None, actor: str | None, session: str | None) -> None:
        scoped = memory if domain is None else memory.in_domain(domain)
        self._memory: Memory | SyncMemory = scoped.acting_as(actor, session)
        self._loop = asyncio.get_running_loop() if isinstance(memory, Memory) else None

    async def arun(self, function: Callable[[Memory], Awaitable[R]], session: str | None = None) -> R:
        """Call an async function with the memory, and return its result. `session` replaces the runner's session."""
        memory, call = self._memory, _with_session(function, session)
        if not isinstance(memory, Memory):
            return await run_sync(memory.run, call)
        if self._loop is None or _running_loop() is self._loop:
            return await call(memory)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_await(call(memory)), self._loop))

    def run(self, function: Callable[[Memory], Awaitable[R]], session: str | None = None) -> R:
        """Call an async function with the memory from synchronous code, and return its result. See `arun`.

        Raises RuntimeError in the thread whose event loop runs the async memory.
        """
        memory, call = self._memory, _with_session(function, session)
        if not isinstance(memory, Memory):
            return memory.run(call)
        if self._loop is None or _running_loop() is self._loop:
            message = "A synchronous call would block the event loop of the memory. Use the async method, or open the"
            raise RuntimeError(f"{message} memory with open_memory_sync.")
        return asyncio.run_coroutine_threadsafe(_await(call(memory)), self._loop).result()


async def has_type(memory: Memory, node_type: NodeType) -> bool:
    """Return whether the domain exists and its ontology defines a node type with this name."""
    try:
        return (await memory.get_ontology()).find_node_type(node_type.name) is not None
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return False


def _with_session(function: Callable[[Memory], Awaitable[R]], session: str | None) -> Callable[[Memory], Awaitable[R]]:
    return lambda memory: function(memory.in_session(session) if session else memory)


async def _await(result: Awaitable[R]) -> R:
    return await result


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def path_of(labels: Sequence[str]) -> str:
    """Join labels into a path. Labels of more than 120 characters are replaced by their hashes.

    The path ends with a slash, so that it is not a prefix of a sibling's path.
    """
    return "/".join(["", *map(_segment_of, labels), ""])


def _segment_of(label: str) -> str:
    segment = label.replace("%", "%25").replace("/", "%2F")
    if len(segment) <= _MAX_SEGMENT:
        return segment
    return f"%{hashlib.sha256(label.encode(errors='surrogatepass')).hexdigest()}"  # no other segment begins like this


def title_of(text: str) -> str:
    """Return the text as a one-line title. The title is empty if the text has no printable character."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line[:LONGEST]
