"""The statements that append events and project them to the live graph, separately or combined."""

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
from graph_memory.storage.queries import Nothing, Query, all_or_nothing, query
from graph_memory.storage.store import Transaction

ROWS_AT_ONCE = 5_000
"""Maximum number of rows per statement."""
INDEXED_AT_ONCE = 100
"""Minimum number of new subjects of a statement that also indexes their texts. A commit pays much for each full-text
index that it changes, and little for each text."""


APPEND = query("log/append", Nothing)
CLAIM = query("log/claim", bool)
PROJECT: dict[Step, Query[int]] = {step: query(f"log/{step}", int) for step in Step}


@cache
def write_at_once(steps: tuple[Step, ...]) -> Query[int]:
    """Return one statement that claims a log, appends events to it and runs these steps."""
    return all_or_nothing("log/write_at_once", CLAIM, [APPEND, *(PROJECT[step] for step in steps)])


def append_params(
    events: Sequence[Event], ontology_version_before: int, inline_limit: int, projection: Projection | None = None
) -> dict[str, object]:
    """Return the parameters for appending the events, except events that the projection appends itself."""
    last, begun = events[-1], projection.created_seqs if projection else ()
    others = [event for event in events if event.seq not in begun]
    return {
        "domain": last.domain,
        "first": {"seq": events[0].seq, "at": events[0].at.isoformat()},
        "seq": last.seq,
        "at": last.at.isoformat(),
        "ontology_version": ontology_version(events, ontology_version_before),
        "events": [with_times_as_text(event.row()) for event in others],
        "contents": inline_contents(others, inline_limit),
        "turns": turns_of((event.seq, event.at) for event in events),
        "protects": any(protects(event.draft) for event in events),
    }


def turns_of(times: Iterable[tuple[int, datetime]]) -> list[int]:
    """Return the log positions of events that are earlier in time than the event before them."""
    return [seq for (_, before), (seq, at) in pairwise(times) if at < before]


def with_times_as_text(state: State) -> State:
    """Return the state with times as text, because the driver takes 50 µs for a time but less than 1 µs for a text."""
    return {
        key: value.isoformat() if isinstance(value, datetime) and key in TIMES else value
        for key, value in state.items()
    }


def inline_contents(events: Sequence[Event], limit: int) -> list[dict[str, object]]:
    """Return the texts of the events that are stored inline, because they have at most `limit` bytes each."""
    contents = (event.draft.content for event in events)
    return [{"sha256": c.sha256, "text": c.text} for c in contents if c is not None and c.is_text and c.size <= limit]


async def append_events(
    transaction: Transaction,
    events: Sequence[Event],
    ontology: Ontology,
    ontology_version_before: int,
    inline_limit: int,
    before_projection: Callable[[], Awaitable[None]] | None = None,
    projection: Projection | None = None,
) -> None:
    """Append and project the events. `ontology` is the ontology before them. `projection` is computed by default.

    `before_projection` prepares the live graph, and may create subjects. Raises the errors of `before_projection`
    and of `run_projection`.
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

    Raises DANGLING_REFERENCE if a step finds fewer rows than it should, such as without the end of a connection.
    """
    for step, rows in steps_of(projection):
        for page in _pages(rows):
            arguments: dict[str, object] = {"domain": projection.domain, "rows": {step: statement_rows(step, page)}}
            numbers = await transaction.run(PROJECT[step], **{key: arguments[key] for key in PROJECT[step].params})
            _check_count(step, sum(numbers), len(page))


def _pages(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the rows in pages of at least one row. Each page is for one statement."""
    page: list[Row] = []
    room = ROWS_AT_ONCE
    for row in rows:
        if page and room < row_count(row):
            yield page
            page, room = [], ROWS_AT_ONCE
        page.append(row)
        room -= row_count(row)
    if page:
        yield page


def steps_of(projection: Projection) -> list[tuple[Step, list[Row]]]:
    """Return the steps that have rows, in order."""
    return [(step, rows) for step in Step if (rows := projection.rows.get(step))]


def statement_rows(step: Step, rows: Sequence[Row]) -> Row | Sequence[Row]:
    """Return the rows in the form that the step's statement expects."""
    if step in (Step.PUT_NODES, Step.PUT_CONNECTIONS, Step.PUT_INVERSES):
        return [{**row, "state": with_times_as_text(cast("State", row["state"]))} for row in rows]
    return _creations(rows) if step in _CREATES else rows


_CREATES = {kind.create for kind in KINDS.values() if kind.create}


def _creations(rows: Sequence[Row]) -> Row:
    """Return the rows for new subjects, with the values that they share only once."""
    first = cast("Event", rows[0]["event"])
    header = first.header()
    shared = {name: header[name] for name in _SHARED if name in header}
    return {
        "at": first.at.isoformat(),
        "event": shared,
        "ends": {cast("Event", row["event"]).draft.type: row["ends"] for row in rows if row["ends"] is not None},
        "rows": [_creation(row, {**shared, "_at": first.at}, first.at, len(rows) >= INDEXED_AT_ONCE) for row in rows],
    }


_SHARED_TIMES = TIMES | {"_time"}
_SHARED = ("_domain", "_op", "_kind", "_session", "_source", "_actor", "_batch")
"""The properties that events of one batch share, in addition to their time."""


def _creation(row: Row, shared: State, at: datetime, is_indexed: bool) -> Row:
    """Return the row for a new subject, without the shared values. A shared property that it lacks is null.

    With `is_indexed`, the row also indexes the text, if possible.
    """
    event = cast("Event", row["event"])
    header, draft = event.header(), event.draft
    event_values: dict[str, object] = {name: None for name in shared if name not in header}
    event_values |= {name: value for name, value in header.items() if shared.get(name) != value}
    state = draft.state or {}
    absent: Row = {} if "_created" in state else {"_created": None}
    event_values |= absent
    lookup = search_state(draft)
    searched = searchable_text(draft) if is_indexed and lookup.get(IS_LONG) is False else None
    if searched is not None:
        del lookup[IS_LONG]
    return {
        "type": draft.type,
        "state": {name: value for name, value in state.items() if value != at or name not in _SHARED_TIMES},
        "event": event_values,
        "live": {"_id": draft.subject, "_version": event.seq, "_type": draft.type, **lookup, **absent},
        "searched": [] if searched is None else [searched],
        "text": row["text"],
        "keys": row["keys"],
        "windows": row["windows"],
    }


def expected_rows(step: Step, rows: int) -> int | None:
    """Return the number of rows that the step must match, or None for a deletion, because its rows may be missing."""
    return None if step.name.startswith("DROP_") else rows


def _check_count(step: Step, number: int, rows: int) -> None:
    if expected_rows(step, rows) not in (None, number):
        raise GraphError(
            Code.DANGLING_REFERENCE,
            f"{step.value}: {rows - number} of {rows} rows were not found in the live graph",
            {"hint": Hint("Run {graph-memory verify} to see where the graph and its log differ.")},
        )
