"""Erases captured events by session, path or phrase: in the spool, in the log, and in the summaries of sessions."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread
from filelock import FileLock, Timeout

from graph_memory.agent.capture.session_summary import summarise_session
from graph_memory.agent.records.profiles import check_text
from graph_memory.agent.records.roles import roles_of
from graph_memory.hooks.events import HookEvent
from graph_memory.hooks.spool import Spool
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.results import ForgetResult
from graph_memory.memory.retention.logged_nodes import LoggedNode
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.rights import Right, require
from graph_memory.model.subjects.subjects import SUMMARY
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.project import domain_for

ID_PREFIX = "hook-"
"""The prefix of the id of each captured event."""
_NO_MATCH_HINT = Hint("Look for events with {get_events}.")
_ERASE_HINT = Hint("Set erase if the user asked for it.", " To undo a session without erasing it, use {memory_revert}.")
_LOCK_SECONDS = 10.0
"""Seconds to wait for a server that is storing the events of the spool."""


@dataclass(frozen=True, slots=True)
class CapturedFilter:
    """Selects the captured events to erase: the events that match all given conditions."""

    session: str | None = None
    path: str | None = None
    phrase: str | None = None

    @property
    def text(self) -> str | None:
        """A string that occurs in every matching event, or None if only the session is given."""
        return self.phrase or (self.path and self.path.rstrip("/"))

    def matches(self, session: str | None, text: str) -> bool:
        """Return whether an event with this session and text matches. The path also matches files below it."""
        if self.session is not None and session != self.session:
            return False
        if self.phrase is not None and self.phrase.lower() not in text.lower():
            return False
        path = None if self.path is None else re.escape(self.path.rstrip("/"))
        return path is None or re.search(rf"(?<![\w.-]){path}(?![\w-]|\.\w)", text) is not None

    def matches_file(self, data: bytes, domain: str) -> bool:
        """Return whether the spool file has a matching event of the domain, or is damaged and may have one."""
        try:
            event = HookEvent.from_json(data)
            is_here = domain_for(event.domain, Path(event.folder)) == domain
        except (ValueError, RuntimeError):
            raw = data.decode("utf-8", "replace").lower()
            parts = [part.lower() for part in (self.session, self.path, self.phrase) if part is not None]
            return all(part in raw or json.dumps(part)[1:-1] in raw for part in parts)
        return is_here and self.matches(event.session, "\n".join((event.tool, event.target, event.text)))


def captured_filter_from(
    session: object, path: object, phrase: object, *, is_alone: bool, erase: bool
) -> CapturedFilter:
    """Return the filter that selects the captured events by these conditions.

    Raises INVALID_ARGUMENT for an empty condition, for the root as a path, or unless `is_alone` and `erase` are true.
    """
    conditions = {"session": session, "path": path, "phrase": phrase}
    texts = {name: check_text(name, value) for name, value in conditions.items() if value is not None}
    first_name = next(iter(texts))
    if not is_alone:
        message = f"{first_name} cannot be combined with names, ids and text"
        raise invalid_argument(first_name, message, "Make two separate calls.")
    if not erase:
        raise invalid_argument("erase", f"{first_name} can only be used to erase captured events", _ERASE_HINT)
    if not texts.get("path", "root").strip("/"):
        message = f"{texts['path']} is the root folder, so it would match the events of all projects"
        raise invalid_argument("path", message, "Pass the path of a file or folder below the root, or pass session.")
    return CapturedFilter(**texts)


async def erase_captured(
    memory: Memory, domain: str, home: Path, criteria: CapturedFilter, *, dry_run: bool
) -> ForgetResult:
    """Erase the captured events that meet the criteria, and the summaries that mention them. See `Agent.forget`.

    Sessions that keep other events are summarised again. The warnings list events whose text cannot be read. Raises
    INVALID_ARGUMENT if nothing matches, CONTENT_READ_FAILED if nothing matches and a text cannot be read, DOMAIN_BUSY
    if a server is storing captured events, and INSUFFICIENT_RIGHTS if the caller does not have the right `admin`.
    """
    require(domain, Right.ADMIN)
    spool = Spool.of(home)
    async with _hold_lock(spool):
        waiting = await anyio.to_thread.run_sync(
            lambda: [path for path in spool.files() if criteria.matches_file(path.read_bytes(), domain)]
        )
        stored = await _find_stored(memory, criteria)
        if not stored.ids and not waiting:
            raise next(iter(stored.unreadable.values()), None) or invalid_argument(
                "session", "No captured event matches", _NO_MATCH_HINT
            )
        forgotten = ForgetResult(
            forgotten=(), entities=0, observations=0, relations=0, erased=True, dry_run=dry_run or None
        )
        if stored.ids:
            forgotten = await memory.entities.forget(ids=stored.ids, erase=True, dry_run=dry_run)
        for path in () if dry_run else waiting:
            path.unlink(missing_ok=True)
    if criteria.text is not None and not dry_run:
        for session, project in {node.session: node.project for node in stored.summaries}.items():
            await summarise_session(memory, session or "", project or "")
    warnings = (*(forgotten.warnings or ()), *stored.warnings)
    return forgotten.model_copy(update={"waiting": len(waiting) or None, "warnings": warnings or None})


@dataclass(slots=True)
class _MatchingRecords:
    """The matching events and summaries in the log, and the nodes whose text cannot be read, with the errors."""

    events: list[LoggedNode] = field(default_factory=list[LoggedNode])
    summaries: list[LoggedNode] = field(default_factory=list[LoggedNode])
    unreadable: dict[str, GraphError] = field(default_factory=dict[str, GraphError])

    @property
    def ids(self) -> list[str]:
        return list(dict.fromkeys(node.id for node in (*self.events, *self.summaries)))

    @property
    def warnings(self) -> list[str]:
        return [
            f"{id_} was not compared, and is kept: {error.message}"
            for id_, error in self.unreadable.items()
            if id_ not in self.ids
        ]


async def _find_stored(memory: Memory, criteria: CapturedFilter) -> _MatchingRecords:
    """Return the matching captured events, and the session summaries that may repeat their text."""
    stored = _MatchingRecords()
    roles = await roles_of(memory)
    if roles is None:
        return stored
    properties = {} if criteria.session is None else {"session": criteria.session}
    logged = await memory.history.logged_nodes(
        [roles["Event"]], properties=properties, text=criteria.text, prefix=ID_PREFIX
    )
    stored.events = [node for node in logged if await _is_match(memory, criteria, node, stored.unreadable)]
    sessions = {*(node.session for node in stored.events), *((criteria.session,) if criteria.text is None else ())}
    all_summaries = await memory.history.logged_nodes([SUMMARY])
    summaries = {node.id: node for node in all_summaries if node.session is not None and node.session in sessions}
    mentioning = () if criteria.text is None else await memory.history.logged_nodes([SUMMARY], text=criteria.text)
    for node in mentioning:
        if node.session is not None and await _is_match(memory, criteria, node, stored.unreadable):
            summaries[node.id] = node
    stored.summaries = [*summaries.values()]
    return stored


async def _is_match(
    memory: Memory, criteria: CapturedFilter, node: LoggedNode, unreadable: dict[str, GraphError]
) -> bool:
    """Return whether the node matches. A node whose text cannot be read is added to `unreadable`."""
    if criteria.text is None:
        return criteria.matches(node.session, node.text)
    try:
        return criteria.matches(node.session, await memory.history.logged_text(node))
    except GraphError as error:
        if error.code is not Code.CONTENT_READ_FAILED:
            raise
        unreadable[node.id] = error
        return criteria.matches(node.session, node.text)


@asynccontextmanager
async def _hold_lock(spool: Spool) -> AsyncGenerator[None]:
    """Hold the lock of the spool, so that no server stores the spool's events at the same time.

    Raises DOMAIN_BUSY if a server still holds the lock after `_LOCK_SECONDS`.
    """
    if not spool.folder.is_dir():
        yield
        return
    lock = FileLock(spool.folder / "lock", timeout=_LOCK_SECONDS, thread_local=False)
    try:
        await anyio.to_thread.run_sync(lock.acquire)
    except Timeout as error:
        raise GraphError(Code.DOMAIN_BUSY, "Captured events are being stored", {"hint": "Try again."}) from error
    try:
        yield
    finally:
        lock.release()
