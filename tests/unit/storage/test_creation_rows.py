"""The rows of new subjects: what they share is sent once, and each event and subject is whole all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.model.events import Draft, Event, Op, Origin, number_events
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology, PropertyRule
from graph_memory.model.projection import live_state, project
from graph_memory.model.subjects.kinds import Kind, Step
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.values.content import Content, content_from
from graph_memory.storage.log.project import append_params, statement_rows

NOW = datetime(2026, 1, 1, tzinfo=UTC)
INLINE = 20
ONTOLOGY = Ontology.create(
    [NodeType("Note", properties=(PropertyRule("code", indexed=True),))],
    [ConnectionType("Joins", ("*",), ("*",), properties=(PropertyRule("code", indexed=True),))],
)
CONTENTS = (
    content_from("short", "utf-8", "markdown"),
    content_from("", "utf-8", "markdown"),
    content_from("a text that is too long for Neo4j", "utf-8", "markdown"),
    content_from(b"\x00\x01", "base64", "bin"),
)
CREATES = (Step.CREATE_NODES, Step.CREATE_CONNECTIONS)


def node(subject: str, content: Content, created: datetime = NOW, previous: int | None = None) -> Draft:
    state = NodeState(
        id=subject, type="Note", created=created, modified=NOW, title="T", content=content.ref, properties={"code": 1}
    )
    return Draft(
        op=Op.CREATE,
        kind=Kind.NODE,
        subject=subject,
        type="Note",
        previous=previous,
        state=state.state(),
        content=content,
    )


def connection(subject: str, content: Content | None, created: datetime = NOW) -> Draft:
    state = ConnectionState(
        id=subject, type="Joins", from_node_id="a", to_node_id="b", created=created, modified=NOW,
        content=content.ref if content else None, properties={"code": "x"},
    )  # fmt: skip
    return Draft(
        op=Op.CREATE,
        kind=Kind.CONNECTION,
        subject=subject,
        type="Joins",
        from_id="a",
        to_id="b",
        state=state.state(),
        content=content,
    )


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """New subjects, of one writer or of several whose writes go together."""
    created = st.sampled_from([NOW, NOW - timedelta(days=1)])
    drafts = [
        draw(
            st.one_of(
                st.builds(node, st.just(f"n{i}"), st.sampled_from(CONTENTS), created, st.sampled_from([None, 3])),
                st.builds(connection, st.just(f"c{i}"), st.sampled_from([None, *CONTENTS]), created),
            )
        )
        for i in range(draw(st.integers(1, 6)))
    ]
    events = number_events(drafts, domain="d", after=10, at=NOW, batch="evt_1", origin=Origin())
    origins = st.builds(
        Origin, session=st.sampled_from([None, "s"]), source=st.sampled_from(["user", "agent"]), actor=st.just(None)
    )
    later = st.sampled_from([NOW, NOW + timedelta(seconds=1)])
    batches = st.sampled_from(["evt_1", "evt_2"])
    return [replace(event, origin=draw(origins), at=draw(later), batch=draw(batches)) for event in events]


def whole(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties after `SET x = a, x += b`: a null removes a property."""
    together = {name: value for part in parts for name, value in part.items()}
    return {name: value for name, value in together.items() if value is not None}


@given(logs())
def test_every_event_and_subject_is_written_whole_and_once(events: Sequence[Event]) -> None:
    projection = project("d", events, ONTOLOGY, inline_limit=INLINE)
    given_events = cast("Sequence[Mapping[str, Any]]", append_params(events, 0, INLINE, projection)["events"])
    written = {event["_seq"] for event in given_events}
    for step in CREATES:
        rows = projection.rows.get(step, [])
        page: Any = statement_rows(step, rows) if rows else {"rows": [], "event": {}, "at": None}
        times = dict.fromkeys(("_created", "_modified"), page["at"] and datetime.fromisoformat(page["at"]))
        logged, live = {**page["event"], **times, "_at": times["_created"]}, {"_domain": "d", **times}
        for row, event in zip(page["rows"], (cast("Event", row["event"]) for row in rows), strict=True):
            assert whole(logged, row["state"], row["event"]) == event.row()
            content = {"_content": event.draft.content.text if event.draft.content else None}
            assert whole(live, row["state"], row["live"], {"_content": row["text"]}) == whole(
                live_state(event), content
            )
            assert event.seq not in written
            written.add(event.seq)
    assert written == {event.seq for event in events}


@pytest.mark.parametrize("content", CONTENTS, ids=["text", "empty text", "text among the blobs", "binary"])
def test_only_text_that_neo4j_does_not_keep_needs_another_look_at_the_store(content: Content) -> None:
    events = number_events([node("n", content)], domain="d", after=0, at=NOW, batch="evt_1", origin=Origin())
    steps = set(project("d", events, ONTOLOGY, inline_limit=INLINE).rows)
    assert (Step.CREATE_NODES in steps) == (not content.is_text or content.size <= INLINE)


def test_what_is_in_the_log_already_is_projected_without_its_event() -> None:
    events = number_events([node("n", CONTENTS[0])], domain="d", after=0, at=NOW, batch="evt_1", origin=Origin())
    assert project("d", events, ONTOLOGY).created_seqs == set()


def test_a_subject_that_is_created_and_changed_in_one_batch_has_both_events_appended() -> None:
    drafts = [node("n", CONTENTS[0]), replace(node("n", CONTENTS[1]), op=Op.UPDATE)]
    events = number_events(drafts, domain="d", after=0, at=NOW, batch="evt_1", origin=Origin())
    projection = project("d", events, ONTOLOGY, inline_limit=INLINE)
    assert projection.created_seqs == set()
    assert len(cast("Sequence[object]", append_params(events, 0, INLINE, projection)["events"])) == 2
