"""Appends events to the log and projects them to the live graph, with separate statements or a combined statement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import cast

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import TIMES, Event, ontology_version, protects
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import Projection, Row, project, row_count, search_state, searchable_text
from graph_memory.model.subjects.kinds import KINDS, Step
from graph_memory.model.subjects.subjects import IS_LONG, State
from graph_memory.storage.queries import NoRow, Query, all_or_nothing, query
from graph_memory.storage.store import Transaction

ROWS_AT_ONCE = 5_000
"""Maximum number of rows written by one statement."""
INDEXED_AT_ONCE = 100
"""A statement that creates at least this many subjects also indexes their texts. The cost of a commit depends mainly on
the number of changed full-text indexes, not on the number of texts."""


APPEND = query("log/append", NoRow)
CLAIM = query("log/claim", bool)
PROJECT: dict[Step, Query[int]] = {step: query(f"log/{step}", int) for step in Step}


@cache
def write_at_once(steps: tuple[Step, ...]) -> Query[int]:
    """Return one statement that claims a log, appends events to it, and runs these steps."""
    return all_or_nothing("log/write_at_once", CLAIM, [APPEND, *(PROJECT[step] for step in steps)])


def append_params(
    events: Sequence[Event], ontology_version_before: int, inline_limit: int, projection: Projection | None = None
) -> dict[str, object]:
    """Return the parameters for appending the events, except events that the projection appends."""
    last_event, created_seqs = events[-1], projection.created_seqs if projection else ()
    appended_events = [event for event in events if event.seq not in created_seqs]
    return {
        "domain": last_event.domain,
        "first": {"seq": events[0].seq, "at": events[0].at.isoformat()},
        "seq": last_event.seq,
        "at": last_event.at.isoformat(),
        "ontology_version": ontology_version(events, ontology_version_before),
        "events": [with_times_as_text(event.row()) for event in appended_events],
        "contents": inline_contents(appended_events, inline_limit),
        "turns": seqs_with_earlier_time((event.seq, event.at) for event in events),
        "protects": any(protects(event.draft) for event in events),
    }


def seqs_with_earlier_time(times: Iterable[tuple[int, datetime]]) -> list[int]:
    """Return the log numbers of events whose time is earlier than the previous event's."""
    return [seq for (_, before), (seq, at) in pairwise(times) if at < before]


def with_times_as_text(state: State) -> State:
    """Return the state with its TIMES as strings, because the driver needs 50 µs per time, but 1 µs per string."""
    return {
        key: value.isoformat() if isinstance(value, datetime) and key in TIMES else value
        for key, value in state.items()
    }


def inline_contents(events: Sequence[Event], limit: int) -> list[dict[str, object]]:
    """Return rows for the texts stored in Neo4j. These have at most `limit` bytes each."""
    contents = (event.draft.content for event in events)
    return [
        {"sha256": content.sha256, "text": content.text}
        for content in contents
        if content is not None and content.is_text and content.size <= limit
    ]


async def append_events(
    transaction: Transaction,
    events: Sequence[Event],
    ontology: Ontology,
    ontology_version_before: int,
    inline_limit: int,
    before_projection: Callable[[], Awaitable[None]] | None = None,
    projection: Projection | None = None,
) -> None:
    """Append the events to the log and project them to the live graph.

    `ontology` is the ontology before the events. If `projection` is None, it is computed. `before_projection` prepares
    the live graph between the two steps, and may create subjects. Raises the errors of `before_projection` and of
    `run_projection`.
    """
    if projection is None:
        limit = inline_limit if before_projection is None else None
        projection = project(events[0].domain, events, ontology, inline_limit=limit)
    await transaction.run(APPEND, **append_params(events, ontology_version_before, inline_limit, projection))
    if before_projection is not None:
        await before_projection()
    await run_projection(transaction, projection)


async def run_projection(transaction: Transaction, projection: Projection) -> None:
    """Run the steps of a projection that have rows.

    Raises DANGLING_REFERENCE if a step matches fewer rows than expected, for example because an endpoint of a
    connection is missing.
    """
    for step, rows in steps_of(projection):
        for page in _pages(rows):
            arguments: dict[str, object] = {"domain": projection.domain, "rows": {step: statement_rows(step, page)}}
            counts = await transaction.run(PROJECT[step], **{key: arguments[key] for key in PROJECT[step].params})
            _check_count(step, sum(counts), len(page))


