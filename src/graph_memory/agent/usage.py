"""How close a domain is to its limits: a call that adds events, patterns or documents warns before it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from graph_memory.agent.retention import Limits
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError

Limited = Literal["events", "patterns", "documents"]
NEARLY_FULL = 0.9
"""Share of a limit above which calls warn, and above which a domain is pruned if the settings say so."""
_COUNT_AGAIN = 1_000
"""Number of additions by this process after which it counts again what other processes have added."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """A count of nodes. If the log is so short that no limit is near, it is the number of changes."""

    number: int
    is_exact: bool
    added: int = 0

    @property
    def total(self) -> int:
        return self.number + self.added


@dataclass(frozen=True, slots=True)
class Usage:
    """The numbers of nodes in a domain, beside its limits. `prune` is called if a limit is near."""

    memory: Memory
    cache: dict[tuple[str, str], object]
    domain: str
    limits: Limits
    prune: Callable[[], None]

    async def admit(self, name: Limited, node_type: str, new: int) -> str | None:
        """Count new nodes of a type, and return a warning if the limit is near. Raises MEMORY_LIMIT_REACHED."""
        limit: int = getattr(self.limits, name)
        near = limit * NEARLY_FULL
        key = self.domain, f"usage of {node_type}"
        counted = self.cache.get(key)
        if (
            not isinstance(counted, _Counted)
            or counted.added >= _COUNT_AGAIN
            or counted.total + new > (limit if counted.is_exact else near)
        ):
            counted = await self._count(node_type, near - new)
        total = counted.total + new
        if counted.total > near:
            self.prune()
        if total > limit:
            message = f"The domain has {counted.total:,} {name}, and its limit is {limit:,}"
            hint = "Archive the oldest with graph-memory agent prune, or raise GRAPH_MEMORY_AGENT_LIMITS."
            raise GraphError(Code.MEMORY_LIMIT_REACHED, message, {"hint": hint})
        self.cache[key] = replace(counted, added=counted.added + new)
        if total <= near:
            return None
        return f"The domain has {total:,} of at most {limit:,} {name}: graph-memory agent prune archives the oldest"

    async def _count(self, node_type: str, near: float) -> _Counted:
        """Count the nodes of a type, unless the log has too few changes for that many nodes."""
        try:
            [last] = (await self.memory.history.log(limit=1)).entries
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return _Counted(0, is_exact=False)
        if last.seq <= near:
            return _Counted(last.seq, is_exact=False)
        return _Counted(len((await self.memory.query_nodes(type=node_type)).node_ids), is_exact=True)
