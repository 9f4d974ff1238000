"""Reads nodes, including deleted ones, with all their texts in the log, to find the nodes that must be erased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.storage.queries import query
from graph_memory.storage.store import LONG_READ_SECONDS


@dataclass(frozen=True, slots=True)
class LoggedNode:
    """A node with its session and project, if it has them, and the texts of its states."""

    id: str
    type: str
    session: str | None
    project: str | None
    texts: Sequence[str]

    @property
    def text(self) -> str:
        """All texts, each on its own line."""
        return "\n".join(self.texts)


LOGGED_NODES = query("retention/logged_nodes", LoggedNode)


async def logged_nodes(
    core: Core, domain: str, types: Sequence[str], session: str | None, text: str | None
) -> Sequence[LoggedNode]:
    """Return the nodes of the given types that are not erased. See `History.logged_nodes`."""
    folded = None if text is None else text.lower()
    return await core.store.read_within(
        LONG_READ_SECONDS, LOGGED_NODES, domain=domain, types=list(types), session=session, text=folded
    )
