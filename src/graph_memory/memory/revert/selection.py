"""Parses the arguments that select the events to revert."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import bounds, compacted_error, last_seq, segments_of, unknown_event_error
from graph_memory.memory.history.log import compacted_sessions, session_of
from graph_memory.memory.revert.revert import Selection
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import ReadyCall
from graph_memory.model.time.points import parse_log_position
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NumberedRow:
    """An event's number and id."""

    seq: int
    id: str


EVENTS_BY_NUMBER = query("revert/numbered", NumberedRow)


async def select_events(
    core: Core, domain: str, event_ids: Sequence[int | str] | None, since: int | str | None, until: int | str | None
) -> Selection:
    """Return the selection of events by id, by log number or by range.

    Raises INVALID_ARGUMENT unless exactly one of `event_ids` and `since` is given, and EVENT_NOT_FOUND if an event does
    not exist.
    """
    if (event_ids is None) == (since is None) or (event_ids is not None and until is not None):
        hint = Hint("Pass {event_ids}, or since and optionally until.")
        raise invalid_argument(
            "event_ids", "The changes to revert must be selected either by event_ids or by since", hint
        )
    possible_arguments = {
        "event_ids": event_ids and list(map(str, event_ids)),
        "since": since,
        "until": until,
        "domain": domain,
    }
    arguments = {name: value for name, value in possible_arguments.items() if value is not None}
    call = ReadyCall(tool="memory_revert", arguments=arguments)
    if event_ids is not None:
        return Selection(ids=await _resolve_ids(core, domain, event_ids), call=call)
    await _check_since_exists(core, domain, since)
    return await _select_range(core, domain, call, since, until)


async def select_session(core: Core, domain: str, session: str) -> Selection:
    """Return the selection of a session's events. Raises HISTORY_COMPACTED if some were compacted."""
    session_id = session_of(core, session)
    if any(session.session == session_id for session in await compacted_sessions(core.store, domain)):
        raise compacted_error(domain, (await segments_of(core.store, domain))[0].compacted_to)
    call = ReadyCall(tool="memory_revert_session", arguments={"session_id": session_id, "domain": domain})
    return replace(await _select_range(core, domain, call, None, None), session=session_id)


async def _resolve_ids(core: Core, domain: str, values: Sequence[int | str]) -> tuple[str, ...]:
    """Return the ids of the events without duplicates. Each value is an event id or a log number."""
    texts = dict.fromkeys(str(value) for value in values)
    numbers = {text: int(text) for text in texts if _NUMBER.fullmatch(text)}
    if not numbers:
        return tuple(texts)
    rows = await core.store.read(EVENTS_BY_NUMBER, domain=domain, numbers=sorted({*numbers.values()}))
    ids = {row.seq: row.id for row in rows}
    if missing_seqs := {*numbers.values()} - ids.keys():
        raise unknown_event_error((await segments_of(core.store, domain))[:1], str(min(missing_seqs)))
    return tuple(dict.fromkeys(ids[numbers[text]] if text in numbers else text for text in texts))


async def _check_since_exists(core: Core, domain: str, since: int | str | None) -> None:
    """Raise EVENT_NOT_FOUND if `since` is a number greater than that of the log's last event."""
    number = parse_log_position("since", since, utc_now()).seq if since is not None else None
    if number is None:
        return
    last = await last_seq(core.store, domain)
    if number > last:
        hint = Hint("Pass an event number", " from {memory_log}", ".")
        message = f"Domain {domain} has no event {number}: its last event is {last}"
        raise GraphError(Code.EVENT_NOT_FOUND, message, {"hint": hint})


async def _select_range(
    core: Core, domain: str, call: ReadyCall, since: int | str | None, until: int | str | None
) -> Selection:
    after, before = await bounds(core.store, domain, since, until)
    segment = (await segments_of(core.store, domain))[0]
    range_text = "" if since is None else f"from {since}" if until is None else f"{since} to {until}"
    first = max(after, segment.begins_at, segment.compacted_to) + 1
    return Selection(first=first, last=before - 1, range_text=range_text, call=call)
