"""Merging: the table of cases in merge_cases.yaml, each under every strategy, and what no table shows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from graph_memory.memory.branches.plan import Plan, plan
from graph_memory.memory.branches.subject import merge_subject, merge_tags
from graph_memory.memory.branches.values import (
    Choices,
    ConflictKind,
    ConflictSide,
    MergeItem,
    Resolution,
    Strategy,
    Version,
    is_same_version,
)
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.values import UniqueValue
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Op, Origin
from graph_memory.model.ontology.ontology import (
    ConnectionType,
    NodeType,
    Ontology,
    connection_type_from,
    node_type_from,
)
from graph_memory.model.ontology.types import PropertyRule
from graph_memory.model.projection import type_draft
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import State, content_state
from graph_memory.model.values.content import Content
from graph_memory.model.values.properties import key_value
from graph_memory.model.values.titles import title_of
from tables import for_rows

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("merge_cases.yaml").read_text(encoding="utf-8")
)
KINDS = {
    "property": Kind.NODE,
    "content": Kind.NODE,
    "node": Kind.NODE,
    "connection": Kind.CONNECTION,
    "observation": Kind.OBSERVATION,
    "node_type": Kind.NODE_TYPE,
    "connection_type": Kind.CONNECTION_TYPE,
    "values": Kind.NODE,
}
PAIRS = {
    *product(("unchanged", "changed", "deleted"), repeat=2),
    ("same", "same"),
    ("different", "different"),
    ("unchanged", "created"),
    ("created", "unchanged"),
    ("alike", "alike"),
    ("unlike", "unlike"),
} - {("changed", "changed")}
EXPECTED = {Strategy.MANUAL: "manual", Strategy.OURS: "with_ours", Strategy.THEIRS: "with_theirs"}
THEN = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 2, 2, tzinfo=UTC)
ONTOLOGY = Ontology.create(
    [NodeType("N", properties=(PropertyRule("key", unique=True),)), NodeType("M")],
    [ConnectionType("C", ("*",), ("*",))],
)
LIVING = {"home": "N", "other": "N"}


def _tables() -> Iterator[Any]:
    for aspect, kind in KINDS.items():
        for case, strategy in product(CASES[aspect], Strategy):
            yield kind, case, strategy


def _wholes() -> Iterator[Any]:
    for case, strategy in product(CASES["whole"], Strategy):
        if {EXPECTED[strategy], "always"} & case.keys():
            yield case, strategy


def _expectation(case: Mapping[str, Any], strategy: Strategy) -> Any:
    return case[EXPECTED[strategy]] if EXPECTED[strategy] in case else case["always"]


def _content(arguments: Mapping[str, Any]) -> Content | None:
    if "$content" in arguments:
        return Content(arguments["$content"].encode(), "utf-8", arguments.get("$format", "markdown"))
    return Content(arguments["$bytes"].encode(), "base64", "pdf") if "$bytes" in arguments else None


def _version(
    kind: Kind,
    arguments: Mapping[str, Any] | None,
    type_name: str | None = None,
    ends: Sequence[str] = ("home", "other"),
) -> Version | None:
    """Return the version that a short state of the table stands for."""
    if arguments is None:
        return None
    if kind in (Kind.NODE_TYPE, Kind.CONNECTION_TYPE):
        return _type(kind, arguments)
    own: State = {key: value for key, value in arguments.items() if not key.startswith("$")}
    content = _content(arguments)
    if kind is Kind.OBSERVATION:
        return Version(kind=kind, from_id=ends[0], state={"_text": arguments["$text"], "_time": THEN})
    state: State = {**own, "_created": THEN, "_modified": THEN, **(content_state(content.ref) if content else {})}
    if kind is Kind.CONNECTION:
        return Version(kind=kind, type=type_name or "C", from_id=ends[0], to_id=ends[1], state=state, content=content)
    state |= {f"_{name}": arguments[f"${name}"] for name in ("tags", "path") if f"${name}" in arguments}
    state |= {
        name: THEN + timedelta(days=arguments[f"${name}"])
        for name in ("_valid_from", "_valid_to")
        if f"${name}" in arguments
    }
    state["_title"] = title_of(type_name or "N", own, content.text if content else None)  # type: ignore[arg-type]
    return Version(kind=kind, type=type_name or "N", state=state, content=content)


def _type(kind: Kind, arguments: Mapping[str, Any]) -> Version:
    declared = {key: value for key, value in arguments.items() if key != "required"}
    if "required" in arguments:
        declared["required_properties"] = arguments["required"]
    read = node_type_from if kind is Kind.NODE_TYPE else connection_type_from
    return Version(kind=kind, state=type_draft(read(declared)).state or {})


def _merge_item(subject: str, base: Version | None, ours: Version | None, theirs: Version | None) -> MergeItem:
    last = ours or base
    event = None
    if last is not None:
        draft = Draft(
            op=Op.UPDATE if ours else Op.DELETE,
            kind=last.kind,
            subject=subject,
            type=last.type,
            from_id=last.from_id,
            to_id=last.to_id,
            state=ours.state if ours else None,
        )
        event = Event(domain="d", seq=7, id="evt_7", at=THEN, batch="evt_7", origin=Origin(), draft=draft)
    return MergeItem(subject=subject, base=base, ours=ours, theirs=theirs, last=event)


def _choices(case: Mapping[str, Any], strategy: Strategy) -> Choices:
    resolutions = [
        Resolution(
            subject=choice["subject"],
            name=choice.get("name"),
            take=ConflictSide(choice["take"]) if "take" in choice else None,
            value=choice.get("value"),
        )
        for choice in case.get("resolve", ())
    ]
    return Choices.of(strategy, resolutions)


def _names(plan: Plan, subject: str) -> list[str]:
    conflicts = [conflict for conflict in plan.conflicts if conflict.subject == subject]
    return sorted(f"{conflict.clash} {conflict.name}" if conflict.name else conflict.clash for conflict in conflicts)


def _check_draft(plan: Plan, item: MergeItem | None, subject: str, expected: Version | None) -> None:
    """Check that a subject gets a state, or is deleted where None is expected."""
    [draft] = [draft for draft in plan.drafts if draft.subject == subject]
    assert not _names(plan, subject)
    if expected is None:
        assert (draft.op, draft.state) == (Op.DELETE, None)
        return
    assert item is not None
    assert draft.op is (Op.UPDATE if item.ours else Op.CREATE)
    assert draft.previous == (item.last.seq if item.last else None)
    state = draft.state or {}
    got = Version(kind=draft.kind, type=draft.type, from_id=draft.from_id, to_id=draft.to_id, state=state)
    assert is_same_version(got, expected), state
    assert state.get("_title") == expected.state.get("_title")
    assert state.get("_modified") == (NOW if draft.kind in (Kind.NODE, Kind.CONNECTION) else None)
    before = item.ours.ref if item.ours else None
    is_new = expected.ref is not None and (before is None or before.sha256 != expected.ref.sha256)
    assert (draft.content.ref if draft.content else None) == (expected.ref if is_new else None)


def _check(plan: Plan, item: MergeItem | None, subject: str, expected: Any, like: Version | None) -> None:
    match expected:
        case list():
            assert _names(plan, subject) == sorted(expected)
        case "nothing":
            assert not plan.drafts
            assert not plan.conflicts
        case "deleted":
            _check_draft(plan, item, subject, None)
        case _:
            assert like is not None
            ends = like.ends or ("home", "other")
            _check_draft(plan, item, subject, _version(like.kind, expected, like.type, ends))


@for_rows(("kind", "case", "strategy"), list(_tables()))
def test_the_table(kind: Kind, case: Mapping[str, Any], strategy: Strategy) -> None:
    types = case.get("type", (None, None, None))
    subject = f"{kind}/{case['theirs']['name']}" if kind.endswith("_type") and case["theirs"] else "x"
    versions = [
        _version(kind, case[side], type_) for side, type_ in zip(("base", "ours", "theirs"), types, strict=True)
    ]
    item = _merge_item(subject, *versions)
    context = Context(
        ontology=_ontology(case["ours"] if kind.endswith("_type") else None, kind), existing_node_types=LIVING
    )
    result = plan([item], context, _choices(case, strategy), NOW)
    expected = _expectation(case, strategy)
    _check(result, item, subject, expected, next((version for version in reversed(versions) if version), None))


def _ontology(own: Mapping[str, Any] | None, kind: Kind) -> Ontology:
    """Return an ontology that declares what the target does."""
    if own is None:
        return ONTOLOGY
    declared = {("required_properties" if key == "required" else key): value for key, value in own.items()}
    if kind is Kind.NODE_TYPE:
        return ONTOLOGY.with_node_type(node_type_from(declared))
    others = [connection_type for connection_type in ONTOLOGY.connection_types if connection_type.name != own["name"]]
    return replace(ONTOLOGY, connection_types=(*others, connection_type_from(declared)))


@for_rows(("case", "strategy"), list(_wholes()))
def test_what_only_the_whole_shows(case: Mapping[str, Any], strategy: Strategy) -> None:
    items = {item.subject: item for item in _subjects(case)}
    result = plan(items.values(), _context(case), _choices(case, strategy), NOW)
    expected = _expectation(case, strategy)
    assert {draft.subject for draft in result.drafts} | {
        conflict.subject for conflict in result.conflicts
    } == expected.keys()
    for subject, wanted in expected.items():
        item = items.get(subject)
        _check(result, item, subject, wanted, item and (item.theirs or item.ours))


def _subjects(case: Mapping[str, Any]) -> Iterator[MergeItem]:
    types = case.get("types", {})
    for name, versions in case.get("node_types", {}).items():
        yield _merge_item(f"node_type/{name}", *(_version(Kind.NODE_TYPE, version) for version in versions))
    for subject, versions in case.get("nodes", {}).items():
        yield _merge_item(subject, *(_version(Kind.NODE, version, types.get(subject)) for version in versions))
    for subject, connection in case.get("connections", {}).items():
        yield _merge_item(
            subject,
            *(_version(Kind.CONNECTION, version, None, connection["ends"]) for version in connection["versions"]),
        )


def _context(case: Mapping[str, Any]) -> Context:
    ontology = ONTOLOGY
    for versions in case.get("node_types", {}).values():
        ontology = _ontology(versions[1], Kind.NODE_TYPE)
    attached = {
        node: [Draft(op=Op.DELETE, kind=Kind.CONNECTION, subject=subject, type="C") for subject in subjects]
        for node, subjects in case.get("attached", {}).items()
    }
    owners = {
        UniqueValue(Kind.NODE, "N", "key", key_value(value)): {owner: None}
        for value, owner in case.get("owners", {}).items()
    }
    return Context(
        ontology=ontology,
        existing_node_types=dict.fromkeys(case.get("living", ()), "N"),
        attached=attached,
        owners=owners,
        broken_rules={subject: BrokenRule(rule) for subject, rule in case.get("broken", {}).items()},
    )


@for_rows("aspect", ["property", "content", "node", "connection", "observation"])
def test_the_table_has_each_pair_of_changes(aspect: str) -> None:
    assert {tuple(case["pair"]) for case in CASES[aspect]} == PAIRS


@pytest.mark.parametrize("aspect", ["node_type", "connection_type"])
def test_the_table_has_each_pair_of_changes_of_a_type(aspect: str) -> None:
    assert {tuple(case["pair"]) for case in CASES[aspect]} == PAIRS


def test_the_older_time_of_creation_is_kept() -> None:
    ours, theirs = _version(Kind.NODE, {"s": "a"}), _version(Kind.NODE, {"s": "b"})
    assert ours is not None
    assert theirs is not None
    later = replace(theirs, state={**theirs.state, "_created": THEN + timedelta(days=1)})
    merged = merge_subject(_merge_item("x", None, ours, later), Choices(Strategy.THEIRS)).after
    assert merged is not None
    assert merged.state["_created"] == THEN
    assert merged.state["s"] == "b"


def test_a_choice_is_told_of_as_what_it_settled() -> None:
    item = _merge_item("x", *(_version(Kind.NODE, {"s": value}) for value in "abc"))
    result = plan([item], Context(ontology=ONTOLOGY), Choices(Strategy.THEIRS), NOW)
    assert [
        (conflict.clash, conflict.name, conflict.base, conflict.ours, conflict.theirs) for conflict in result.settled
    ] == [(ConflictKind.PROPERTY, "s", "a", "b", "c")]


def test_a_conflict_of_content_names_the_lines() -> None:
    item = _merge_item("x", *(_version(Kind.NODE, {"$content": f"1\n{line}\n3"}) for line in "abc"))
    [conflict] = merge_subject(item, Choices()).conflicts
    assert [(chunk.ours, chunk.theirs, chunk.before) for chunk in conflict.chunks] == [(("b",), ("c",), (1, 1, 1))]


def test_changes_come_in_an_order_in_which_each_could_be_made() -> None:
    nodes = [_merge_item(f"n{place}", None, None, _version(Kind.NODE, {})) for place in range(2)]
    connection = _merge_item("c", None, None, _version(Kind.CONNECTION, {}, None, ("n0", "n1")))
    new_type = _merge_item("node_type/T", None, None, _type(Kind.NODE_TYPE, {"name": "T"}))
    result = _merge_item("g", *(_version(Kind.NODE, {}) for _ in range(2)), None)
    its = _merge_item("i", *(_version(Kind.CONNECTION, {}, None, ("g", "home")) for _ in range(2)), None)
    context = Context(ontology=ONTOLOGY, existing_node_types={"g": "N", **LIVING})
    answer = plan([result, connection, *nodes, its, new_type], context, Choices(), NOW)
    assert [draft.subject for draft in answer.drafts] == ["i", "g", "node_type/T", "n0", "n1", "c"]


def _choice(name: str, value: object = None, take: ConflictSide | None = None) -> Choices:
    return Choices.of(Strategy.THEIRS, [Resolution(subject="x", name=name, value=value, take=take)])  # type: ignore[arg-type]


@for_rows(
    ("kind", "name", "take"),
    [
        (Kind.NODE, "_content_sha256", ConflictSide.THEIRS),
        (Kind.NODE, "_title", ConflictSide.THEIRS),
        (Kind.NODE, "_created", ConflictSide.OURS),
        (Kind.NODE, "_text", None),
        (Kind.CONNECTION, "_tags", ConflictSide.OURS),
        (Kind.CONNECTION, "_path", None),
        (Kind.OBSERVATION, "_content", None),
        (Kind.OBSERVATION, "s", None),
        (Kind.NODE_TYPE, "_definition", ConflictSide.THEIRS),
    ],
)
def test_a_value_that_a_subject_cannot_have_is_not_resolved(kind: Kind, name: str, take: ConflictSide | None) -> None:
    short: dict[Kind, Any] = {Kind.OBSERVATION: {"$text": "t"}, Kind.NODE_TYPE: {"name": "T"}}
    both = _version(kind, short.get(kind, {"s": "a", "$content": "c"}))
    with pytest.raises(GraphError) as refused:
        merge_subject(_merge_item("x", None, both, both), _choice(name, None if take else "v", take))
    assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, "resolutions")


def test_what_a_subject_needs_is_not_taken_from_a_side_that_has_none() -> None:
    new = _merge_item("x", None, None, _version(Kind.NODE, {"$content": "c", "$tags": ["t"]}))
    for name in ("_content", "_content_format"):
        with pytest.raises(GraphError) as refused:
            merge_subject(new, _choice(name, take=ConflictSide.OURS))
        assert refused.value.code is Code.INVALID_ARGUMENT
    merged = merge_subject(new, _choice("_tags", take=ConflictSide.OURS)).after
    assert merged is not None
    assert "_tags" not in merged.state


def test_a_value_is_as_told_also_where_both_made_the_same_change_or_the_whole_was_settled() -> None:
    version, other = (_version(Kind.NODE, {"s": value, "$content": value}) for value in "ab")
    assert version is not None
    cases = [
        _merge_item("x", version, other, other),
        _merge_item("x", version, None, other),
        _merge_item("x", None, version, other),
        _merge_item("x", version, other, None),
    ]
    for case in cases:
        for strategy in (Strategy.OURS, Strategy.THEIRS):
            resolutions = [Resolution(subject="x", name=name, value="told") for name in ("s", "_content")]
            plain = merge_subject(case, Choices.of(strategy, [])).after
            after = merge_subject(case, Choices.of(strategy, resolutions)).after
            assert (after is None) == (plain is None)
            if after is not None:
                assert (after.state["s"], after.content and after.content.text) == ("told", "told")


def test_the_windows_of_texts_are_made_with_the_plan() -> None:
    item = _merge_item("x", None, None, _version(Kind.NODE, {"$content": "Some Text"}))
    [draft] = plan([item], Context(ontology=ONTOLOGY), Choices(), NOW).drafts
    assert draft.windows == ("some text",)


def test_swapping_the_sides_merges_the_same_tags() -> None:
    base, ours, theirs = ["a", "b", "c"], ["c", "a", "x"], ["y", "b", "a"]
    assert sorted(merge_tags(base, ours, theirs)) == sorted(merge_tags(base, theirs, ours)) == ["a", "x", "y"]


def test_ten_thousand_subjects_are_planned_in_a_moment() -> None:
    versions = [{"key": "a"}, {"key": "a"}, {"key": "a", "t": 1}]
    items = [
        _merge_item(f"n{place}", *(_version(Kind.NODE, {**version, "key": f"{place}"}) for version in versions))
        for place in range(10_000)
    ]
    began = time.process_time()  # of this process alone: the machine may be busy
    result = plan(items, Context(ontology=ONTOLOGY), Choices(), NOW)
    assert len(result.drafts) == 10_000
    assert time.process_time() - began < 5
