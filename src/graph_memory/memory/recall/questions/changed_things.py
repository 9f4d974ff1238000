"""Describes the changes in a range of the log in words, including changes that are not indexed yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, NEXT_EVENTS, bounds, ranges_between
from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.history.digest import REMOVED, ChangeDescription, NodeChanges, digest
from graph_memory.memory.history.last_session import last_session, point_at
from graph_memory.memory.history.log import EventRow, Filter, events_in
from graph_memory.memory.history.narration import ChangeToDescribe
from graph_memory.memory.recall.questions.phrases import Period, without_last_time
from graph_memory.memory.recall.rendering.wording import flatten, quote_label
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.events import Event
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import BLOCK, MENTIONED, SUMMARY

MAX_EVENTS = 300
"""Maximum number of events of a range that are read, newest first."""
MAX_PARTS = 8
"""Maximum number of changes that a line describes. Further changes are only counted."""
_LONGEST = 200
"""Maximum number of characters of an observation that are shown."""
_NOTES = frozenset({BLOCK, SUMMARY})
"""Node types that primers show in their own sections."""


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of one node, and the author and time of the last one."""

    node_changes: NodeChanges
    by: str
    at: datetime
    has_content: bool

    def parts(self, known_text: str = "", *, only_new: bool = False) -> Sequence[ChangeDescription]:
        """Return the changes whose texts are not in `known_text`. If `only_new` is set, omit facts that ended."""
        parts = [part for part in self.node_changes.parts.values() if not part.text or part.text not in known_text]
        return [part for part in parts if not (only_new and part.words.startswith(REMOVED))]

    def line(self, parts: Sequence[ChangeDescription]) -> str:
        """Return a line that describes the given changes of the node."""
        more = len(parts) - MAX_PARTS
        cut = f"; and {more} more" if more > 0 else ""
        return f"- {self.node_changes.line(parts[:MAX_PARTS])}{cut} ({flatten(self.by)}, {self.at:%Y-%m-%d %H:%M})"


async def find_changed_nodes(
    core: Core, domain: str, after: int = 0, before: int = END, without_types: Collection[str] = ()
) -> list[Change]:
    """Return the changes between two log positions, grouped by node, most recently changed node first.

    Blocks, summaries, types, mentions and nodes of `without_types` are omitted.
    """
    rows: list[EventRow] = []
    for span in await ranges_between(core.store, domain, after, before):
        if len(rows) < MAX_EVENTS:
            rows += await events_in(core, Filter(without_types=without_types), span, MAX_EVENTS - len(rows))
    events = [Event.from_row(row.event) for row in rows]
    newest = {_node_of(event): event for event in reversed(events)}
    current_states = await states_of(core, domain, [*newest])
    states = {str(state["_subject"]): state for state in current_states if state["_kind"] == Kind.NODE}
    changes: list[Change] = []
    for item in digest(map(_render_event, rows, events), lambda text: quote_label(text, _LONGEST)):
        event, state = newest.get(item.id), states.get(item.id)
        if event is not None and _is_reported(item, event, state):
            author = event.origin.actor or event.origin.session or event.origin.source
            changes.append(Change(item, author, event.at, bool((state or {}).get("_content_size"))))
    return changes


def _is_reported(item: NodeChanges, event: Event, state: Mapping[str, object] | None) -> bool:
    if state is None:
        return item.state in ("deleted", "merged") and event.draft.type not in _NOTES
    return state["_type"] not in _NOTES and MENTIONED not in state


def _node_of(event: Event) -> str:
    draft = event.draft
    return draft.subject if draft.kind is Kind.NODE else draft.from_id or draft.subject


def _render_event(row: EventRow, event: Event) -> ChangeToDescribe:
    before = Event.from_row(row.previous).draft.state if row.previous else None
    return ChangeToDescribe(event.draft, before, row.from_title, row.to_title, row.took, event.at, event.batch)


@dataclass(frozen=True, slots=True)
class ReportedPeriod:
    """The period whose changes a recall reports, and the number of the last event before it."""

    after: int
    period: Period

    async def changes(self, scope: Scope, about: Collection[str]) -> list[str]:
        """Return a line for each changed node, newest first. Unless `about` is empty, omit nodes that are not in it."""
        changes = await find_changed_nodes(scope.core, scope.domain, self.after, scope.number + 1)
        return [change.line(change.parts()) for change in changes if not about or change.node_changes.id in about]


async def since_of(scope: Scope, request: RecallRequest) -> tuple[ReportedPeriod | None, RecallRequest]:
    """Return the period whose changes a recall reports, and the request without the words for the period.

    The period is None if the recall reports no changes. Words such as `since last time` refer to the last session, if
    there is one. Raises INVALID_ARGUMENT for an invalid point, and the errors of `bounds`.
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
    return ReportedPeriod(after, Period(rows[0].at if rows else None, None)), request
