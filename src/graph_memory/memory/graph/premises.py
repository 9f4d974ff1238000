"""The premises of inferred connections, and the premises that no longer hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.describe import states_of
from graph_memory.model.matching import is_valid_at
from graph_memory.storage.log.writing import utc_now

_SEPARATOR = " → "


def evidence_text(ids: Sequence[str]) -> str:
    """Return the ids of a connection's premises as the text in which they are stored."""
    return _SEPARATOR.join(ids)


def evidence_of(stored: Mapping[str, object]) -> tuple[str, ...]:
    """Return the ids of a connection's premises from its stored state. Empty if the connection was not inferred."""
    return tuple(cast("str", stored.get("_evidence") or "").split(_SEPARATOR)) if stored.get("_evidence") else ()


async def lost_premises(
    core: Core, domain: str, connection_ids: Sequence[str], at: int = END
) -> dict[str, tuple[str, ...]]:
    """Return the premises of each connection that are deleted or no longer valid at a log position."""
    inferred = await states_of(core, domain, connection_ids, at)
    evidence = {str(event["_subject"]): evidence_of(event) for event in inferred}
    premises = sorted({premise for ids in evidence.values() for premise in ids})
    now = utc_now()
    valid_premises = {
        str(event["_subject"]) for event in await states_of(core, domain, premises, at) if is_valid_at(event, now)
    }
    return {
        connection: tuple(premise for premise in ids if premise not in valid_premises)
        for connection, ids in evidence.items()
    }
