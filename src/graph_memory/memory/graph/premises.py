"""From which connections an inferred one follows, and whether it still does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.neighbours import states_of
from graph_memory.model.matching import holds_at
from graph_memory.storage.log.writing import utc_now

_NEXT = " → "


def evidence_text(ids: Sequence[str]) -> str:
    """Return what a connection keeps of the connections from which it was inferred."""
    return _NEXT.join(ids)


def evidence_of(stored: Mapping[str, object]) -> tuple[str, ...]:
    """Return the ids of the connections from which one was inferred, by its stored state."""
    return tuple(cast("str", stored.get("_evidence") or "").split(_NEXT)) if stored.get("_evidence") else ()


async def lost_premises(
    core: Core, domain: str, connection_ids: Sequence[str], at: int = END
) -> dict[str, tuple[str, ...]]:
    """Return which premises of each of these connections are gone, or no longer hold, after a number of the log."""
    inferred = await states_of(core, domain, connection_ids, at)
    evidence = {str(event["_subject"]): evidence_of(event) for event in inferred}
    premises = sorted({one for several in evidence.values() for one in several})
    now = utc_now()
    holding = {str(event["_subject"]) for event in await states_of(core, domain, premises, at) if holds_at(event, now)}
    return {connection: tuple(one for one in several if one not in holding) for connection, several in evidence.items()}
