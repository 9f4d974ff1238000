"""Resolves `last session` or `last session of Apollo` to a point in the log. Ignores the caller's own session."""

from __future__ import annotations

import re
from collections.abc import Collection

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, last_seq, ranges_between
from graph_memory.memory.history.log import sessions_between
from graph_memory.model.errors import Hint
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.time.points import parse_session_reference
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import query

MAX_EVENTS = 20_000
"""Maximum number of events, newest first, that are searched for the last session."""
MAX_SESSIONS = 1_000
_VERSION_SUFFIX = re.compile(r" v?\d\S*$")
_END_ARGUMENTS = frozenset({"until", "at", "as_of"})
"""Arguments that resolve `last session` to the end of the session. Other arguments resolve it to the start."""

SESSIONS_OF_PROJECT = query("history/sessions_of_project", str)


async def point_at(core: Core, domain: str, argument: str, point: int | str | None) -> int | str | None:
    """Return a point in the log. Resolves `last session` to the position of that session's first or last change.

    Raises INVALID_ARGUMENT if there is no such session, and ONTOLOGY_NOT_FOUND if the domain does not exist.
    """
    reference = parse_session_reference(point)
    if reference is None:
        return point
    session = await last_session(core, domain, of=reference.owner)
    if session is None:
        hint = Hint("Pass a time such as yesterday", ", or a number from {memory_log}", ".")
        raise invalid_argument(argument, f"{quote(point)} matches no session in domain {domain}", hint)
    return session.last_seq if argument in _END_ARGUMENTS else session.first_seq


async def last_session(
    core: Core, domain: str, *, of: str | None = None, or_any: bool = False, excluded: str | None = None
) -> SessionSummary | None:
    """Return the latest session of the project, actor or session id `of`.

    If `of` is None, return the latest session of the caller's actor, in any version, or if that actor has no session,
    of any actor. With `or_any`, do the same if `of` has no session. The caller's own session and the session with the
    id `excluded` are ignored.
    """
    summaries = [
        session
        for session in await _read_sessions(core, domain)
        if session.session not in (None, core.origin.session, excluded)
    ]
    if of is not None:
        ids = await core.store.read(SESSIONS_OF_PROJECT, domain=domain, project=of)
        summary = next((summary for summary in summaries if _matches_name(summary, of, ids)), None)
        if summary is not None or not or_any:
            return summary
    actor = core.origin.actor
    own_sessions = [
        summary
        for summary in summaries
        if actor is not None and _without_version(summary.actor) == _without_version(actor)
    ]
    return next(iter(own_sessions or summaries), None)


async def _read_sessions(core: Core, domain: str) -> list[SessionSummary]:
    """Return the sessions of the latest events in a domain's history, latest write first."""
    sessions: list[SessionSummary] = []
    remaining = MAX_EVENTS
    for event_range in await ranges_between(core.store, domain, 0, END):
        until = min(event_range.until, await last_seq(core.store, event_range.domain))
        after = max(event_range.after, until - remaining)
        sessions += await sessions_between(core.store, event_range.domain, after, until + 1, MAX_SESSIONS)
        remaining -= until - after
        if remaining <= 0:
            break
    return sessions


def _matches_name(session: SessionSummary, owner: str, project_sessions: Collection[str]) -> bool:
    """Return whether `owner` is the id or the actor of a session, or the session belongs to the project."""
    names = {name.casefold() for name in (session.session, session.actor, _without_version(session.actor)) if name}
    return session.session in project_sessions or owner.casefold() in names


def _without_version(actor: str | None) -> str | None:
    return None if actor is None else _VERSION_SUFFIX.sub("", actor)
