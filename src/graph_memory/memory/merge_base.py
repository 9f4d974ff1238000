"""Where two domains come from in common: the latest state that both of them include."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.lineage import Place
from graph_memory.model.arguments import fault
from graph_memory.model.subjects import DomainState
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """An event of a log, and what was last told of the domain until there."""

    event: str
    at: datetime
    about: dict[str, object]


PLACE = query("merge/place", PlaceRow)


async def base_of(reader: Reader, source: Place, target: Place) -> Place:
    """Return the latest state that both domains include. Raises INVALID_ARGUMENT when there is none.

    A domain includes its own states, those of the domain that it was made from until then, those of what was merged
    into it until that was, and what these included. Of several that both include, any will do: the later it is, the
    less is taken for changed on both sides.
    """
    one, other = await included(reader, source), await included(reader, target)
    shared = [Place(name, min(one[name], other[name])) for name in one.keys() & other.keys()]
    timed = [(row.at, place.seq, place.domain) for place in shared if (row := await _told(reader, place))]
    if not timed:
        message = f"Domains {source.domain} and {target.domain} have no history in common"
        hint = "A branch and what it was made from can be merged, and two branches of one domain."
        raise fault("source", message, hint)
    _, seq, name = max(timed)
    return Place(name, seq)


async def included(reader: Reader, place: Place) -> Mapping[str, int]:
    """Return until which number a state includes the log of each domain."""
    found: dict[str, int] = {}
    waiting: list[tuple[Place, str | None]] = [(place, None)]
    while waiting:
        place, event = waiting.pop()
        row = await _told(reader, place)
        if row is None or event not in (None, row.event) or found.get(place.domain, 0) >= place.seq:
            continue
        found[place.domain] = place.seq
        state = DomainState.from_state(row.about)
        if state.forked_from is not None:
            waiting.append((Place(state.forked_from, state.forked_at or 0), None))
        waiting += [(Place(name, told["source_seq"]), told["event"]) for name, told in merges_of(state).items()]
    return found


async def noted(reader: Reader, source: Place, target: Place, own_seq: int) -> tuple[DomainState, int]:
    """Return what is to be told of the target once it includes a state, and the number of the event that told it last.

    The event in the source is told by its id too: another domain may get that name one day.
    """
    merged, into = await _told(reader, source), await _told(reader, target)
    state = DomainState.from_state(cast("PlaceRow", into).about)
    own = {"source_seq": source.seq, "own_seq": own_seq, "event": cast("PlaceRow", merged).event}
    merges = json.dumps({**merges_of(state), source.domain: own}, sort_keys=True)
    return replace(state, merges=merges), cast("int", cast("PlaceRow", into).about["_seq"])


def merges_of(state: DomainState) -> Mapping[str, Any]:
    """Return what was merged into a domain: by its name, until which event, and where that is in the own log."""
    return json.loads(state.merges) if state.merges else {}


async def _told(reader: Reader, place: Place) -> PlaceRow | None:
    return await reader.one(PLACE, domain=place.domain, seq=place.seq)
