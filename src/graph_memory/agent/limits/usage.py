"""Checks the numbers of nodes in a domain against its limits.

Calls that add nodes return a warning near a limit, and fail beyond it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

import anyio

from graph_memory.agent.limits.retention import Limits
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError

Limited = Literal["events", "patterns", "documents"]
_NEARLY_FULL = 0.9
"""Share of a limit above which calls warn, and above which a domain is pruned if the settings say so."""
_HINTS = {
    "events": "Archive the oldest with graph-memory agent prune, or raise GRAPH_MEMORY_AGENT_LIMITS.",
    "documents": "Archive the oldest with graph-memory agent prune, or raise GRAPH_MEMORY_AGENT_LIMITS.",
    "patterns": "Delete patterns that are no longer needed, or raise GRAPH_MEMORY_AGENT_LIMITS.",
}
_RECOUNT_AFTER = 1_000
"""Number of nodes that this process adds before it recounts the domain, to include nodes of other processes."""
_RECOUNT_AFTER_EXACT = 100
"""Number of added nodes before a recount if the last count was exact. Exact counts are made near a limit."""


@dataclass(slots=True)
class _Count:
    """The number of nodes of a type. In a short log, the number of changes is its upper bound."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    number: int | None = None
    is_exact: bool = False
    added: int = 0
    """Number of nodes that this process has added since the count."""
    pending: int = 0
    """Number of nodes that calls of this process are about to add."""

    @property
    def total(self) -> int:
        return (self.number or 0) + self.added


@dataclass(frozen=True, slots=True)
class Usage:
    """Compares the numbers of nodes in a domain with its limits. Calls `prune` if a limit is near."""

    memory: Memory
    cache: dict[tuple[str, str], object]
    domain: str
    limits: Limits
    prune: Callable[[Limited], None]

    @asynccontextmanager
    async def adding(self, name: Limited, node_type: str, new: int) -> AsyncGenerator[str | None]:
        """Count the `new` nodes that the block adds. Yields a warning if the limit is near, otherwise None.

        Raises MEMORY_LIMIT_REACHED.
        """
        count = cast("_Count", self.cache.setdefault((self.domain, f"number of {name}"), _Count()))
        async with count.lock:
            warning = await self._admit(count, name, node_type, new)
            count.added += new
            count.pending += new
        try:
            yield warning
        finally:
            count.pending -= new

    async def _admit(self, count: _Count, name: Limited, node_type: str, new: int) -> str | None:
        limit: int = getattr(self.limits, name)
        near = limit * _NEARLY_FULL
        recount_after = _RECOUNT_AFTER_EXACT if count.is_exact else _RECOUNT_AFTER
        if (
            count.number is None
            or count.added - count.pending >= recount_after
            or count.total + new > (limit if count.is_exact else near)
        ):
            pending = count.pending  # nodes that are written during the count may count twice, but are never missed
            count.number, count.is_exact = await self._count(node_type, near - new - pending)
            count.added = pending
        if count.total > near:
            self.prune(name)
        if count.total + new > limit:
            message = f"The domain has {count.total:,} {name}, and its limit of {limit:,} has no room for {new:,} more"
            raise GraphError(Code.MEMORY_LIMIT_REACHED, message, {"hint": _HINTS[name]})
        total = count.total + new
        return None if total <= near else f"The domain has {total:,} of at most {limit:,} {name}. {_HINTS[name]}"

    def recount(self) -> None:
        """Make the next addition count again, because nodes were deleted."""
        for name in get_args(Limited):
            if isinstance(count := self.cache.get((self.domain, f"number of {name}")), _Count):
                count.number = None

    async def _count(self, node_type: str, enough: float) -> tuple[int, bool]:
        """Return the number of nodes of the type, and whether it is exact.

        If the log has at most `enough` changes, their number is returned as an upper bound.
        """
        try:
            [last] = (await self.memory.history.log(limit=1)).entries
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return 0, False
        if last.seq <= enough:
            return last.seq, False
        return len((await self.memory.query_nodes(type=node_type)).node_ids), True
