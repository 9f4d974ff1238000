"""Which events to revert, as callers name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import bounds, compacted, last_seq, no_event, segments_of
from graph_memory.memory.history.log import compacted_sessions, session_of
from graph_memory.memory.revert.revert import Selection
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import ReadyCall
from graph_memory.model.time.points import moment
from graph_memory.model.values.arguments import fault
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NumberedRow:
    """The number of an event, and its id."""

    seq: int
    id: str


NUMBERED = query("revert/numbered", NumberedRow)


async def of_events(
    core: Core, domain: str, event_ids: Sequence[int | str] | None, since: int | str | None, until: int | str | None
) -> Selection:
    """Return the events of these ids or numbers, or those from one point to another.

    Raises INVALID_ARGUMENT and EVENT_NOT_FOUND.
    """
    if (event_ids is None) == (since is None) or (event_ids is not None and until is not None):
        hint = Hint("Give {event_ids}, or since and maybe until.")
        raise fault("event_ids", "It is not clear what to revert", hint)
    given = {"event_ids": event_ids and list(map(str, event_ids)), "since": since, "until": until, "domain": domain}
    arguments = {name: value for name, value in given.items() if value is not None}
    call = ReadyCall(tool="memory_revert", arguments=arguments)
    if event_ids is not None:
        return Selection(ids=await _ids(core, domain, event_ids), call=call)
    await _check_reached(core, domain, since)
    return await _between(core, domain, call, since, until)


async def of_session(core: Core, domain: str, session: str) -> Selection:
    """Return the events of a session. Raises HISTORY_COMPACTED when some of them were compacted."""
    wanted = session_of(core, session)
    if any(session.session == wanted for session in await compacted_sessions(core.store, domain)):
        raise compacted(domain, (await segments_of(core.store, domain))[0].compacted_to)
    call = ReadyCall(tool="memory_revert_session", arguments={"session_id": wanted, "domain": domain})
    return replace(await _between(core, domain, call, None, None), session=wanted)


async def _ids(core: Core, domain: str, values: Sequence[int | str]) -> tuple[str, ...]:
    """Return the ids of events that are named by these, or by their numbers in the log; each once."""
    texts = dict.fromkeys(str(value) for value in values)
    numbers = {text: int(text) for text in texts if _NUMBER.fullmatch(text)}
    if not numbers:
        return tuple(texts)
    rows = await core.store.read(NUMBERED, domain=domain, numbers=sorted({*numbers.values()}))
    ids = {row.seq: row.id for row in rows}
    if missing := {*numbers.values()} - ids.keys():
        raise no_event((await segments_of(core.store, domain))[:1], str(min(missing)))
    return tuple(dict.fromkeys(ids[numbers[text]] if text in numbers else text for text in texts))


async def _check_reached(core: Core, domain: str, since: int | str | None) -> None:
    """Raise EVENT_NOT_FOUND for a number that the log has not reached."""
    number = moment("since", since, utc_now()).seq if since is not None else None
    if number is None:
        return
    last = await last_seq(core.store, domain)
    if number > last:
        hint = Hint("Give the number of a change that {memory_log} shows.")
        raise GraphError(Code.EVENT_NOT_FOUND, f"The log of domain {domain} ends at {last}", {"hint": hint})


async def _between(
    core: Core, domain: str, call: ReadyCall, since: int | str | None, until: int | str | None
) -> Selection:
    after, before = await bounds(core.store, domain, since, until)
    own = (await segments_of(core.store, domain))[0]
    asked = "" if since is None else f"from {since}" if until is None else f"{since} to {until}"
    first = max(after, own.begins_at, own.compacted_to) + 1
    return Selection(first=first, last=before - 1, asked=asked, call=call)
