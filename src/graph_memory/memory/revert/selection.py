"""Which events to revert, as callers name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import bounds, compacted, segments_of
from graph_memory.memory.history.log import compacted_sessions, session_of
from graph_memory.memory.revert.revert import Selection
from graph_memory.model.arguments import fault


async def of_events(
    core: Core, domain: str, event_ids: Sequence[str] | None, since: int | str | None, until: int | str | None
) -> Selection:
    """Return the events of these ids, or those from one point to another. Raises INVALID_ARGUMENT."""
    if (event_ids is None) == (since is None) or (event_ids is not None and until is not None):
        raise fault("event_ids", "It is not clear what to revert", "Give event_ids, or since and maybe until.")
    if event_ids is not None:
        return Selection(ids=tuple(dict.fromkeys(event_ids)))
    return await _between(core, domain, since, until)


async def of_session(core: Core, domain: str, session: str) -> Selection:
    """Return the events of a session. Raises HISTORY_COMPACTED when some of them were compacted."""
    wanted = session_of(core, session)
    if any(one.session == wanted for one in await compacted_sessions(core.store, domain)):
        raise compacted(domain, (await segments_of(core.store, domain))[0].compacted_to)
    return replace(await _between(core, domain, None, None), session=wanted)


async def _between(core: Core, domain: str, since: int | str | None, until: int | str | None) -> Selection:
    after, before = await bounds(core.store, domain, since, until)
    own = (await segments_of(core.store, domain))[0]
    asked = "" if since is None else f"from {since}" if until is None else f"{since} to {until}"
    return Selection(first=max(after, own.begins_at, own.compacted_to) + 1, last=before - 1, asked=asked)