def _pages(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the rows in pages that each write at most `ROWS_AT_ONCE` rows. A larger row gets a separate page."""
    page: list[Row] = []
    remaining_rows = ROWS_AT_ONCE
    for row in rows:
        if page and remaining_rows < row_count(row):
            yield page
            page, remaining_rows = [], ROWS_AT_ONCE
        page.append(row)
        remaining_rows -= row_count(row)
    if page:
        yield page


def steps_of(projection: Projection) -> list[tuple[Step, list[Row]]]:
    """Return the projection's steps that have rows, in execution order."""
    return [(step, rows) for step in Step if (rows := projection.rows.get(step))]


def statement_rows(step: Step, rows: Sequence[Row]) -> Row | Sequence[Row]:
    """Return a step's rows in the form that its statement expects."""
    if step in (Step.PUT_NODES, Step.PUT_CONNECTIONS, Step.PUT_INVERSES):
        return [{**row, "state": with_times_as_text(cast("State", row["state"]))} for row in rows]
    return _creation_rows(rows) if step in _CREATION_STEPS else rows


_CREATION_STEPS = {kind.create for kind in KINDS.values() if kind.create}


def _creation_rows(rows: Sequence[Row]) -> Row:
    """Return the rows for new subjects as one row. Values shared by the events occur only once."""
    first = cast("Event", rows[0]["event"])
    header = first.header()
    shared_values = {name: header[name] for name in _SHARED if name in header}
    return {
        "at": first.at.isoformat(),
        "event": shared_values,
        "ends": {cast("Event", row["event"]).draft.type: row["ends"] for row in rows if row["ends"] is not None},
        "rows": [
            _creation_row(row, {**shared_values, "_at": first.at}, first.at, len(rows) >= INDEXED_AT_ONCE)
            for row in rows
        ],
    }


_SHARED_TIMES = TIMES | {"_time"}
_SHARED = ("_domain", "_op", "_kind", "_session", "_source", "_actor", "_batch")
"""The properties that a batch's events usually share, in addition to their time."""


def _creation_row(row: Row, shared_values: State, at: datetime, is_indexed: bool) -> Row:
    """Return the row for a new subject, without the values shared by the events. A missing shared property is null.

    With `is_indexed`, the row also indexes the subject's text, unless the text is too long.
    """
    event = cast("Event", row["event"])
    header, draft = event.header(), event.draft
    event_values: dict[str, object] = {name: None for name in shared_values if name not in header}
    event_values |= {name: value for name, value in header.items() if shared_values.get(name) != value}
    state = draft.state or {}
    missing_times: Row = {} if "_created" in state else {"_created": None}
    event_values |= missing_times
    search_properties = search_state(draft)
    searched_text = searchable_text(draft) if is_indexed and search_properties.get(IS_LONG) is False else None
    if searched_text is not None:
        del search_properties[IS_LONG]
    return {
        "type": draft.type,
        "state": {name: value for name, value in state.items() if value != at or name not in _SHARED_TIMES},
        "event": event_values,
        "live": {
            "_id": draft.subject,
            "_version": event.seq,
            "_type": draft.type,
            **search_properties,
            **missing_times,
        },
        "searched": [] if searched_text is None else [searched_text],
        "text": row["text"],
        "keys": row["keys"],
        "windows": row["windows"],
    }


def expected_rows(step: Step, rows: int) -> int | None:
    """Return the number of rows that the step must match, or None for deletions, which may match any number."""
    return None if step.name.startswith("DROP_") else rows


def _check_count(step: Step, number: int, rows: int) -> None:
    if expected_rows(step, rows) not in (None, number):
        raise GraphError(
            Code.DANGLING_REFERENCE,
            f"{step.value}: {rows - number} of {rows} rows were not found in the live graph",
            {"hint": Hint("Run {graph-memory verify} to see where the graph and its log differ.")},
        )
