"""The projector: a batch of events becomes rows, each subject once, in the state after its last event."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.memory.entity_graph.values.spelling import stored_name
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Event, Op, Origin, number_events
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology, PropertyRule
from graph_memory.model.projection import Projection, Row, new_type_draft, project
from graph_memory.model.subjects.kinds import Kind, Step
from graph_memory.model.subjects.subjects import ContentRef, NodeState, content_state
from graph_memory.model.text.search_windows import windows
from graph_memory.model.values.content import Content, content_from
from profiles import SOAK

unhurried = settings(deadline=None, derandomize=not SOAK)
"""The same examples every time, unless this is a soak, and no failure because the machine is busy."""

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ONTOLOGY = Ontology.create(
    [NodeType("Note", properties=(PropertyRule("code", unique=True), PropertyRule("rank", indexed=True)))],
    [ConnectionType("Joins", ("*",), ("*",), properties=(PropertyRule("code", indexed=True),))],
)
PUTS = (Step.PUT_NODES, Step.PUT_CONNECTIONS, Step.PUT_OBSERVATIONS)
DROPS = (Step.DROP_NODES, Step.DROP_CONNECTIONS, Step.DROP_OBSERVATIONS)


def text(words: str) -> Content:
    return content_from(words, "utf-8", "markdown")


def node(
    op: Op, subject: str, *, code: str = "c", content: Content | None = None, ref: ContentRef | None = None
) -> Draft:
    """A draft about a node; `ref` is the content that the node already had."""
    if op is Op.DELETE:
        return Draft(op=op, kind=Kind.NODE, subject=subject, type="Note", previous=1)
    kept = content.ref if content else ref or text("before").ref
    state = NodeState(
        id=subject, type="Note", created=NOW, modified=NOW, title="T", content=kept, properties={"code": code}
    ).state()
    return Draft(op=op, kind=Kind.NODE, subject=subject, type="Note", state=state, content=content)


def connection(op: Op, subject: str) -> Draft:
    state = {"_created": NOW, "_modified": NOW, "code": "k"} if op is not Op.DELETE else None
    return Draft(op=op, kind=Kind.CONNECTION, subject=subject, type="Joins", from_id="a", to_id="b", state=state)


def batch(*drafts: Draft, after: int = 10) -> list[Event]:
    return number_events(drafts, domain="d", after=after, at=NOW, batch="evt_1", origin=Origin())


def project_drafts(*drafts: Draft) -> Projection:
    return project("d", batch(*drafts), ONTOLOGY)


def ids(projection: Projection, *steps: Step) -> list[object]:
    return [row.get("id") for step in steps for row in projection.rows.get(step, ())]


def owners(projection: Projection, step: Step) -> list[object]:
    return [row["owner"] for row in projection.rows.get(step, ())]


def rows_of(projection: Projection, step: Step) -> list[Row]:
    return [owned_row for row in projection.rows.get(step, ()) for owned_row in cast("list[Row]", row["rows"])]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Draft], dict[str, bool]]:
    """A batch that makes sense: subjects are created once, changed, deleted once; some were there before."""
    subjects = ["a", "b", "c", "conn_x", "conn_y"]
    before = {subject: draw(st.booleans()) for subject in subjects}
    alive, born = dict(before), set(before) - {name for name, is_alive in before.items() if not is_alive}
    drafts: list[Draft] = []
    for subject in draw(st.lists(st.sampled_from(subjects), max_size=12)):
        make = connection if subject.startswith("conn") else node
        if alive[subject]:
            op = draw(st.sampled_from([Op.UPDATE, Op.DELETE]))
        elif subject in born:
            continue  # an id is never used again
        else:
            op = Op.CREATE
        alive[subject] = op is not Op.DELETE
        born.add(subject)
        drafts.append(make(op, subject))
    return drafts, before


@unhurried
@given(histories())
def test_each_subject_of_a_batch_is_projected_once_in_its_last_state(
    history: tuple[list[Draft], dict[str, bool]],
) -> None:
    drafts, before = history
    projection = project_drafts(*drafts)
    last = {event.draft.subject: event for event in batch(*drafts)}
    put, dropped = ids(projection, *PUTS), ids(projection, *DROPS)
    assert sorted(put) == sorted(key for key, event in last.items() if event.draft.op is not Op.DELETE)
    assert sorted(dropped) == sorted(key for key, e in last.items() if e.draft.op is Op.DELETE and before[key])
    for step in PUTS:
        for row in projection.rows.get(step, ()):
            assert row["state"]["_version"] == last[row["id"]].seq
    # Key rows: those of what lives are made what they are to be, those of what does not go.
    assert sorted(owners(projection, Step.PUT_KEYS)) == sorted(put)
    assert sorted(owners(projection, Step.DROP_KEYS)) == sorted(dropped)


def test_what_a_batch_creates_and_deletes_leaves_no_rows() -> None:
    projection = project_drafts(
        node(Op.CREATE, "a", content=text("words")), node(Op.UPDATE, "a", code="x"), node(Op.DELETE, "a")
    )
    assert projection.rows == {}


def test_what_a_batch_changes_and_deletes_is_dropped_with_its_derived_rows() -> None:
    projection = project_drafts(node(Op.UPDATE, "a", content=text("words")), node(Op.DELETE, "a"))
    assert set(projection.rows) == {Step.DROP_NODES, Step.DROP_KEYS, Step.DROP_WINDOWS}


def test_a_change_without_content_leaves_the_search_windows_alone() -> None:
    projection = project_drafts(node(Op.UPDATE, "a", code="x"))
    assert set(projection.rows) == {Step.PUT_NODES, Step.PUT_KEYS}


def test_content_written_earlier_in_the_batch_is_kept_for_the_search_windows() -> None:
    words = text("some words")
    projection = project_drafts(node(Op.CREATE, "a", content=words), node(Op.UPDATE, "a", code="x", ref=words.ref))
    (row,) = projection.rows[Step.PUT_NODES]
    assert row["content"] == words.sha256
    assert [row["_text"] for row in rows_of(projection, Step.PUT_WINDOWS)] == ["some words"]
    assert [row["_value"] for row in rows_of(projection, Step.PUT_KEYS)] == ["s:x"]


def test_of_two_contents_in_a_batch_only_the_last_is_searched() -> None:
    projection = project_drafts(node(Op.UPDATE, "a", content=text("one")), node(Op.UPDATE, "a", content=text("two")))
    assert [row["_text"] for row in rows_of(projection, Step.PUT_WINDOWS)] == ["two"]


def test_binary_content_takes_the_place_of_searched_text() -> None:
    projection = project_drafts(node(Op.UPDATE, "a", content=content_from(b"\x00", "base64", "bin")))
    assert owners(projection, Step.PUT_WINDOWS) == ["a"]
    assert rows_of(projection, Step.PUT_WINDOWS) == []


@unhurried
@given(st.text(st.sampled_from("aß \n"), max_size=9_000))
def test_every_window_of_a_text_has_a_row_with_its_place(words: str) -> None:
    rows = rows_of(project_drafts(node(Op.CREATE, "a", content=text(words))), Step.PUT_WINDOWS)
    assert [(row["_place"], row["_text"]) for row in rows] == list(enumerate(windows(words)))
    assert {(row["_owner"], row["_domain"], row["_type"]) for row in rows} <= {("a", "d", "Note")}


def test_connections_go_before_nodes_and_nodes_come_before_connections() -> None:
    order = list(Step)
    assert order.index(Step.DROP_CONNECTIONS) < order.index(Step.DROP_NODES)
    assert order.index(Step.PUT_NODES) < order.index(Step.PUT_CONNECTIONS) < order.index(Step.PUT_KEYS)
    assert order.index(Step.PUT_NODE_TYPES) < order.index(Step.PUT_CONNECTION_TYPES) < order.index(Step.PUT_NODES)
    assert max(order.index(step) for step in Step if step.name.startswith("DROP")) < order.index(Step.PUT_DOMAIN)


def test_an_events_row_and_back_is_the_same_event() -> None:
    drafts = (
        node(Op.CREATE, "a"),
        node(Op.DELETE, "a"),
        connection(Op.CREATE, "conn_x"),
        Draft(op=Op.CREATE, kind=Kind.DOMAIN, subject="domain", state={"_created": NOW}),
    )
    for event in batch(*drafts):
        assert Event.from_row(event.row()) == event


@pytest.mark.parametrize(
    ("damage", "amiss"),
    [
        ({"_kind": None}, "it lacks '_kind'"),
        ({"_op": "x"}, "'x' is not a valid Op"),
        ({"_content_size": None}, "_content_size"),
    ],
)
def test_an_event_that_was_damaged_is_named(damage: dict[str, object], amiss: str) -> None:
    [event] = batch(node(Op.CREATE, "a", content=text("words")))
    row = {key: value for key, value in (dict(event.row()) | damage).items() if value is not None}
    with pytest.raises(GraphError, match=f"^STORE_CONFLICT: Event .* of domain d cannot be read: .*{amiss}"):
        Event.from_row(row)


def test_a_state_of_content_names_it_by_its_hash_and_not_by_its_text() -> None:
    words = text("secret words")
    assert "secret" not in repr(content_state(words.ref))
    assert content_state(words.ref)["_content_sha256"] == words.sha256


BOTH = Ontology.create(
    [], [ConnectionType("Joins", ("*",), ("*",), inverse="JoinedBy", materialize_inverse=True)], open=True
)


def test_a_second_relationship_is_put_and_dropped_between_the_ends_turned_round():
    place = {"owner": "conn_x", "from": "b", "to": "a"}
    for op in (Op.CREATE, Op.UPDATE):
        [row] = project("d", batch(connection(op, "conn_x")), BOTH).rows[Step.PUT_INVERSES]
        assert row.items() >= {**place, "type": "JoinedBy", "is_new": op is Op.CREATE}.items()
        state = {"_created": NOW, "_modified": NOW, "code": "k", "_domain": "d", "_version": 11, "_type": "JoinedBy"}
        assert row["state"] == {**state, "_inverse_of": "conn_x", "_creation_method": "automatic"}
    rows = project("d", batch(connection(Op.DELETE, "conn_x")), BOTH).rows
    assert (rows.get(Step.DROP_INVERSES), rows.get(Step.PUT_INVERSES)) == ([place], None)


def test_a_second_relationship_has_no_content_protection_and_evidence_of_its_own():
    state = {
        "_created": NOW,
        "_modified": NOW,
        "_evidence": "conn_y",
        "_protection": "{}",
        **content_state(text("t").ref),
    }
    draft = replace(connection(Op.UPDATE, "conn_x"), state=state)
    [row] = project("d", batch(draft), BOTH).rows[Step.PUT_INVERSES]
    assert sorted(cast("dict[str, object]", row["state"])) == [
        *("_created", "_creation_method", "_domain", "_inverse_of", "_modified", "_type", "_version")
    ]


def test_a_type_without_second_relationships_asks_for_none():
    assert not project_drafts(connection(Op.CREATE, "conn_x")).rows.keys() & {Step.PUT_INVERSES, Step.DROP_INVERSES}


HIDDEN_INVERSE = ConnectionType("has", ("*",), ("*",), inverse="i\u2066s")


@pytest.mark.parametrize(
    "declared",
    [NodeType("Per\u202eson"), ConnectionType("kno\u200bws", ("*",), ("*",)), HIDDEN_INVERSE],
)
def test_a_new_type_has_a_name_that_can_be_seen(declared: NodeType | ConnectionType) -> None:
    with pytest.raises(GraphError) as caught:
        new_type_draft(declared)
    assert "contains the invisible character U+" in caught.value.message


def test_an_entity_of_a_type_with_invisible_characters_is_stored_under_the_visible_name() -> None:
    assert stored_name("Per\u202eson", "entity") == "Per son"
    assert stored_name("\u200b", "entity") == "entity"
    assert stored_name("Café 👩\u200d🚀", "entity") == "Café 👩\u200d🚀"
