"""Imports past conversations as events, each exactly once, and summarises their sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import anyio.to_thread

from graph_memory.agent.capture.drain import find_unknown, store_events
from graph_memory.agent.capture.session_summary import summarise_session
from graph_memory.agent.capture.transcript_formats import FORMS, Form
from graph_memory.agent.capture.transcripts import Conversations, recognise
from graph_memory.agent.results import ConversationImportResult
from graph_memory.hooks.events import HookEvent
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.transfer.formats.records import UnreadableSource
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress
from graph_memory.project import AUTO, domain_for

_BATCH_SIZE = 100
"""Maximum number of events that are stored in one transaction."""
Batch = tuple[Sequence[HookEvent], bool]
"""Events of a file or conversation, and whether they are its last events."""


async def import_conversations(
    memory: Memory,
    domain: str,
    source: Path,
    form: str | None,
    *,
    by_project: bool,
    dry_run: bool,
    progress: Progress,
) -> ConversationImportResult:
    """Store past conversations as events. See `Agent.import_conversations`."""
    chosen_form = await anyio.to_thread.run_sync(_checked_form, source, form)
    conversations = Conversations(source, chosen_form)
    domains: Counter[str] = Counter()
    sessions: set[tuple[str, str]] = set()
    open_sessions: dict[tuple[str, str], str] = {}
    batches = _batches(conversations)
    planned: dict[str, set[str]] = {}
    added = secrets = 0
    while (batch := await anyio.to_thread.run_sync(next, batches, None)) is not None:
        events, is_last = batch
        groups: dict[tuple[str, str], list[HookEvent]] = {}
        for event in events:
            name = domain_for(AUTO, Path(event.folder)) if by_project else domain
            groups.setdefault((name, event.session), []).append(event)
        for (name, session), group in groups.items():
            open_sessions[name, session] = Path(group[0].folder).name
            domains[name] += len(group)
            scoped = memory.in_domain(name).acting_as(chosen_form, session)
            new_events = await _new_events(scoped, group, planned.setdefault(name, set()) if dry_run else None)
            added += len(new_events)
            secrets += sum(event.secrets for event in new_events)
        if is_last:
            for (name, session), project in () if dry_run else open_sessions.items():
                await summarise_session(memory.in_domain(name).acting_as(chosen_form, session), session, project)
            sessions |= open_sessions.keys()
            open_sessions = {}
        progress(f"{domains.total():,} events of {len(sessions):,} sessions", None)
    return ConversationImportResult(
        format=chosen_form,
        dry_run=dry_run,
        domains=dict(domains),
        sessions=len(sessions),
        events=domains.total(),
        added=added,
        secrets=secrets,
        unreadable=len(conversations.unreadable),
    )


async def _new_events(memory: Memory, group: Sequence[HookEvent], planned: set[str] | None) -> Sequence[HookEvent]:
    """Store the events that are not recorded yet, and return them. A dry run stores none, and adds to `planned`."""
    waiting = [(event.key, event) for event in group]
    if planned is None:
        return await store_events(memory, waiting)
    return [event for _, event in await find_unknown(memory, waiting, planned)]


def _checked_form(source: Path, form: str | None) -> Form:
    if form is not None:
        if form not in FORMS:
            raise invalid_argument("format", f"{quote(form)} is not a format", f"Use one of {', '.join(FORMS)}.")
        return form
    if not source.exists():
        raise invalid_argument("source", f"No file or folder exists at {printable(source)}", "Check the path.")
    if (recognised := recognise(source)) is None:
        hint = (
            "Pass a transcript, an exported conversations.json, or a folder of them. "
            f"Set --format to one of {', '.join(FORMS)}."
        )
        raise invalid_argument("source", f"{printable(source)} contains no conversations from a known program", hint)
    return recognised


def _batches(conversations: Conversations) -> Iterator[Batch]:
    try:
        for session in conversations.sessions():
            while len(events := list(islice(session, _BATCH_SIZE))) == _BATCH_SIZE:
                yield events, False
            yield events, True
    except UnreadableSource as error:
        record = error.invalid_record
        details = {"hint": f"{record.hint or 'Repair the file.'} Events before this position are stored."}
        raise GraphError(record.code, f"{record.place}: {record.message}", details) from error
