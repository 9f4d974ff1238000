"""The state of a domain that a recall or traversal reads: the current state, or the state after an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.plan import node_not_found_error
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, resolve_revision
from graph_memory.memory.graph.connection_weights import ConnectionWeigher, create_weigher
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions
from graph_memory.memory.graph.empty_result_warnings import unknown_types
from graph_memory.memory.history.past import Past, check_kept, weigher_at
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.store import check_text


@dataclass(frozen=True, slots=True)
class DomainState:
    """A domain in its current state, or in its state after event number `at`."""

    core: Core
    domain: str
    at: int | None

    @property
    def number(self) -> int:
        """The number of the event whose state is read. For the current state, it is higher than every event number."""
        return END - 1 if self.at is None else self.at

    async def load_weigher(self) -> ConnectionWeigher:
        """Return the weigher that computes connection weights in this state."""
        if self.at is None:
            return await create_weigher(self.core, self.domain)
        return await weigher_at(self.core, self.domain, self.at)

    async def read_nodes(self, ids: Sequence[str]) -> dict[str, DescribedRow]:
        """Return nodes by id. Missing nodes are omitted. Raises HISTORY_COMPACTED if the state is no longer stored."""
        rows = {row.id: row for row in await fetch_descriptions(self.core, self.domain, Kind.NODE, ids, self.number)}
        if self.at is not None:
            await check_kept(self.core, self.domain, self.at)
        return rows

    async def require_nodes(self, ids: Sequence[str]) -> dict[str, DescribedRow]:
        """Return nodes by id.

        Raises NODE_NOT_FOUND if a node is missing, and ONTOLOGY_NOT_FOUND if the domain does not exist.
        """
        for node_id in ids:
            check_text({"id": node_id})
        if self.at is None and await self.core.log.ontology(self.domain) is None:
            raise no_ontology_error(self.domain)
        rows = await self.read_nodes(ids)
        for node_id in ids:
            if node_id not in rows and self.at is not None:
                # This raises the exact error: the node did not exist at that point, or was erased.
                await Past(self.core, self.domain, self.at).get_node(node_id)
            if node_id not in rows:
                raise node_not_found_error(self.domain, node_id)
        return rows

    async def warn_of_unknown_types(self, types: Sequence[str]) -> list[str]:
        """Return a warning for each unknown type name."""
        return list(await unknown_types(self.core, self.domain, types) or ())


async def domain_state_at(core: Core, domain: str, as_of: int | str | None) -> DomainState:
    """Return the domain's state at a point in time. For None, return its current state.

    Raises the same errors as `resolve_revision`.
    """
    if as_of is None:
        return DomainState(core, domain, None)
    revision = await resolve_revision(core.store, domain, "as_of", as_of)
    return DomainState(core, revision.domain, revision.seq)
