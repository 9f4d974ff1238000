"""How a person names a node or a connection: by its id, the beginning of that, or its title."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from graph_memory.model.errors import GraphError
from graph_memory.model.events import is_whole
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.results import Named, Sessions

T = TypeVar("T")
MOST_SESSIONS = 10_000
"""Sessions among which one is looked for by the beginning of its name."""


async def id_of(memory: Memory, given: str, kind: Kind | None = None) -> str:
    """Return the id of what was named; what names nothing is returned as it is, for the memory to refuse.

    Raises INVALID_ARGUMENT, with the candidates, for what names several.
    """
    if is_whole(given):
        return given
    results = [named for named in await memory.history.named(given) if kind in (None, named.kind)]
    if len(results) > 1:
        raise _ambiguous(given, results)
    return results[0].id if results else given


async def node_id(memory: Memory, given: str) -> str:
    """Return the id of the node that was named, as `id_of` does."""
    return await id_of(memory, given, Kind.NODE)


async def ids_of(memory: Memory, given: Iterable[str]) -> list[str]:
    """Return the ids of what was named, as `id_of` does."""
    return [await id_of(memory, one) for one in given]


def of_any(given: str, use: Callable[[Memory, str], Awaitable[T]]) -> Callable[[Memory], Awaitable[T]]:
    """Return what asks a memory about a node or connection that was named, given what asks it by id."""
    return _of(given, use, None)


def of_node(given: str, use: Callable[[Memory, str], Awaitable[T]]) -> Callable[[Memory], Awaitable[T]]:
    """Return what asks a memory about a node that was named."""
    return _of(given, use, Kind.NODE)


def _of(given: str, use: Callable[[Memory, str], Awaitable[T]], kind: Kind | None) -> Callable[[Memory], Awaitable[T]]:
    async def asked(memory: Memory) -> T:
        return await use(memory, await id_of(memory, given, kind))

    return asked


async def session_id(memory: Memory, given: str) -> str:
    """Return the session that was named, as `session_named` does."""
    if is_whole(given):
        return given
    return session_named(given, await memory.history.sessions(limit=MOST_SESSIONS))


def session_named(given: str, found: Sessions) -> str:
    """Return the session that has a name, or whose name alone begins so; what names none stays as it is.

    Raises INVALID_ARGUMENT for the beginning of several.
    """
    known = {session.session for session in found.sessions if session.session}
    meant = [one for one in sorted(known) if one.startswith(given)]
    if given in known or not meant:
        return given
    if len(meant) > 1:
        raise fault("session", f"{quoted(given)} is the beginning of {len(meant)} sessions", "Give more of the name.")
    return meant[0]


def _ambiguous(given: str, results: Sequence[Named]) -> GraphError:
    candidates = [named.model_dump(include={"id", "type", "title"}, exclude_none=True) for named in results]
    error = fault("id", f"{quoted(given)} can mean several things", "Give the id of the one that you mean:")
    return GraphError(error.code, error.message, {**error.details, "candidates": candidates})
