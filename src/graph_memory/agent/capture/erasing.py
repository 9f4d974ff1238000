"""Erases captured events by session, path or phrase: in the spool, in the log, and in the summaries of sessions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread
from filelock import FileLock, Timeout

from graph_memory.agent.capture.session_summary import summarise_session
from graph_memory.agent.records.profiles import check_text
from graph_memory.agent.records.roles import roles_of
from graph_memory.hooks.events import HookEvent
from graph_memory.hooks.spool import Spool
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.results import Forgotten
from graph_memory.memory.retention.logged_nodes import LoggedNode
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.rights import Right, require
from graph_memory.model.subjects.subjects import SUMMARY
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.project import domain_for

ID_PREFIX = "hook-"
"""The beginning of the id of each captured event."""
_NOTHING = Hint("Look for events with {get_events}.")
_UNDO = Hint("Set erase, if the user asked for it.", " {memory_revert} undoes a session without erasing it.")
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
    """Return the filter.

    Raises INVALID_ARGUMENT for an empty condition, for the root as a path, or unless `is_alone` and `erase` are true.
    """
    conditions = {"session": session, "path": path, "phrase": phrase}
    texts = {name: check_text(name, value) for name, value in conditions.items() if value is not None}
    first = next(iter(texts))
    if not is_alone:
        raise invalid_argument(first, f"{first} cannot be combined with names, ids and text", "Use two calls.")
    if not erase:
        raise invalid_argument("erase", f"With {first}, captured events can only be erased", _UNDO)
    if not texts.get("path", "root").strip("/"):
        raise invalid_argument("path", f"{texts['path']} names no file or folder", "Use a longer path, or a session.")
    return CapturedFilter(**texts)


async def erase_captured(
    memory: Memory, domain: str, home: Path, wanted: CapturedFilter, *, dry_run: bool
) -> Forgotten:
    """Erase the captured events that match, and the summaries that mention them. See `Agent.forget`.

    Sessions that keep other events are summarised again. Raises INVALID_ARGUMENT if nothing matches, and
    INSUFFICIENT_RIGHTS.
    """
    require(domain, Right.ADMIN)
    waiting = await anyio.to_thread.run_sync(_erase_waiting, Spool.of(home), wanted, domain, dry_run)
    events, summaries = await _find_stored(memory, wanted)
    ids = list(dict.fromkeys(node.id for node in (*events, *summaries)))
    if not ids and not waiting:
        raise invalid_argument("session", "No captured event matches", _NOTHING)
    forgotten = Forgotten(forgotten=(), entities=0, observations=0, relations=0, erased=True, dry_run=dry_run or None)
    if ids:
        forgotten = await memory.entities.forget(ids=ids, erase=True, dry_run=dry_run)
    if wanted.text is not None and not dry_run:
        for session, project in {node.session: node.project for node in summaries}.items():
            await summarise_session(memory, session or "", project or "")
    return forgotten.model_copy(update={"waiting": waiting or None})


async def _find_stored(memory: Memory, wanted: CapturedFilter) -> tuple[list[LoggedNode], list[LoggedNode]]:
    """Return the matching captured events, and the session summaries that may repeat their text."""
    roles = await roles_of(memory)
    if roles is None:
        return [], []
    logged = await memory.history.logged_nodes([roles["Event"]], session=wanted.session, text=wanted.text)
    events = [node for node in logged if node.id.startswith(ID_PREFIX) and wanted.matches(node.session, node.text)]
    sessions = {*(node.session for node in events), *((wanted.session,) if wanted.text is None else ())}
    summaries = [
        node
        for node in await memory.history.logged_nodes([SUMMARY])
        if node.session is not None
        and (node.session in sessions or (wanted.text is not None and wanted.matches(node.session, node.text)))
    ]
    return events, summaries


def _erase_waiting(spool: Spool, wanted: CapturedFilter, domain: str, dry_run: bool) -> int:
    """Remove matching events from the spool, unless `dry_run`. Returns how many match. Raises DOMAIN_BUSY."""
    if not spool.folder.is_dir():
        return 0
    try:
        with FileLock(spool.folder / "lock", timeout=_LOCK_SECONDS):
            matching = [path for path in spool.files() if wanted.matches_file(path.read_bytes(), domain)]
            for path in () if dry_run else matching:
                path.unlink(missing_ok=True)
            return len(matching)
    except Timeout as error:
        raise GraphError(Code.DOMAIN_BUSY, "The events of hooks are being stored", {"hint": "Try again."}) from error
