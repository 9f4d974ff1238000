"""Stores spooled events in the log, each exactly once, and summaries of sessions when they end."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import anyio
from filelock import FileLock, Timeout

from graph_memory.agent.capture.briefing import prompt_context, session_briefing
from graph_memory.agent.capture.session_summary import summarise_session
from graph_memory.hooks.clients import CLIENTS, Kind
from graph_memory.hooks.events import LARGEST, HookEvent
from graph_memory.hooks.shown import clean_shown
from graph_memory.hooks.spool import Spool
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.subjects import SOURCE, TOOL
from graph_memory.project import domain_for

INTERVAL = 2.0
"""Seconds between two checks of the spool."""
_AT_ONCE = 200
"""Maximum number of events that are read before they are stored."""
_TYPES: Mapping[Kind, tuple[str, str]] = {
    "prompt": ("message", "user"),
    "reply": ("message", "agent"),
    "tool": ("tool_call", "agent"),
    "summary": ("compact_summary", "agent"),
}
"""Type and actor of the events that are stored, by kind. Other events only cause a summary."""
_MESSAGES: frozenset[Kind] = frozenset({"prompt", "reply", "summary"})
"""Kinds that clients do not name in hooks. Text and time identify them."""
_SLOT = 5.0
"""Seconds of a time slot. Equal texts of a session in the same slot, or in neighbouring ones, are one message."""
_COMPARED = 1_000
"""Number of characters of a message that are compared. A hook may cut a long text more than an import does."""
_ENDS: frozenset[Kind] = frozenset({"compaction", "summary", "end"})
"""Events after which a session is summarised."""
_AWAY = frozenset({Code.STORE_UNAVAILABLE, Code.STARTING, Code.TIMEOUT})
"""Errors after which no event can be stored for now."""
_CLOSED = frozenset({Code.DOMAIN_BUSY, Code.PROTECTED, Code.MEMORY_LIMIT_REACHED, Code.TYPE_LIMIT_REACHED})
"""Errors after which no event of the domain can be stored for now. Other errors are faults of an event."""
_log = logging.getLogger(__name__)
Waiting = tuple[str, HookEvent]
"""An event with the name of its file."""


async def follow_spool(memory: Memory, home: Path, database: str = "") -> None:
    """Store the events that hooks write to the spool for the given database. Runs until cancelled."""
    spool = Spool.of(home)
    is_warm = has_failed = False
    while True:
        try:
            await drain(memory, spool, database)
            if not is_warm and spool.folder.is_dir():
                is_warm = True
                await _warm(memory)
        except (GraphError, OSError) as error:
            _log.info("The events of hooks wait: %s", error)
        except Exception:  # noqa: BLE001 - a fault in capture must not end the server, nor fill its log
            if not has_failed:
                _log.exception("The events of hooks wait, because of an unexpected failure")
            has_failed = True
        await anyio.sleep(INTERVAL)


async def drain(memory: Memory, spool: Spool, database: str = "") -> int:
    """Store the waiting events, and return how many. Does nothing while another process stores them.

    If an event's domain cannot be written, the event stays in the spool. Raises STORE_UNAVAILABLE and OSError.
    """
    if not spool.folder.is_dir():
        return 0
    stored = 0
    try:
        with FileLock(spool.folder / "lock", timeout=0, thread_local=False):
            names = spool.names()
            for start in range(0, len(names), _AT_ONCE):
                for group in _group_events(spool, names[start : start + _AT_ONCE], database):
                    stored += await _store_and_remove(memory, spool, group)
            spool.clean()
            clean_shown(spool.folder)
    except Timeout:
        return 0
    return stored


def _group_events(spool: Spool, names: Sequence[str], database: str) -> Sequence[Sequence[Waiting]]:
    """Group the events by domain, client and session. Sets aside files that no hook has written."""
    groups: dict[tuple[str, str, str], list[Waiting]] = {}
    for name in names:
        try:
            event = HookEvent.from_json(spool.read(name, LARGEST))
            domain = domain_for(event.domain, Path(event.folder))
        except (ValueError, RuntimeError):
            spool.set_aside(name)
            continue
        except OSError as error:
            _log.info("The event %s cannot be read: %s", name, error)
            continue
        if event.database == database:
            groups.setdefault((domain, event.client, event.session), []).append((name, event))
    return list(groups.values())


async def _store_and_remove(memory: Memory, spool: Spool, group: Sequence[Waiting]) -> int:
    """Store the events of a session, and remove their files. Returns the number of events."""
    first = group[0][1]
    try:
        scoped = memory.in_domain(domain_for(first.domain, Path(first.folder)))
        scoped = scoped.acting_as(first.client, first.session)
        await store_events(scoped, group)
        if any(event.kind in _ENDS for _, event in group):
            await summarise_session(scoped, first.session, Path(first.folder).name, with_model=True)
    except GraphError as error:
        if error.code in _AWAY:
            raise
        if error.code not in _CLOSED:
            if len(group) > 1:
                return sum([await _store_and_remove(memory, spool, [waiting]) for waiting in group])
            spool.set_aside(group[0][0])
            _log.warning("An event of a hook cannot be stored, and was set aside: %s", error)
            return 0
        _log.info("The events of a session wait: %s", error)
        return 0
    for name, _ in group:
        spool.remove(name)
    return len(group)


async def store_events(memory: Memory, group: Sequence[Waiting]) -> int:
    """Record the events that are not recorded yet, in one transaction, and return how many.

    A message is recorded once, even if two hooks, or a hook and an import, captured it. If the node of an event was
    deleted, the event is not recorded again.
    """
    events = [(_ids_of(name, event), event) for name, event in group if event.kind in _TYPES]
    ids = {id_ for known_as, _ in events for id_ in known_as}
    known = {*(await memory.history.used_ids([*ids]) if ids else ())}
    unknown: list[Mapping[str, object]] = []
    for known_as, event in events:
        if known.isdisjoint(known_as):
            known |= {known_as[0], known_as[-1]}
            unknown.append(_record_of(known_as[0], event))
    try:
        if unknown:
            await memory.agent.record_events(unknown)
    except GraphError as error:
        if error.code is not Code.NODE_ALREADY_EXISTS:
            raise
        return sum([await _store_one(memory, record) for record in unknown])
    return len(unknown)


async def _store_one(memory: Memory, record: Mapping[str, object]) -> int:
    try:
        await memory.agent.record_event(record)
    except GraphError as error:
        if error.code is not Code.NODE_ALREADY_EXISTS:
            raise
        return 0
    return 1


def _ids_of(name: str, event: HookEvent) -> Sequence[str]:
    """Return the ids that the event's node may have. The first is for a new node, the last comes from `name`.

    The same event always gets the same ids.
    """
    names = [event.key or name]
    if event.kind in _MESSAGES and event.at and event.client in CLIENTS:
        slot = int(datetime.fromisoformat(event.at).timestamp() // _SLOT)
        names = [*(f"{near} {event.text[:_COMPARED]}" for near in (slot, slot - 1, slot + 1)), *names]
    identities = (json.dumps([event.client, event.session, event.kind, own]) for own in names)
    return [f"hook-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}" for text in identities]


def _record_of(id_: str, event: HookEvent) -> Mapping[str, object]:
    """Return the arguments of `Agent.record_event` for the captured event."""
    event_type, actor = _TYPES[event.kind]
    call = f"{event.tool}: {event.target}" if event.target else event.tool
    fields: dict[str, object] = {
        "id": id_,
        "event_type": event_type,
        "session": event.session,
        "actor": actor,
        **({"timestamp": event.at} if event.at else {}),
        "keywords": [event.client, *(["subagent"] if event.agent else [])],
        "content": event.text,
    }
    if event.kind == "tool":
        content = f"{call}\n{event.text}" if event.text else call
        fields |= {"content": content, "summary": call, "tool": event.tool, "outcome": event.outcome, SOURCE: TOOL}
        fields |= {} if event.duration_ms is None else {"duration_ms": event.duration_ms}
    return fields


async def _warm(memory: Memory) -> None:
    """Run the queries of hooks once, since hooks do not wait long enough for a first run."""
    await session_briefing(memory, None, None)
    try:
        last = (await memory.query_nodes(limit=1)).node_ids
    except GraphError:
        return
    for node in await memory.describe_nodes(last):
        await prompt_context(memory, node.title, None, ())
