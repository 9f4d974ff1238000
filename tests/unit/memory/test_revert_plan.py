"""Plans of a revert: the changes to write, their order, and the conflicts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph_memory import Code, GraphError
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.values import UniqueValue
from graph_memory.memory.revert.conflicts import choice_calls
from graph_memory.memory.revert.later_changes import REVERT, REVERTS, Run, cancels_out, has_same_state, unselected_runs
from graph_memory.memory.revert.plan import plan
from graph_memory.memory.revert.values import Conflict, OnConflict, Plan, Reversal, revert_conflict_error
from graph_memory.model.events import Draft, Event, Op, Origin
from graph_memory.model.ontology.ontology import AnyType, ConnectionType, NodeType, Ontology, PropertyRule
from graph_memory.model.projection import type_draft
from graph_memory.model.results import ReadyCall
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import State
from graph_memory.model.values.properties import PropertyType, key_value

NOW = datetime(2026, 2, 2, tzinfo=UTC)
TASK = NodeType("Task", properties=(PropertyRule("rank", type=PropertyType.NUMBER),))
NOTE = NodeType("Note", properties=(PropertyRule("code", unique=True),))
NEXT = ConnectionType("Next", ("Task",), ("Task", "Note"))
LINK = ConnectionType("Link", ("*",), ("*",))
TARGET = Ontology.create([NOTE], [LINK])
VALUE = UniqueValue(Kind.NODE, "Note", "code", key_value("1"))
ALL = Ontology.create([NOTE, TASK], [LINK, NEXT])


def event(draft: Draft, seq: int = 9) -> Event:
    return Event(domain="d", seq=seq, id=f"evt_{seq}", at=NOW, batch="evt_1", origin=Origin(), draft=draft)


def undo(draft: Draft, before: State | None, **more: Any) -> Reversal:
    return Reversal(subject=draft.subject, last=event(draft), target=before, **more)


def node(name: str, type_name: str = "Note", *, is_live: bool = True, **properties: Any) -> Draft:
    op, state = (Op.UPDATE, properties) if is_live else (Op.DELETE, None)
    return Draft(op=op, kind=Kind.NODE, subject=name, type=type_name, state=state)


def tie(name: str, ends: tuple[str, str], type_name: str = "Link", *, is_live: bool = True, **properties: Any) -> Draft:
    draft = node(name, type_name, is_live=is_live, **properties)
    return Draft(**{**_fields(draft), "kind": Kind.CONNECTION, "from_id": ends[0], "to_id": ends[1]})


def declaration(kind: AnyType, *, is_live: bool = True) -> Draft:
    draft = type_draft(kind)
    return draft if is_live else Draft(**{**_fields(draft), "op": Op.DELETE, "state": None})


def _fields(draft: Draft) -> dict[str, Any]:
    return {name: getattr(draft, name) for name in ("op", "kind", "subject", "type", "from_id", "to_id", "state")}


def undo_creation(draft: Draft, **more: Any) -> Reversal:
    """Return the undoing of a creation, which deletes the subject."""
    return undo(draft, None, **more)


def undo_deletion(draft: Draft, before: State | None = None, **more: Any) -> Reversal:
    """Return the undoing of a deletion, which restores the subject."""
    return undo(draft, before or {}, **more)


def type_back(kind: AnyType) -> Reversal:
    return undo(declaration(kind, is_live=False), declaration(kind).state)


def detach(draft: Draft) -> Draft:
    return Draft(**{**_fields(draft), "op": Op.DELETE, "state": None})


def context_with(ontology: Ontology = ALL, living: Iterable[str] = (), **more: Any) -> Context:
    begun = Draft(op=Op.CREATE, kind=Kind.ONTOLOGY, subject="ontology", state={"_open": False})
    types = dict.fromkeys(living, "Note")
    return Context(ontology=ontology, existing_node_types=types, ontology_event=event(begun, 2), **more)


def skipped_reasons(plan: Plan) -> dict[str, str]:
    return {conflict.subject: conflict.reason for conflict in plan.skipped}


def written_subjects(plan: Plan) -> list[tuple[str, str]]:
    return [(str(draft.op), draft.subject) for draft in plan.drafts]


def plan_revert(undos: Sequence[Reversal], context: Context, choice: OnConflict = OnConflict.SKIP) -> Plan:
    return plan(undos, context, NOW, choice)


def test_data_goes_before_its_types_and_connection_types_before_node_types() -> None:
    undos = [
        undo_creation(declaration(TASK)),
        undo_creation(declaration(NEXT)),
        undo_creation(node("a", "Task")),
        undo_creation(node("b", "Task")),
        undo_creation(tie("c", ("a", "b"), "Next")),
    ]
    attached = {"a": [detach(undos[4].last.draft)], "b": [detach(undos[4].last.draft)]}
    result = plan_revert(undos, context_with(attached=attached), OnConflict.STOP)
    types = [("delete", "connection_type/Next"), ("delete", "node_type/Task"), ("update", "ontology")]
    assert [text for _, text in written_subjects(result)[:1]] == ["c"]
    assert {text for _, text in written_subjects(result)[1:3]} == {"a", "b"}
    assert written_subjects(result)[3:] == types
    assert result.ontology == TARGET
    assert result.drafts[-1].previous == 2


def test_types_come_back_before_what_is_of_them() -> None:
    undos = [
        undo_deletion(tie("c", ("a", "b"), "Next", is_live=False)),
        undo_deletion(node("a", "Task", is_live=False), {"rank": 1}),
        undo_deletion(node("b", "Task", is_live=False)),
        type_back(NEXT),
        type_back(TASK),
    ]
    result = plan_revert(undos, context_with(TARGET), OnConflict.STOP)
    subjects = ["node_type/Task", "connection_type/Next", "a", "b", "c"]
    assert written_subjects(result) == [("create", subject) for subject in subjects]
    assert result.ontology == ALL


@pytest.mark.parametrize("choice", OnConflict)
def test_a_type_that_is_needed_stays_whatever_is_chosen(choice: OnConflict) -> None:
    for undos, context, reason in (
        (
            [undo_creation(declaration(TASK))],
            context_with(users={"node_type/Task": "node x has this type"}),
            "node x has this type",
        ),
        ([undo_creation(declaration(TASK))], context_with(), "connection type Next refers to it"),
        (
            [undo_creation(declaration(NEXT)), undo(tie("c", ("a", "b"), "Next", n=1), {"n": 0})],
            context_with(living=("a", "b")),
            "connection c has this type",
        ),
    ):
        [subject] = [undo.subject for undo in undos if undo.kind in TYPES]
        if choice is OnConflict.STOP:
            with pytest.raises(GraphError) as caught:
                plan_revert(undos, context, choice)
            assert caught.value.code is Code.REVERT_CONFLICT
            conflicts: Any = caught.value.details["conflicts"]
            assert {"subject": subject, "reason": reason, "forcible": False} in conflicts
        else:
            assert skipped_reasons(plan_revert(undos, context, choice))[subject] == reason


def test_a_type_is_kept_with_what_is_left_of_it_down_to_the_last() -> None:
    undos = [
        undo_creation(declaration(TASK)),
        undo_creation(declaration(NEXT)),
        undo_creation(node("a", "Task")),
        undo_creation(tie("c", ("a", "a"), "Next"), later=(20,)),
    ]
    context = context_with(attached={"a": [detach(undos[3].last.draft)]})
    assert skipped_reasons(plan_revert(undos, context)) == {
        "c": "it was changed again in event 20",
        "connection_type/Next": "connection c has this type",
        "node_type/Task": "node a has this type",
        "a": "deleting it would delete 1 connection or observation added since",
    }
    forced = plan_revert(undos, context, OnConflict.FORCE)
    assert written_subjects(forced)[:2] == [("delete", "c"), ("delete", "a")]
    assert [subject for _, subject in written_subjects(forced)][2:] == [
        "connection_type/Next",
        "node_type/Task",
        "ontology",
    ]
    assert forced.skipped == ()


def test_with_force_what_goes_along_with_a_node_needs_its_type_no_more() -> None:
    outside = tie("c", ("a", "z"), "Next")
    undos = [undo_creation(declaration(NEXT)), undo_creation(node("a"))]
    context = context_with(attached={"a": [detach(outside)]})
    forced = written_subjects(plan_revert(undos, context, OnConflict.FORCE))
    assert [subject for _, subject in forced] == ["c", "a", "connection_type/Next", "ontology"]
    assert set(skipped_reasons(plan_revert(undos, context))) == {"a", "connection_type/Next"}


def test_what_comes_back_needs_a_type_that_is_there_and_allows_it() -> None:
    reversal, bad = (
        undo_deletion(node("a", "Task", is_live=False)),
        undo_deletion(node("b", "Task", is_live=False), {"rank": "x"}),
    )
    assert skipped_reasons(plan_revert([reversal], context_with(TARGET))) == {
        "a": 'it needs node type "Task", which is not defined'
    }
    [reason] = skipped_reasons(plan_revert([bad], context_with())).values()
    assert reason.startswith('the ontology does not allow it: Property "rank"')
    wrong = undo_deletion(tie("c", ("n", "m"), "Next", is_live=False))
    [reason] = skipped_reasons(plan_revert([wrong], context_with(living=("n", "m")))).values()
    assert "Cannot connect Note to Note with Next" in reason
    assert skipped_reasons(plan_revert([type_back(NEXT)], context_with(TARGET))) == {
        "connection_type/Next": 'it needs node type "Task", which is not defined'
    }


def test_what_would_be_of_a_type_that_goes_stays_away_and_the_type_goes() -> None:
    undos = [
        undo_creation(declaration(NEXT)),
        undo_creation(declaration(TASK)),
        undo_deletion(node("a", "Task", is_live=False)),
    ]
    result = plan_revert(undos, context_with())
    assert skipped_reasons(result) == {"a": 'it needs node type "Task", which is not defined'}
    assert ("delete", "node_type/Task") in written_subjects(result)


def test_a_type_that_changed_since_is_set_back_by_force_and_keeps_its_place() -> None:
    undos = [undo(declaration(NodeType("Task")), declaration(TASK).state, later=(7,))]
    assert "it was changed again" in skipped_reasons(plan_revert(undos, context_with()))["node_type/Task"]
    forced = plan_revert(undos, context_with(), OnConflict.FORCE)
    assert written_subjects(forced) == [("update", "node_type/Task")]
    assert (forced.drafts[0].state or {})["_declared"] == undos[0].last.seq


def test_what_is_as_it_was_but_for_when_it_was_changed_is_not_written_again() -> None:
    twice = undo(node("a", code=1, _modified=NOW), {"code": 1, "_modified": datetime(2026, 2, 1, tzinfo=UTC)})
    once = undo(node("b", code=1.0, _modified=NOW), {"code": 1, "_modified": NOW})
    assert written_subjects(plan_revert([twice, once], context_with())) == [("update", "b")]


def test_the_beginnings_are_never_taken_back() -> None:
    undos = [
        undo_creation(Draft(op=Op.CREATE, kind=kind, subject=str(kind), state={"_open": False}))
        for kind in (Kind.DOMAIN, Kind.ONTOLOGY)
    ]
    assert set(skipped_reasons(plan_revert(undos, context_with(), OnConflict.FORCE))) == {"domain", "ontology"}


def test_a_connection_whose_end_was_to_come_back_and_does_not_stays_away() -> None:
    undos = [
        undo_deletion(tie("c", ("a", "n"), is_live=False)),
        undo_deletion(node("a", is_live=False), {"code": "1"}),
    ]
    result = plan_revert(undos, context_with(living=("n",), owners={VALUE: {"x": None}}))
    assert result.drafts == ()
    assert skipped_reasons(result)["c"] == "it needs node a, which does not exist"


def test_a_connection_whose_end_was_to_go_and_does_not_is_set_back() -> None:
    outside = tie("c", ("a", "n"), n=2)
    undos = [undo_creation(node("a")), undo(outside, {"n": 1})]
    context = context_with(living=("a", "n"), attached={"a": [detach(outside)]})
    result = plan_revert(undos, context)
    assert skipped_reasons(result) == {"a": "deleting it would delete 1 connection or observation added since"}
    assert written_subjects(result) == [("update", "c")]
    forced = plan_revert(undos, context, OnConflict.FORCE)
    assert written_subjects(forced) == [("delete", "c"), ("delete", "a")]
    assert set(skipped_reasons(forced)) == {"c"}


def test_a_node_whose_connection_was_to_go_and_does_not_stays() -> None:
    outside = tie("c", ("a", "n"))
    undos = [undo_creation(node("a")), undo_creation(outside, later=(20,))]
    context = context_with(attached={"a": [detach(outside)]})
    assert set(skipped_reasons(plan_revert(undos, context))) == {"a", "c"}
    assert plan_revert(undos, context).drafts == ()


def test_a_value_whose_owner_was_to_give_it_up_and_does_not_is_taken() -> None:
    undos = [undo_deletion(node("a", is_live=False), {"code": "1"}), undo_creation(node("b"), later=(20,))]
    assert skipped_reasons(plan_revert(undos, context_with(owners={VALUE: {"b": None}}))) == {
        "b": "it was changed again in event 20",
        "a": "b now has the value of one of its unique properties",
    }


@pytest.mark.long
def test_the_effort_of_a_plan_grows_with_its_subjects_not_with_their_pairs() -> None:
    """With 20,000 pairs would be 200 million; the limit is far from both."""
    undos = [undo_deletion(node(f"n{number}", is_live=False), {"code": str(number)}) for number in range(20_000)]
    undos += [
        undo_deletion(tie(f"t{number}", ("gone", "gone"), is_live=False), is_implied=True) for number in range(20_000)
    ]
    began = time.process_time()
    done = plan(undos, context_with(), NOW, OnConflict.STOP)
    assert (len(done.drafts), len(done.skipped)) == (20_000, 20_000)
    assert time.process_time() - began < 20


def test_a_refusal_names_the_first_of_what_stands_against_it() -> None:
    message = revert_conflict_error(
        [Conflict(name, "it was erased") for name in ("domain", "ontology", "mem_1", "mem_2")]
    ).message
    assert message.startswith("4 changes cannot be reverted, and nothing was changed:\n  domain: it was erased\n")
    assert message.endswith("\n  and 1 more")


def test_changes_by_others_come_in_runs_between_the_selected_ones() -> None:
    assert unselected_runs([4, 7, 20], {4}) == [Run(4, (7, 20))]
    assert unselected_runs([4, 7, 9, 20, 21], {4, 9}) == [Run(4, (7,)), Run(9, (20, 21))]
    assert unselected_runs([4, 5], {4, 5}) == []


def test_a_state_is_the_same_whenever_it_was_written_unless_its_type_differs_or_it_was_erased() -> None:
    draft, later = node("a", status="next", _modified=1), node("a", status="next", _modified=2)
    assert has_same_state(event(draft), event(later))
    assert has_same_state(event(node("a", is_live=False)), event(node("a", is_live=False)))
    others = (node("a", status="done"), node("a", "Task", status="next"), node("a", is_live=False))
    assert not any(has_same_state(event(draft), event(other)) for other in others)
    assert not has_same_state(event(draft), event(replace(later, erased=True)))


def test_only_a_revert_cancels_changes_out_and_not_a_caller_who_writes_the_earlier_state_again() -> None:
    oslo, paris = node("a", city="Oslo"), node("a", city="Paris")
    events = {4: event(oslo), 7: event(paris), 9: replace(event(oslo), batch="evt_9")}
    assert cancels_out(Run(4, (7, 9)), events, {"evt_9"})
    assert not cancels_out(Run(4, (7, 9)), events, set())
    assert not cancels_out(Run(4, (9, 7)), events, {events[7].batch})
    assert f"'{REVERT}'" in REVERTS.text


def test_the_call_of_each_choice_is_told_once_and_not_for_a_thousand_ids() -> None:
    stands = [Conflict(f"mem_{number}", "it was changed again in event 20", can_be_forced=True) for number in range(20)]
    few = ReadyCall(tool="memory_revert", arguments={"event_ids": ["evt_1"], "domain": "d"})
    calls = choice_calls(stands, few)
    assert {choice: call.arguments["on_conflict"] for choice, call in calls.items()} == {
        "skip": "skip",
        "force": "force",
    }
    assert str(revert_conflict_error(stands, calls).to_dict()).count("evt_1") == 2
    assert set(choice_calls([Conflict("mem_1", "it was erased")], few)) == {"skip"}
    many = ReadyCall(tool="memory_revert", arguments={"event_ids": [f"evt_{number}" for number in range(1_000)]})
    assert choice_calls(stands, many) == {}
