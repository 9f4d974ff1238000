"""Changes in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graph_memory.memory.history.narration import ChangeToDescribe, summary
from graph_memory.memory.history.results import LogEntry, LogPage
from graph_memory.model.events import Draft, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import State
from tables import for_rows

CALL: State = {"_title": "Call", "status": "next", "_content_sha256": "a", "_content_size": 1200}


def node(op: Op, state: State | None, before: State | None = None) -> str:
    draft = Draft(op=op, kind=Kind.NODE, subject="mem_1", type="Action", state=state)
    return summary(ChangeToDescribe(draft, before, at=datetime(2026, 11, 27, 10, tzinfo=UTC)))


def test_a_node_is_named_by_type_and_title() -> None:
    assert node(Op.CREATE, CALL) == 'Action "Call" created'
    assert node(Op.DELETE, None, CALL) == 'Action "Call" deleted'


def test_what_is_there_again_after_it_was_deleted_was_restored() -> None:
    again = Draft(op=Op.CREATE, kind=Kind.NODE, subject="mem_1", type="Action", state=CALL, previous=7)
    assert summary(ChangeToDescribe(again)) == 'Action "Call" restored'


@for_rows(
    ("change", "words"),
    [
        ({"status": "done"}, 'status "next" → "done"'),
        ({"n": 1, "done": True}, "done true added, n 1 added"),
        ({"_content_sha256": "b", "_content_size": 7}, "content 1,200 bytes → 7 bytes"),
        ({"_content_sha256": "b"}, "content rewritten, 1,200 bytes"),
        ({"_title": "Phone"}, 'title "Call" → "Phone"'),
        ({"_tags": ["a"]}, 'tags ["a"] added'),
        ({}, "rewritten"),
        ({"_valid_to": datetime(2026, 11, 27, tzinfo=UTC)}, "ended on 26 November 2026"),
        ({"_valid_to": datetime(2026, 12, 4, 9, tzinfo=UTC)}, "ends on 4 December 2026"),
        ({"_valid_from": datetime(2026, 11, 1, tzinfo=UTC)}, "began on 1 November 2026"),
        ({"aliases": '["Ines", "I. Sol"]'}, 'alias "Ines" added, alias "I. Sol" added'),
        ({"status": "x" * 60}, f'status "next" → "{"x" * 39}…"'),
        ({f"p{n}": n for n in range(9)}, ", ".join(f"p{n} {n} added" for n in range(6)) + ", 3 more changes"),
    ],
)
def test_an_update_tells_what_changed(change: State, words: str) -> None:
    after = {**CALL, **change}
    title = after["_title"]
    assert node(Op.UPDATE, after, CALL) == f'Action "{title}": {words}'


def test_a_property_that_went_is_told() -> None:
    bound: State = {"_title": "Call", "_valid_to": datetime(2026, 12, 5, tzinfo=UTC)}
    later: State = {"_title": "Call", "_valid_to": datetime(2026, 12, 7, tzinfo=UTC)}
    assert node(Op.UPDATE, later, bound).endswith("ends on 6 December 2026, not on 4 December 2026")
    assert node(Op.UPDATE, {"_title": "Call"}, bound).endswith("end removed")
    assert node(Op.UPDATE, {"_title": "Call"}, {"_title": "Call", "aliases": '["I"]'}).endswith('alias "I" removed')
    assert node(Op.UPDATE, {"_title": "Call"}, {"_title": "Call", "status": "next"}).endswith("status removed")


@pytest.mark.parametrize(
    ("key", "before", "after", "words"),
    [
        ("_valid_to", (26, 9, 0), (26, 14, 30), "ended on 26 November 2026 at 14:30, not at 09:00 (UTC)"),
        ("_valid_to", (26, 9, 0), (27, 0, 0), "ended on 26 November 2026 at 24:00, not at 09:00 (UTC)"),
        ("_valid_from", (26, 9, 0), (26, 9, 0, 5), "began on 26 November 2026 at 09:00:05, not at 09:00:00 (UTC)"),
    ],
)
def test_a_bound_that_moved_within_a_day_has_its_time(
    key: str, before: tuple[int, ...], after: tuple[int, ...], words: str
) -> None:
    earlier, later = (datetime(2026, 11, *at, tzinfo=UTC) for at in (before, after))  # type: ignore[misc]
    assert node(Op.UPDATE, {"_title": "Call", key: later}, {"_title": "Call", key: earlier}).endswith(words)


def test_a_change_of_aliases_that_changes_no_name_tells_the_values() -> None:
    def narrate(before: object, after: object) -> str:
        states: list[State] = [
            {"_title": "Call"} | ({} if value is None else {"aliases": value})  # type: ignore[dict-item]
            for value in (before, after)
        ]
        return node(Op.UPDATE, states[1], states[0]).removeprefix('Action "Call": ')

    assert narrate(7, 8) == "aliases 7 → 8"
    assert narrate(None, 8) == "aliases 8 added"
    assert narrate(7, None) == "aliases removed"
    assert narrate("A,B", "B, A") == 'aliases "A,B" → "B, A"'


def test_a_value_of_another_kind_is_a_change() -> None:
    assert "n 1 → true" in node(Op.UPDATE, {"_title": "Call", "n": True}, {"_title": "Call", "n": 1})


def test_a_connection_is_named_by_its_ends() -> None:
    draft = Draft(op=Op.CREATE, kind=Kind.CONNECTION, subject="c", type="NextAction", from_id="a", to_id="b", state={})
    assert summary(ChangeToDescribe(draft, None, "Kitchen", "Call")) == '"Kitchen" NextAction "Call" created'
    assert summary(ChangeToDescribe(draft)) == '"a" NextAction "b" created'


def test_types_and_beginnings_are_told() -> None:
    draft = Draft(op=Op.CREATE, kind=Kind.NODE_TYPE, subject="node_type/Action", state={"_name": "Action"})
    assert summary(ChangeToDescribe(draft)) == "Node type Action defined"
    assert (
        summary(ChangeToDescribe(Draft(op=Op.CREATE, kind=Kind.DOMAIN, subject="domain", state={}))) == "Domain created"
    )


def test_an_observation_is_told_with_the_node_it_is_about() -> None:
    draft = Draft(op=Op.CREATE, kind=Kind.OBSERVATION, subject="obs_1", from_id="mem_1", state={"_text": "likes tea"})
    assert summary(ChangeToDescribe(draft, None, "Ann")) == 'Observation "likes tea" on "Ann" created'


def test_what_a_terminal_would_obey_is_shown_as_text() -> None:
    assert "\x1b" not in node(Op.CREATE, {"_title": "a\x1b[31m"})


def test_a_merge_is_named_by_what_was_merged_and_so_is_undoing_it() -> None:
    states: list[State] = [
        {"_forked_from": "main", "_forked_at": 7},
        {"_forked_from": "main", "_merges": '{"trial": {"source_seq": 30}}'},
        {"_forked_from": "main", "_merges": '{"other": {"source_seq": 5}, "trial": {"source_seq": 30}}'},
        {"_forked_from": "main", "_merges": '{"other": {"source_seq": 5}, "trial": {"source_seq": 44}}'},
    ]

    def narrate(before: State | None, state: State) -> str:
        op = Op.UPDATE if before else Op.CREATE
        return summary(ChangeToDescribe(Draft(op=op, kind=Kind.DOMAIN, subject="domain", state=state), before))

    assert narrate(None, states[0]) == "Branched from main as it was at 7"
    assert narrate(states[0], states[1]) == "Merged trial as it was at 30"
    assert narrate(states[1], states[2]) == "Merged other as it was at 5"
    assert narrate(states[2], states[3]) == "Merged trial as it was at 44"
    assert narrate(states[3], states[2]) == "Merge of trial undone"
    assert narrate(states[1], states[0]) == "Merge of trial undone"


def test_types_that_one_caller_defined_in_a_row_are_one_line_beside_other_changes() -> None:
    def entry(seq: int, kind: Kind, by: str = "ann") -> LogEntry:
        subject, text = f"{kind}/T{seq}", f"change {seq}"
        at = datetime(2026, 11, 27, 10, tzinfo=UTC)
        own = {"operation": "create", "kind": kind, "subject": subject, "by": by, "source": "user", "batch": "b"}
        return LogEntry.model_validate({"seq": seq, "id": "evt", "at": at, "summary": text, **own})

    node_type, other = Kind.NODE_TYPE, "bob"
    entries = [entry(8, node_type, other), *(entry(seq, node_type) for seq in (7, 6, 5, 4)), entry(3, Kind.NODE)]
    entries += [entry(2, node_type), entry(1, node_type)]
    page = LogPage(entries=tuple(entries))
    assert [(line.seq, line.summary) for line in page.lines.entries] == [
        (8, "change 8"),
        (7, "4 types defined (4 to 7): T4, T5, T6 and 1 more"),
        *((seq, f"change {seq}") for seq in (3, 2, 1)),
    ]
    assert len(page.entries) == 8
