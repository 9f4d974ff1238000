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
_WARNING_SHARE = 0.9
"""Share of a limit above which calls return a warning, and the domain is pruned if the settings enable it."""
_HINTS = {
    "events": "Archive the oldest with graph-memory agent prune, or raise GRAPH_MEMORY_AGENT_LIMITS.",
    "documents": "Archive the oldest with graph-memory agent prune, or raise GRAPH_MEMORY_AGENT_LIMITS.",
    "patterns": "Delete patterns that are no longer needed, or raise GRAPH_MEMORY_AGENT_LIMITS.",
}
_RECOUNT_AFTER = 1_000
"""Number of nodes that this process adds before it recounts the domain, to include nodes from other processes."""
_RECOUNT_AFTER_EXACT = 100
"""The value of `_RECOUNT_AFTER` after an exact count. Counts are exact only near a limit."""


@dataclass(slots=True)
class _Count:
    """The number of nodes of a type. If the log is short, its number of changes is used as an upper bound."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    number: int | None = None
    is_exact: bool = False
    added: int = 0
    """Number of nodes that this process has added since the nodes were counted."""
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
    async def count_added(self, name: Limited, node_type: str, new_count: int) -> AsyncGenerator[str | None]:
        """Count the `new_count` nodes that the `with` block adds. Yields a warning if the limit is near, or None.

        Raises MEMORY_LIMIT_REACHED if the domain would then exceed the limit.
        """
        count = cast("_Count", self.cache.setdefault((self.domain, f"number of {name}"), _Count()))
        async with count.lock:
            warning = await self._admit(count, name, node_type, new_count)
            count.added += new_count
            count.pending += new_count
        try:
            yield warning
        finally:
            count.pending -= new_count

    async def _admit(self, count: _Count, name: Limited, node_type: str, new_count: int) -> str | None:
        limit: int = getattr(self.limits, name)
        warning_threshold = limit * _WARNING_SHARE
        recount_after = _RECOUNT_AFTER_EXACT if count.is_exact else _RECOUNT_AFTER
        if (
            count.number is None
            or count.added - count.pending >= recount_after
            or count.total + new_count > (limit if count.is_exact else warning_threshold)
        ):
            pending = count.pending  # nodes that are written during the count may count twice, but are never missed
            count.number, count.is_exact = await self._count(node_type, warning_threshold - new_count - pending)
            count.added = pending
        if count.total > warning_threshold:
            self.prune(name)
        total = count.total + new_count
        if total > limit:
            message = f"The domain would have {total:,} {name}, over its limit of {limit:,}"
            raise GraphError(Code.MEMORY_LIMIT_REACHED, message, {"hint": _HINTS[name]})
        if total > warning_threshold:
            return f"The domain has {total:,} of at most {limit:,} {name}. {_HINTS[name]}"
        return None

    def recount(self) -> None:
        """Discard the counts, because nodes were deleted. The next addition counts the nodes again."""
        for name in get_args(Limited):
            if isinstance(count := self.cache.get((self.domain, f"number of {name}")), _Count):
                count.number = None

    async def _count(self, node_type: str, max_changes: float) -> tuple[int, bool]:
        """Return the number of nodes of the type, and whether it is exact.

        If the log has at most `max_changes` changes, their number is returned as an upper bound.
        """
        try:
            [last_entry] = (await self.memory.history.log(limit=1)).entries
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return 0, False
        if last_entry.seq <= max_changes:
            return last_entry.seq, False
        return len((await self.memory.query_nodes(type=node_type)).node_ids), True
