"""Resolves names that a person types for a node or connection: an id, a prefix of an id, or a title."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from graph_memory.model.errors import GraphError
from graph_memory.model.events import is_generated_id
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.results import Sessions

T = TypeVar("T")
MAX_SESSIONS = 10_000
"""Maximum number of sessions in which a prefix of a session id is looked up."""


async def id_of(memory: Memory, name: str, kind: Kind | None = None) -> str:
    """Return the id of the node or connection with this name, or the name itself if nothing has this name.

    If several have the name, raises INVALID_ARGUMENT and lists them.
    """
    if is_generated_id(name):
        return name
    matches = [match for match in await memory.history.named(name) if kind in (None, match.kind)]
    if len(matches) > 1:
        candidates = [match.model_dump(include={"id", "type", "title"}, exclude_none=True) for match in matches]
        error = invalid_argument("id", f"{quote(name)} is ambiguous", "Pass the id of one of these nodes:")
        raise GraphError(error.code, error.message, {**error.details, "candidates": candidates})
    return matches[0].id if matches else name


async def node_id(memory: Memory, name: str) -> str:
    """Return the id of the named node. See `id_of`."""
    return await id_of(memory, name, Kind.NODE)


async def ids_of(memory: Memory, names: Iterable[str]) -> list[str]:
    """Return the ids of the named nodes and connections. See `id_of`."""
    return [await id_of(memory, name) for name in names]


def with_id(
    name: str, use: Callable[[Memory, str], Awaitable[T]], kind: Kind | None = None
) -> Callable[[Memory], Awaitable[T]]:
    """Return a function that calls `use` with the memory and the id of the node or connection. See `id_of`."""

    async def call(memory: Memory) -> T:
        return await use(memory, await id_of(memory, name, kind))

    return call


def with_node_id(name: str, use: Callable[[Memory, str], Awaitable[T]]) -> Callable[[Memory], Awaitable[T]]:
    """Return a function that calls `use` with the memory and the id of the named node."""
    return with_id(name, use, Kind.NODE)


async def session_id(memory: Memory, name: str) -> str:
    """Return the id of the named session. See `session_named`."""
    if is_generated_id(name):
        return name
    return session_named(name, await memory.history.sessions(limit=MAX_SESSIONS))


def session_named(name: str, page: Sessions) -> str:
    """Return the session id that starts with the name. If the name is an id, or no id starts with it, return the name.

    Raises INVALID_ARGUMENT if several ids start with the name.
    """
    names = {session.session for session in page.sessions if session.session}
    matches = [full_name for full_name in sorted(names) if full_name.startswith(name)]
    if name in names or not matches:
        return name
    if len(matches) > 1:
        raise invalid_argument(
            "session",
            f"{quote(name)} matches {len(matches)} sessions",
            "Pass more characters of the session id.",
        )
    return matches[0]
