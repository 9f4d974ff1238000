"""What changed in a stretch of the log, in words: it has what the index lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, NEXT_EVENTS, bounds, past_of
from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.history.digest import REMOVED, Part, ThingChanges, digest
from graph_memory.memory.history.last_session import last_session, point_at
from graph_memory.memory.history.log import EventRow, Filter, events_in
from graph_memory.memory.history.narration import Rendered
from graph_memory.memory.recall.questions.phrases import Period, without_last_time
from graph_memory.memory.recall.rendering.wording import flat, label
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.events import Event
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import BLOCK, MENTIONED, SUMMARY

LOOKED_AT = 300
"""Maximum number of events, the newest ones of a stretch, that are told."""
MOST_PARTS = 8
"""Changes of one thing that one line tells; the rest are counted."""
_LONGEST = 200
"""Characters of an observation."""
_NOTES = frozenset({BLOCK, SUMMARY})
"""Types of which a reader is told otherwise."""


@dataclass(frozen=True, slots=True)
class Change:
    """What changed about one thing, and who changed it last, and when."""

    thing: ThingChanges
    by: str
    at: datetime
    has_content: bool

    def parts(self, told: str = "", *, only_new: bool = False) -> Sequence[Part]:
        """Return the changes without texts that the reader has been told already, or without what ended."""
        parts = [part for part in self.thing.parts.values() if not part.text or part.text not in told]
        return [part for part in parts if not (only_new and part.words.startswith(REMOVED))]

    def line(self, parts: Sequence[Part]) -> str:
        """Return the line of these changes."""
        more = len(parts) - MOST_PARTS
        cut = f"; and {more} more" if more > 0 else ""
        return f"- {self.thing.line(parts[:MOST_PARTS])}{cut} ({flat(self.by)}, {self.at:%Y-%m-%d %H:%M})"


async def changed_things(
    core: Core, domain: str, after: int = 0, before: int = END, limit: int = LOOKED_AT
) -> list[Change]:
    """Return what changed between two numbers of the log, the thing that changed last first.

    Blocks, summaries, types and mere ends of relations are left out.
    """
    rows: list[EventRow] = []
    for span in await past_of(core.store, domain, after, before):
        if len(rows) < limit:
            rows += await events_in(core, Filter(), span, limit - len(rows))
    events = [Event.from_row(row.event) for row in rows]
    newest = {_about(event): event for event in reversed(events)}
    states = await _states(core, domain, [*newest])
    told: list[Change] = []
    for thing in digest(map(_rendered, rows, events), _label):
        event, state = newest.get(thing.id), states.get(thing.id)
        if event is not None and _is_told(thing, event, state):
            by = event.origin.actor or event.origin.session or event.origin.source
            told.append(Change(thing, by, event.at, bool((state or {}).get("_content_size"))))
    return told


async def _states(core: Core, domain: str, ids: Sequence[str]) -> Mapping[str, Mapping[str, object]]:
    """Return the present states of nodes by their ids."""
    states = await states_of(core, domain, ids)
    return {str(state["_subject"]): state for state in states if state["_kind"] == Kind.NODE}


def _is_told(thing: ThingChanges, event: Event, state: Mapping[str, object] | None) -> bool:
    if state is None:
        return thing.state in ("deleted", "merged") and event.draft.type not in _NOTES
    return state["_type"] not in _NOTES and MENTIONED not in state


def _about(event: Event) -> str:
    draft = event.draft
    return draft.subject if draft.kind is Kind.NODE else draft.from_id or draft.subject


def _rendered(row: EventRow, event: Event) -> Rendered:
    before = Event.from_row(row.previous).draft.state if row.previous else None
    return Rendered(event.draft, before, row.from_title, row.to_title, row.took, event.at, event.batch)


def _label(text: str) -> str:
    return label(text, _LONGEST)


@dataclass(frozen=True, slots=True)
class Since:
    """From where a recall tells what changed: after a number of the log, which is from a time."""

    after: int
    period: Period

    async def changes(self, scope: Scope, about: Collection[str]) -> list[str]:
        """Return a line for each thing that changed, the newest first; given some things, only for those."""
        found = await changed_things(scope.core, scope.domain, self.after, scope.number + 1)
        return [one.line(one.parts()) for one in found if not about or one.thing.id in about]


async def since_of(scope: Scope, request: RecallRequest) -> tuple[Since | None, RecallRequest]:
    """Return from where a recall tells what changed, and the request without the words that say so.

    Words such as `since last time` count where there is an earlier session. Raises INVALID_ARGUMENT for a point that is
    none, and what `bounds` raises.
    """
    point = request.since
    text = None if request.query is None or point is not None else without_last_time(request.query)
    if text is not None and await last_session(scope.core, scope.domain) is not None:
        point, request = "last session", replace(request, query=text)
    if point is None:
        return None, request
    number = await point_at(scope.core, scope.domain, "since", point)
    after, _ = await bounds(scope.core.store, scope.domain, number, None)
    rows = await scope.core.store.read(NEXT_EVENTS, domain=scope.domain, numbers=[after + 1])
    return Since(after, Period(rows[0].at if rows else None, None)), request
