"""Imports past conversations as events, each exactly once, and summarises their sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import anyio.to_thread

from graph_memory.agent.capture.drain import store_events
from graph_memory.agent.capture.session_summary import summarise_session
from graph_memory.agent.capture.transcript_formats import FORMS, Form
from graph_memory.agent.capture.transcripts import Conversations, recognise
from graph_memory.agent.results import ConversationsImported
from graph_memory.hooks.events import HookEvent
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.transfer.formats.records import Unreadable
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress
from graph_memory.project import AUTO, domain_for

_AT_ONCE = 100
"""Maximum number of events that are stored in one transaction."""
Batch = tuple[Sequence[HookEvent], bool]
"""Events, and whether they are the last of a file or conversation."""


async def import_conversations(
    memory: Memory,
    domain: str,
    source: Path,
    form: str | None,
    *,
    by_project: bool,
    dry_run: bool,
    tell: Progress,
) -> ConversationsImported:
    """Store past conversations as events. See `Agent.import_conversations`."""
    chosen = await anyio.to_thread.run_sync(_checked_form, source, form)
    conversations = Conversations(source, chosen)
    domains: Counter[str] = Counter()
    sessions: set[tuple[str, str]] = set()
    open_sessions: dict[tuple[str, str], str] = {}
    batches = _batches(conversations)
    added = secrets = 0
    while (batch := await anyio.to_thread.run_sync(_next, batches)) is not None:
        events, is_last = batch
        groups: dict[tuple[str, str], list[HookEvent]] = {}
        for event in events:
            name = domain_for(AUTO, Path(event.folder)) if by_project else domain
            groups.setdefault((name, event.session), []).append(event)
        for (name, session), group in groups.items():
            open_sessions[name, session] = Path(group[0].folder).name
            domains[name] += len(group)
            secrets += sum(event.secrets for event in group)
            if not dry_run:
                scoped = memory.in_domain(name).acting_as(chosen, session)
                added += await store_events(scoped, [(event.key, event) for event in group])
        if is_last:
            for (name, session), project in () if dry_run else open_sessions.items():
                await summarise_session(memory.in_domain(name).acting_as(chosen, session), session, project)
            sessions |= open_sessions.keys()
            open_sessions = {}
        tell(f"{domains.total():,} events of {len(sessions):,} sessions", None)
    return ConversationsImported(
        format=chosen,
        dry_run=dry_run,
        domains=dict(domains),
        sessions=len(sessions),
        events=domains.total(),
        added=added,
        secrets=secrets,
        unreadable=len(conversations.unreadable),
    )


def _checked_form(source: Path, form: str | None) -> Form:
    if form is not None:
        if form not in FORMS:
            raise invalid_argument("format", f"{quote(form)} is not a format", f"Use one of {', '.join(FORMS)}.")
        return form
    if not source.exists():
        raise invalid_argument("source", f"There is no file or folder {printable(source)}", "Check the path.")
    if (recognised := recognise(source)) is None:
        hint = (
            f"Give a transcript, an exported conversations.json, or a folder of them. --format is {', '.join(FORMS)}."
        )
        raise invalid_argument("source", f"{printable(source)} has no conversations of a known program", hint)
    return recognised


def _batches(conversations: Conversations) -> Iterator[Batch]:
    try:
        for session in conversations.sessions():
            while len(events := list(islice(session, _AT_ONCE))) == _AT_ONCE:
                yield events, False
            yield events, True
    except Unreadable as error:
        refused = error.refused
        details = {"hint": f"{refused.hint or 'Repair the file.'} Events before this place are stored."}
        raise GraphError(refused.code, f"{refused.place}: {refused.message}", details) from error


def _next(batches: Iterator[Batch]) -> Batch | None:
    return next(batches, None)
