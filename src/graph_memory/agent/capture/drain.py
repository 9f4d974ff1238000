"""Stores spooled events in the log, each exactly once, and summaries of sessions when they end."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
_MAX_EVENTS_READ = 200
"""Maximum number of events that are read from the spool before they are stored."""
_TYPES: Mapping[Kind, tuple[str, str]] = {
    "prompt": ("message", "user"),
    "reply": ("message", "agent"),
    "tool": ("tool_call", "agent"),
    "summary": ("compact_summary", "agent"),
}
"""The event type and the actor under which events of a kind are stored. Events of other kinds are not stored."""
_KINDS: Mapping[tuple[str, str], Kind] = {types: kind for kind, types in _TYPES.items() if kind != "tool"}
"""The kind of each message, keyed by event type and actor."""
_MESSAGES = frozenset(_KINDS.values())
"""Kinds of events that have no client id in hooks. They are identified by text and time."""
_SLOT_SECONDS = 5.0
"""Length of a time slot in seconds.

Identical texts in one session and in the same or a neighbouring slot count as one message.
"""
_COMPARED_CHARACTERS = 1_000
"""Number of leading characters of messages that are compared, because hooks and imports truncate differently."""
_SUMMARISED_AFTER: frozenset[Kind] = frozenset({"compaction", "summary", "end"})
"""Kinds of events after which a session is summarised."""
_STORE_UNAVAILABLE = frozenset({Code.STORE_UNAVAILABLE, Code.STARTING, Code.TIMEOUT})
"""Error codes that mean that no event can be stored at the moment."""
_DOMAIN_UNAVAILABLE = frozenset({Code.DOMAIN_BUSY, Code.PROTECTED, Code.MEMORY_LIMIT_REACHED, Code.TYPE_LIMIT_REACHED})
"""Error codes that mean that the domain accepts no events at the moment. Other errors concern a single event."""
_log = logging.getLogger(__name__)
Waiting = tuple[str, HookEvent]
"""The name of a file in the spool, and the event in it."""


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
            _log.info("Captured events are waiting to be stored: %s", error)
        except Exception:  # noqa: BLE001 - an error in capture must not end the server, nor fill its log
            if not has_failed:
                _log.exception("Captured events are waiting to be stored, because of an unexpected failure")
            has_failed = True
        await anyio.sleep(INTERVAL)


async def drain(memory: Memory, spool: Spool, database: str = "") -> int:
    """Store the events in the spool, and return their number. Does nothing while another process stores them.

    If an event's domain cannot be written, the event stays in the spool. Raises STORE_UNAVAILABLE and OSError.
    """
    if not spool.folder.is_dir():
        return 0
    stored = 0
    try:
        with FileLock(spool.folder / "lock", timeout=0, thread_local=False):
            names = spool.names()
            for start in range(0, len(names), _MAX_EVENTS_READ):
                for group in _group_events(spool, names[start : start + _MAX_EVENTS_READ], database):
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
        scoped = scoped.in_session(first.session).acting_as(first.client)  # not in the session of this server
        await store_events(scoped, group)
        if any(event.kind in _SUMMARISED_AFTER for _, event in group):
            await summarise_session(scoped, first.session, Path(first.folder).name, with_model=True)
    except GraphError as error:
        is_of_one_database = "database" in error.details  # the other databases can store events
        if error.code in _STORE_UNAVAILABLE and not is_of_one_database:
            raise
        if error.code not in _DOMAIN_UNAVAILABLE and not is_of_one_database:
            if len(group) > 1:
                return sum([await _store_and_remove(memory, spool, [waiting]) for waiting in group])
            spool.set_aside(group[0][0])
            _log.warning("A captured event cannot be stored, and was set aside: %s", error)
            return 0
        _log.info("The captured events of a session are waiting to be stored: %s", error)
        return 0
    for name, _ in group:
        spool.remove(name)
    return len(group)


async def store_events(memory: Memory, group: Sequence[Waiting]) -> Sequence[HookEvent]:
    """Record the events that are not recorded yet, in one transaction, and return them.

    A message is recorded once, even if two hooks, or a hook and an import, captured it. If the node of an event was
    deleted, the event is not recorded again.
    """
    new_events = [(event, _record_of(id_, event)) for id_, event in await find_unknown(memory, group, set())]
    try:
        if new_events:
            await memory.agent.record_events([record for _, record in new_events])
    except GraphError as error:
        if error.code is not Code.NODE_ALREADY_EXISTS:
            raise
        return [event for event, record in new_events if await _store_if_new(memory, record)]
    return [event for event, _ in new_events]


async def find_unknown(
    memory: Memory, group: Sequence[Waiting], known_ids: set[str]
) -> Sequence[tuple[str, HookEvent]]:
    """Return the events that are not recorded yet, with their ids. Adds recorded and new ids to `known_ids`."""
    events = [(_ids_of(name, event), event) for name, event in group if event.kind in _TYPES]
    ids = {id_ for event_ids, _ in events for id_ in event_ids.all}
    known_ids |= await memory.history.used_ids([*ids]) if ids else set()
    without_key = [event for ids, event in events if ids.near and not event.key and known_ids.isdisjoint(ids.all)]
    known_ids |= await _message_ids(memory, without_key) if without_key else set()
    new_events: list[tuple[str, HookEvent]] = []
    for event_ids, event in events:
        if known_ids.isdisjoint(event_ids.all):
            known_ids |= {*event_ids.own}
            new_events.append((event_ids.own[0], event))
    return new_events


async def _message_ids(memory: Memory, captured: Sequence[HookEvent]) -> set[str]:
    """Return ids, made from text and time, of the session's stored messages from about the time of the captured ones.

    An imported message is stored under the client's id. Hooks do not receive this id.
    """
    slots = {_slot_of(event.at) + offset for event in captured for offset in (-1, 0, 1)}
    ids: set[str] = set()
    cursor = None
    while True:
        page = await memory.agent.episodic.get_recent(captured[0].session, cursor=cursor)
        dated_events = [(stored, _slot_of(stored.timestamp)) for stored in page.events if stored.timestamp != "?"]
        for stored, slot in dated_events:
            kind = _KINDS.get((stored.event_type, stored.actor))
            if kind is not None and slot in slots:
                text = await _text_of(memory, stored.id)
                ids.add(_id_of(captured[0], kind, f"{slot} {text[:_COMPARED_CHARACTERS]}"))
        cursor = page.next_cursor
        if cursor is None or (dated_events and dated_events[-1][1] < min(slots)):
            return ids


async def _text_of(memory: Memory, event: str) -> str:
    """Return the text of an event, or "" if it cannot be read, since that must not stop the capture of other events."""
    try:
        return str((await memory.get_node_content(event)).content)
    except GraphError as error:
        if error.code not in (Code.CONTENT_READ_FAILED, Code.NODE_NOT_FOUND):
            raise
        return ""


async def _store_if_new(memory: Memory, record: Mapping[str, object]) -> bool:
    try:
        await memory.agent.record_event(record)
    except GraphError as error:
        if error.code is not Code.NODE_ALREADY_EXISTS:
            raise
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Ids:
    """The ids that an event's node may have. The same event always gets the same ids."""

    own: Sequence[str]
    """The ids of exactly this event. The first is for a new node."""
    near: Sequence[str] = ()
    """The ids of a message with the same text, and a slightly different time."""

    @property
    def all(self) -> Sequence[str]:
        return [*self.own, *self.near]


def _ids_of(name: str, event: HookEvent) -> _Ids:
    """Return the ids of an event. The client's id comes first, because rules for secrets can change the text."""
    by_key = _id_of(event, event.kind, event.key or name)
    if event.kind not in _MESSAGES or not event.at or event.client not in CLIENTS:
        return _Ids([by_key])
    slot, text = _slot_of(event.at), event.text[:_COMPARED_CHARACTERS]
    by_text, *near = (_id_of(event, event.kind, f"{at} {text}") for at in (slot, slot - 1, slot + 1))
    return _Ids([by_key, by_text] if event.key else [by_text, by_key], near)


def _id_of(event: HookEvent, kind: Kind, identifier: str) -> str:
    text = json.dumps([event.client, event.session, kind, identifier])
    return f"hook-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}"


def _slot_of(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp() // _SLOT_SECONDS)


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
    """Run the queries of hooks once, because the first run takes longer than hooks wait."""
    await session_briefing(memory, None, None)
    try:
        node_ids = (await memory.query_nodes(limit=1)).node_ids
    except GraphError:
        return
    for node in await memory.describe_nodes(node_ids):
        await prompt_context(memory, node.title, None, ())
