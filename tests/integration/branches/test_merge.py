"""Merging: what was changed in one domain since both were the same comes into the other, in one write."""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.branches.results import MergeResult
from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, node_type_from
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.work import Decision
from profiles import some
from support import observation, observe

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Note", "properties": {"rank": {"indexed": True}, "code": {"unique": True}}}, "Task"],
        "connection_types": [
            {"name": "Link", "from": ["*"], "to": ["*"], "properties": {"key": {"unique": True}}},
            {"name": "Before", "from": ["*"], "to": ["*"], "acyclic": True},
            {"name": "Leads", "from": ["*"], "to": ["*"], "unique_source": True},
            {"name": "Part", "from": ["*"], "to": ["*"], "unique_target": True},
        ],
    }
)
AT = datetime(2026, 1, 1, tzinfo=UTC)
LARGE = "a longer text about a kitchen\n" * 5_000


@pytest.fixture
async def main(memory: Memory) -> AsyncIterator[Memory]:
    """A domain with types; whatever a test does in it, graph and log agree afterwards."""
    await memory.create_ontology(ONTOLOGY)
    yield memory
    assert (await memory.upkeep.verify()).differences == ()


async def make_branch(main: Memory, suffix: str = "b") -> tuple[str, Memory]:
    """Make a branch of a domain, and return its name and its memory."""
    name = f"{(await main.domain_info()).name}-{suffix}"
    await main.history.branch(name)
    return name, main.in_domain(name)


async def clean(*memories: Memory) -> None:
    for memory in memories:
        assert (await memory.upkeep.verify()).differences == ()


async def note(memory: Memory, text: str = "a\nb\nc", **properties: object) -> str:
    return (await memory.create_node("Note", text, properties=properties)).node_id


async def text_of(memory: Memory, node: str) -> str:
    return (await memory.get_node_content(node)).content


async def events_of(memory: Memory) -> int:
    return (await memory.domain_info()).events


async def conflicts(main: Memory, source: str, **arguments: Any) -> list[Any]:
    """The conflicts with which a merge is refused: nothing is written, and a preview tells the same."""
    before = await events_of(main)
    with pytest.raises(GraphError) as caught:
        await main.history.merge(source, **arguments)
    assert caught.value.code is Code.MERGE_CONFLICT
    result: Any = caught.value.details["conflicts"]
    preview = await main.history.merge(source, preview=True, **arguments)
    assert [conflict.to_dict() for conflict in preview.conflicts] == result
    assert await events_of(main) == before
    return result


async def conflict_names(main: Memory, source: str, **arguments: Any) -> list[tuple[str, str]]:
    return [(conflict["subject"], conflict["conflict"]) for conflict in await conflicts(main, source, **arguments)]


async def merge_twice(main: Memory, source: str, **arguments: Any) -> MergeResult:
    """Merge, after a preview that must tell the same and change nothing; merging again changes nothing more."""
    before = await events_of(main)
    preview = await main.history.merge(source, preview=True, **arguments)
    assert await events_of(main) == before
    done = await main.history.merge(source, **arguments)
    assert done.model_copy(update={"preview": True, "batch": None, "seq": None}) == preview
    again = await main.history.merge(source, **arguments)
    assert (again.changes, again.conflicts, again.seq) == ((), (), None)
    assert await events_of(main) == before + (
        0 if done.batch is None else done.created + done.updated + done.deleted + 1
    )
    return done


async def test_changes_of_both_sides_are_in_the_merged_domain(main: Memory) -> None:
    text, other, third = await note(main, rank=1), await note(main, rank=2), await note(main)
    between = await main.create_connection("Link", text, other, content="why")
    source, branch = await make_branch(main)
    await main.update_node(text, properties={"rank": 5}, content="A\nb\nc", encoding="utf-8", tags=["m"])
    await branch.update_node(text, properties={"more": True}, content="a\nb\nC", encoding="utf-8", tags=["s"])
    await branch.update_connection(between.connection_id, properties={"key": 7})
    await branch.delete_node(third)
    new = await note(branch, "fresh words", code="x")
    tied = await branch.create_connection("Link", new, other)
    await main.update_node(other, properties={"rank": 9})

    done = await merge_twice(main, source)
    assert (done.created, done.updated, done.deleted) == (2, 2, 1)
    assert await text_of(main, text) == "A\nb\nC"
    info = await main.get_node(text)
    assert (info.properties, info.tags) == ({"rank": 5, "more": True}, ("m", "s"))
    assert (await main.get_node(other)).properties == {"rank": 9}
    assert (await main.get_connection(between.connection_id)).properties == {"key": 7}
    assert (await main.get_connection(tied.connection_id)).from_node_id == new
    assert (await main.search_content("fresh words")).node_ids == (new,)
    assert (await main.query_nodes(type="Note", properties={"code": "x"})).node_ids == (new,)
    with pytest.raises(GraphError) as raised:
        await main.get_node(third)
    assert raised.value.code is Code.NODE_NOT_FOUND
    result = (await main.history.log(limit=1)).entries[0]
    assert (result.summary, result.batch) == (f"Merged {source} as it was at {done.source_seq}", done.batch)
    assert {entry.batch for entry in (await main.history.log(limit=6)).entries} == {done.batch}
    await clean(branch)


@pytest.mark.long
async def test_a_merge_is_undone_as_one_and_can_be_made_again(main: Memory) -> None:
    text, other = await note(main, rank=1), await note(main)
    source, branch = await make_branch(main)
    await branch.update_node(text, properties={"rank": 2}, content="new", encoding="utf-8")
    await branch.delete_node(other)
    await note(branch, "third")
    done = await merge_twice(main, source)
    first = done.changes[0].seq
    undone = await main.history.revert(since=first, until=done.seq)
    assert len(undone.changes) == 4
    assert (await main.get_node(text)).properties == {"rank": 1}
    assert await text_of(main, text) == "a\nb\nc"
    assert await text_of(main, other) == "a\nb\nc"
    assert (await main.query_nodes()).node_ids == tuple(sorted((text, other)))
    assert (await main.history.log(limit=1)).entries[0].summary == f"Merge of {source} undone"
    await clean(main)
    again = await merge_twice(main, source)
    assert (again.created, again.updated, again.deleted) == (1, 1, 1)
    await clean(branch)


async def test_without_differences_nothing_is_written(main: Memory) -> None:
    await note(main)
    source, branch = await make_branch(main)
    before = await events_of(main)
    for memory, other in ((main, source), (branch, (await main.domain_info()).name)):
        done = await memory.history.merge(other)
        assert (done.batch, done.changes) == (None, ())
    assert await events_of(main) == before


@pytest.mark.long
async def test_merging_onward_compares_with_what_was_merged_last(main: Memory) -> None:
    target = (await main.domain_info()).name
    node = await note(main, rank=1, other=1)
    source, branch = await make_branch(main)
    for rank, base in ((2, target), (3, source), (4, source)):
        await branch.update_node(node, properties={"rank": rank})
        done = await merge_twice(main, source)
        assert (done.base, done.updated) == (base, 1)
        assert (await main.get_node(node)).properties == {"rank": rank, "other": 1}
    for rank in (2, 3, 4):
        await main.update_node(node, properties={"other": rank})
        back = await merge_twice(branch, target)
        assert (back.base, back.updated) == (source, 1)
        await branch.update_node(node, properties={"rank": rank})
        done = await merge_twice(main, source)
        assert (done.base, done.updated) == (target, 1)
        assert (await main.get_node(node)).properties == {"rank": rank, "other": rank}
    await main.update_node(node, properties={"rank": 7})
    assert (await merge_twice(branch, target)).updated == 1
    await branch.update_node(node, properties={"rank": 8})
    assert (await merge_twice(main, source)).updated == 1
    assert (await main.get_node(node)).properties == {"rank": 8, "other": 4}
    await clean(branch)


@pytest.mark.long
async def test_a_decision_lasts_when_merging_onward(main: Memory) -> None:
    target = (await main.domain_info()).name
    node = await note(main, rank=1)
    source, branch = await make_branch(main)
    await branch.update_node(node, properties={"rank": 2})
    await main.update_node(node, properties={"rank": 3})
    done = await merge_twice(main, source, strategy="ours")
    assert (done.settled, done.changes) == (1, ())
    assert done.batch is not None
    await branch.update_node(node, properties={"more": 1})
    await merge_twice(main, source)
    assert (await main.get_node(node)).properties == {"rank": 3, "more": 1}
    await merge_twice(branch, target)
    assert (await branch.get_node(node)).properties == {"rank": 3, "more": 1}
    await clean(branch)


@pytest.mark.long
async def test_two_branches_of_one_domain_are_merged_against_what_both_come_from(main: Memory) -> None:
    node, text = await note(main, rank=1), await note(main)
    answer, first = await make_branch(main, "b")
    await main.update_node(node, properties={"later": 1})
    other, second = await make_branch(main, "c")
    await first.update_node(node, properties={"rank": 2})
    await first.delete_node(text)
    await second.update_node(node, properties={"own": 1})
    done = await merge_twice(second, answer)
    assert (done.base, done.updated, done.deleted) == ((await main.domain_info()).name, 1, 1)
    assert (await second.get_node(node)).properties == {"rank": 2, "later": 1, "own": 1}
    assert (await merge_twice(first, other)).updated == 1
    assert (await first.get_node(node)).properties == {"rank": 2, "later": 1, "own": 1}
    await merge_twice(main, other)
    assert (await merge_twice(main, answer)).changes == ()
    await clean(first, second)


@pytest.mark.long
async def test_a_branch_of_a_branch_is_merged_past_the_one_between(main: Memory) -> None:
    node = await note(main, rank=1)
    _, first = await make_branch(main)
    await first.update_node(node, properties={"first": 1})
    source, second = await make_branch(first, "c")
    await second.update_node(node, properties={"second": 1})
    await merge_twice(main, source)
    assert (await main.get_node(node)).properties == {"rank": 1, "first": 1, "second": 1}
    await clean(first, second)


async def test_domains_without_a_common_past_are_not_merged(main: Memory) -> None:
    name = f"{(await main.domain_info()).name}-other"
    await main.in_domain(name).create_ontology(ONTOLOGY)
    for source, code in ((name, Code.INVALID_ARGUMENT), (f"{name}-2", Code.ONTOLOGY_NOT_FOUND)):
        with pytest.raises(GraphError) as refused:
            await main.history.merge(source)
        assert refused.value.code is code
    with pytest.raises(GraphError) as itself:
        await main.history.merge((await main.domain_info()).name)
    assert itself.value.code is Code.INVALID_ARGUMENT


@pytest.mark.long
async def test_another_domain_of_the_same_name_is_not_taken_for_the_one_that_was_merged(main: Memory) -> None:
    node = await note(main, rank=1)
    source, branch = await make_branch(main)
    await branch.update_node(node, properties={"rank": 2, "more": 1})
    await merge_twice(main, source)
    await main.delete_domain(source)
    source, branch = await make_branch(main)
    await branch.update_node(node, properties={"rank": 3})
    assert (await merge_twice(main, source)).updated == 1
    assert (await main.get_node(node)).properties == {"rank": 3, "more": 1}
    await clean(branch)


async def test_conflicts_are_named_and_settled_by_a_side(main: Memory) -> None:
    clash, text, kept, lines = [await note(main, rank=1) for _ in range(4)]
    source, branch = await make_branch(main)
    for memory, rank in ((main, 2), (branch, 3)):
        await memory.update_node(clash, properties={"rank": rank})
        await memory.update_node(lines, content=f"a\n{rank}\nc", encoding="utf-8")
    await main.delete_node(text)
    await branch.update_node(text, properties={"rank": 4})
    await branch.delete_node(kept)
    await main.update_node(kept, properties={"rank": 5})
    expected = {(clash, "property"), (text, "deleted"), (kept, "changed"), (lines, "content")}
    results = await conflicts(main, source)
    assert {(item["subject"], item["conflict"]) for item in results} == expected
    by_subject = {item["subject"]: item for item in results}
    assert {key: by_subject[clash][key] for key in ("property", "base", "ours", "theirs", "takes")} == {
        "property": "rank", "base": 1, "ours": 2, "theirs": 3, "takes": ["ours", "theirs"]
    }  # fmt: skip
    assert by_subject[lines]["lines"] == [{"line": 2, "base": "b", "ours": "2", "theirs": "3"}]

    resolutions = [
        {"subject": clash, "property": "rank", "value": 23},
        {"subject": text, "take": "theirs"},
        {"subject": kept, "take": "ours"},
        {"subject": lines, "property": "_content", "value": "a\n2 and 3\nc"},
    ]
    assert {name for name, _ in await conflict_names(main, source, resolutions=resolutions[1:])} == {clash}
    done = await merge_twice(main, source, resolutions=resolutions)
    assert (done.created, done.updated, done.deleted, done.settled) == (1, 2, 0, 4)
    assert (await main.get_node(clash)).properties == {"rank": 23}
    assert (await main.get_node(text)).properties == {"rank": 4}
    assert (await main.get_node(kept)).properties == {"rank": 5}
    assert await text_of(main, lines) == "a\n2 and 3\nc"
    assert await text_of(main, text) == "a\nb\nc"
    await clean(branch)


@pytest.mark.parametrize(("strategy", "rank"), [("ours", 2), ("theirs", 3)])
async def test_a_strategy_settles_the_conflicts_and_leaves_the_rest_merged(
    main: Memory, strategy: str, rank: int
) -> None:
    node, untouched = await note(main, rank=1), await note(main)
    source, branch = await make_branch(main)
    await main.update_node(node, properties={"rank": 2, "mine": 1})
    await branch.update_node(node, properties={"rank": 3, "yours": 1})
    await branch.update_node(untouched, properties={"rank": 8})
    done = await merge_twice(main, source, strategy=strategy)
    assert (done.settled, done.updated) == (1, 2)
    assert (await main.get_node(node)).properties == {"rank": rank, "mine": 1, "yours": 1}
    assert (await main.get_node(untouched)).properties == {"rank": 8}
    await clean(branch)


@pytest.mark.long
async def test_a_connection_whose_end_was_deleted_is_left_out_or_brings_it_back(main: Memory) -> None:
    end, home = await note(main, "the end", rank=1), await note(main)
    source, branch = await make_branch(main)
    tied = (await branch.create_connection("Link", end, home)).connection_id
    await main.delete_node(end)
    assert await conflict_names(main, source) == [(tied, "end")]
    again, _ = await make_branch(main, "again")
    done = await merge_twice(main.in_domain(again), source, strategy="ours")
    assert done.changes == ()
    assert (await merge_twice(main, source, strategy="theirs")).created == 2
    assert await text_of(main, end) == "the end"
    assert (await main.get_connection(tied)).to_node_id == home
    assert (await main.search_content("the end")).node_ids == (end,)
    await clean(main, branch, main.in_domain(again))


@pytest.mark.long
async def test_a_node_to_which_something_was_tied_since_is_kept_or_takes_it_along(main: Memory, domain: str) -> None:
    node, home = await note(main), await note(main)
    old = (await main.create_connection("Link", node, home)).connection_id
    source, branch = await make_branch(main)
    await branch.delete_node(node)
    new = (await main.create_connection("Link", home, node)).connection_id
    await observe(main, domain, node)
    assert await conflict_names(main, source) == [(node, "attached")]
    other, kept = await make_branch(main, "kept")
    assert (await merge_twice(kept, source, strategy="ours")).deleted == 1
    assert (await kept.get_connection(new)).to_node_id == node
    done = await merge_twice(main, source, resolutions=[{"subject": node, "take": "theirs"}])
    assert done.deleted == 4
    assert (await main.query_connections()).connection_ids == ()
    assert {change.subject for change in done.changes} >= {node, old, new}
    await clean(main, branch, kept)
    assert other


@pytest.mark.long
async def test_a_unique_value_that_somebody_has_got_since_is_a_conflict(main: Memory) -> None:
    source, branch = await make_branch(main)
    mine, yours = await note(main, code="x"), await note(branch, code="x")
    [result] = await conflicts(main, source)
    assert (result["subject"], result["conflict"], result["property"], result["takes"]) == (
        yours,
        "unique",
        "code",
        ["ours"],
    )
    assert await conflict_names(main, source, strategy="theirs") == [(yours, "unique")]
    await merge_twice(main, source, resolutions=[{"subject": yours, "property": "code", "value": "y"}])
    assert (await main.query_nodes(type="Note", properties={"code": "x"})).node_ids == (mine,)
    assert (await main.query_nodes(type="Note", properties={"code": "y"})).node_ids == (yours,)
    await clean(branch)


async def test_unique_values_can_change_hands(main: Memory) -> None:
    text, other = await note(main, code="x"), await note(main, code="y")
    source, branch = await make_branch(main)
    for node, code in ((text, "z"), (other, "x"), (text, "y")):
        await branch.update_node(node, properties={"code": code})
    await merge_twice(main, source)
    assert (await main.query_nodes(type="Note", properties={"code": "x"})).node_ids == (other,)
    assert (await main.query_nodes(type="Note", properties={"code": "y"})).node_ids == (text,)
    await clean(branch)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["Before", "Leads", "Part"])
async def test_a_rule_that_only_the_merge_would_break_is_a_conflict(main: Memory, kind: str) -> None:
    text, other, third = [await note(main) for _ in range(3)]
    source, branch = await make_branch(main)
    ends = {
        "Before": [(text, other), (other, text)],
        "Leads": [(text, other), (text, third)],
        "Part": [(text, third)] * 2,
    }
    await main.create_connection(kind, *ends[kind][0])
    made = (await branch.create_connection(kind, *ends[kind][1])).connection_id
    free = (await branch.create_connection("Link", *ends[kind][1])).connection_id
    for strategy in ("manual", "theirs"):
        assert await conflict_names(main, source, strategy=strategy) == [(made, "rule")]
    done = await merge_twice(main, source, strategy="ours")
    assert [change.subject for change in done.changes] == [free]
    await clean(branch)


async def test_all_conflicts_are_told_at_once_those_of_rules_too(main: Memory) -> None:
    text, other = await note(main, rank=1), await note(main)
    source, branch = await make_branch(main)
    await main.create_connection("Before", text, other)
    made = (await branch.create_connection("Before", other, text)).connection_id
    for memory, rank in ((main, 2), (branch, 3)):
        await memory.update_node(text, properties={"rank": rank})
    assert set(await conflict_names(main, source)) == {(text, "property"), (made, "rule")}


@pytest.mark.long
async def test_new_types_come_along_with_what_is_of_them(main: Memory) -> None:
    source, branch = await make_branch(main)
    mail = {"name": "Person", "required_properties": ["name"], "properties": {"mail": {"unique": True}}}
    await branch.add_node_type(node_type_from(mail))
    await branch.add_connection_type(ConnectionType("Knows", ("Person",), ("Person",), unique_source=True))
    await branch.add_node_type(NodeType("Revision"))
    ids = [
        (await branch.create_node("Person", "", properties={"name": f"n{number}", "mail": f"{number}"})).node_id
        for number in range(2)
    ]
    await branch.create_connection("Knows", *ids)
    await main.add_node_type(NodeType("Revision"))
    done = await merge_twice(main, source)
    assert (done.created, done.updated) == (5, 0)
    assert (await main.query_nodes(type="Person", properties={"mail": "1"})).node_ids == (ids[1],)
    with pytest.raises(GraphError) as taken:
        await main.create_node("Person", "", properties={"name": "n", "mail": "1"})
    assert taken.value.code is Code.UNIQUE_PROPERTY_TAKEN
    await clean(branch)


@pytest.mark.long
async def test_a_type_that_both_declare_differently_is_as_one_of_them_has_it(main: Memory) -> None:
    source, branch = await make_branch(main)
    await main.add_node_type(node_type_from({"name": "Person", "required_properties": ["name"]}))
    await branch.add_node_type(NodeType("Person"))
    bad, good = [
        (await branch.create_node("Person", "", properties=arguments)).node_id for arguments in ({}, {"name": "Ann"})
    ]
    assert await conflict_names(main, source) == [("node_type/Person", "ontology")]
    theirs = await main.history.merge(source, strategy="theirs", preview=True)
    assert {change.subject for change in theirs.changes} == {"node_type/Person", bad, good}
    ours = [{"subject": "node_type/Person", "take": "ours"}]
    assert await conflict_names(main, source, resolutions=ours) == [(bad, "invalid")]
    await merge_twice(main, source, resolutions=[*ours, {"subject": bad, "property": "name", "value": "Bob"}])
    assert set((await main.query_nodes(type="Person")).node_ids) == {bad, good}
    assert (await main.get_node(bad)).properties == {"name": "Bob"}
    await clean(branch)


@pytest.mark.long
async def test_large_and_binary_contents_come_over_and_are_the_targets_own(main: Memory) -> None:
    target = (await main.domain_info()).name
    text, data = await note(main, LARGE), (await main.create_node("Task", b"\x00", encoding="base64")).node_id
    source, branch = await make_branch(main)
    await main.update_node(text, content=f"above\n{LARGE}", encoding="utf-8")
    await branch.update_node(text, content=f"{LARGE}below\n", encoding="utf-8")
    await branch.update_node(data, content=b"\x01\x02" * 100, encoding="base64")
    new = await note(branch, f"{LARGE}new\n")
    await merge_twice(main, source)
    contents = {node: await main.get_node_content(node) for node in (data, new)}
    assert contents == {node: await branch.get_node_content(node) for node in (data, new)}
    await main.delete_domain(source)
    await main.upkeep.collect_blobs(dry_run=False, grace=0)
    assert await text_of(main, text) == f"above\n{LARGE}below\n"
    assert {node: await main.get_node_content(node) for node in (data, new)} == contents
    assert (await main.search_content("below")).node_ids == (text,)
    assert (await main.search_content("kitchen\nnew")).node_ids == (new,)
    assert (await main.history.merge(target, into=(await make_branch(main, "c"))[0])).changes == ()


async def test_observations_are_merged_too(main: Memory, domain: str) -> None:
    node = await note(main)
    source, branch = await make_branch(main)
    subject = await observe(branch, source, node)
    done = await merge_twice(main, source)
    assert [(change.subject, change.kind) for change in done.changes] == [(subject, Kind.OBSERVATION)]
    for memory, name, text in ((main, domain, "likes coffee"), (branch, source, "likes cocoa")):
        await _observed_anew(memory, name, subject, text)
    assert await conflict_names(main, source) == [(subject, "property")]
    assert (await merge_twice(main, source, strategy="theirs")).updated == 1
    await clean(branch)


async def _observed_anew(memory: Memory, domain: str, subject: str, text: str) -> None:
    """Change the text of an observation through the log; the tools for it come later."""
    entry = (await memory.history.log(subject=subject, full=True, limit=1)).entries[0]
    about = subject.replace("obs_", "mem_")

    async def nothing(*_: object) -> None:
        return None

    def decide(*_: object) -> Decision[None]:
        draft = Draft(
            op=Op.UPDATE,
            kind=Kind.OBSERVATION,
            subject=subject,
            from_id=about,
            previous=entry.seq,
            state=observation(text, AT),
        )
        return Decision([draft], None)

    await memory._core.log.write("observe", domain, memory._core.origin, nothing, decide)


async def test_resolutions_are_read_strictly(main: Memory) -> None:
    source, _ = await make_branch(main)
    for wrong in (
        "x",
        {"subject": "x"},
        {"subject": "x", "take": "mine"},
        {"subject": "x", "take": "ours", "value": 1},
        {"subject": "x", "value": 1},
        {"subject": 1, "take": "ours"},
        {"subject": "x", "take": "ours", "else": 1},
        {"subject": "x", "property": "_tags", "value": "t"},
        {"subject": "x", "property": "_content", "value": 5},
    ):
        with pytest.raises(GraphError) as refused:
            await main.history.merge(source, resolutions=[wrong])  # type: ignore[list-item]
        assert refused.value.code is Code.INVALID_ARGUMENT, wrong
    with pytest.raises(GraphError) as twice:
        await main.history.merge(source, resolutions=[{"subject": "x", "take": "ours"}] * 2)
    assert twice.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError) as strategy:
        await main.history.merge(source, strategy="mine")  # type: ignore[arg-type]
    assert strategy.value.code is Code.INVALID_ARGUMENT


async def test_a_misspelt_resolution_is_refused_with_what_there_is(main: Memory) -> None:
    node, other = await note(main, rank=1), await note(main)
    source, branch = await make_branch(main)
    await branch.update_node(node, properties={"rank": 2})
    await main.update_node(node, properties={"rank": 3})
    before = await events_of(main)
    for wrong, message, hint in (
        ({"subject": node[:-1], "take": "ours"}, "Neither domain has ever contained", f'Did you mean "{node}"?'),
        (
            {"subject": "x", "take": "ours"},
            'Neither domain has ever contained "x"',
            f"Pass a subject in conflict: [{node}].",
        ),
        ({"subject": node, "property": "rnak", "take": "ours"}, 'has no property "rnak"', 'Did you mean "rank"?'),
        ({"subject": node, "property": "mood", "value": "fine"}, 'has no property "mood"', "[code, rank]"),
    ):
        with pytest.raises(GraphError) as refused:
            await main.history.merge(source, resolutions=[wrong])
        assert refused.value.code is Code.INVALID_ARGUMENT
        assert message in refused.value.message
        assert hint in str(refused.value.hint)
    assert await events_of(main) == before
    resolutions = [{"subject": node, "take": "ours"}, {"subject": other, "take": "ours"}]
    assert (await merge_twice(main, source, resolutions=resolutions)).unused == (other,)


async def test_every_conflict_that_a_resolution_settled_is_counted_and_stays_settled(main: Memory) -> None:
    node = await note(main, rank=1, mood="fine")
    source, branch = await make_branch(main)
    for memory, rank in ((main, 2), (branch, 3)):
        await memory.update_node(node, properties={"rank": rank, "mood": f"mood {rank}"})
        await memory.update_node(node, content=f"a\n{rank}\nc", encoding="utf-8")
    sides = [{"subject": node, "property": name, "take": "ours"} for name in ("rank", "_content")]
    done = await merge_twice(
        main, source, resolutions=[*sides, {"subject": node, "property": "mood", "value": "mood 2"}]
    )
    assert (done.settled, done.changes) == (3, ())
    assert (await main.history.merge(source)).conflicts == ()


async def contents(memory: Memory) -> dict[str, object]:
    """Return all that merging makes equal: what there is of nodes and connections, but for times and versions."""
    left = {"version", "created", "modified"}
    result: dict[str, object] = {}
    for node in (await memory.query_nodes()).node_ids:
        result[node] = ((await memory.get_node(node)).model_dump(exclude=left), await memory.get_node_content(node))
    for connection_id in (await memory.query_connections()).connection_ids:
        result[connection_id] = (await memory.get_connection(connection_id, include_content=True)).model_dump(
            exclude=left
        )
    return result


class Hand:
    """Changes a domain at random; what the rules of the ontology refuse is left out."""

    def __init__(self, memory: Memory, seed: int) -> None:
        self.memory = memory
        self.random = random.Random(seed)

    async def change(self, number: int) -> None:
        """Make so many changes."""
        for _ in range(number):
            with contextlib.suppress(GraphError):
                await self._change()

    async def _change(self) -> None:
        nodes = [*(await self.memory.query_nodes()).node_ids]
        connections = [*(await self.memory.query_connections()).connection_ids]
        node, value = self.random.choice(nodes), self.random.randrange(4)
        match self.random.randrange(8):
            case 0:
                await self.memory.create_node("Note", f"new {value}", properties={"code": value}, id=f"n{value}")
            case 1:
                await self.memory.update_node(node, properties={self.random.choice("pqr"): value})
            case 2:
                lines = (await text_of(self.memory, node)).split("\n")
                lines[self.random.randrange(len(lines))] = f"line {value}"
                await self.memory.update_node(node, content="\n".join(lines), encoding="utf-8")
            case 3:
                await self.memory.update_node(node, tags=self.random.sample("stuv", value), properties={"code": value})
            case 4 if len(nodes) > 3:
                await self.memory.delete_node(node)
            case 5 if connections:
                await self.memory.delete_connection(self.random.choice(connections))
            case 6 if connections:
                await self.memory.update_connection(self.random.choice(connections), properties={"s": value})
            case _:
                kind = self.random.choice(["Link", "Before", "Leads", "Part"])
                await self.memory.create_connection(kind, node, self.random.choice(nodes))


@pytest.mark.long
@pytest.mark.parametrize("seed", some(range(6)))
async def test_merged_there_and_back_two_domains_are_the_same(main: Memory, seed: int) -> None:
    target = (await main.domain_info()).name
    for _ in range(5):
        await note(main, "a\nb\nc\nd\ne", p=0)
    hand = Hand(main, seed)
    await hand.change(10)
    source, branch = await make_branch(main)
    current = Hand(branch, seed + 1_000)
    for _ in range(2):
        await hand.change(12)
        await current.change(12)
        await main.history.merge(source, strategy="ours")
        await branch.history.merge(target)
        assert await contents(branch) == await contents(main)
        await clean(branch)
        assert (await main.history.merge(source)).batch is None
        assert (await branch.history.merge(target)).batch is None


@pytest.mark.long
async def test_two_thousand_changes_are_one_merge(main: Memory) -> None:
    source, branch = await make_branch(main)
    nodes = [
        {"op": "create_node", "type": "Note", "id": f"n{rank}", "content": "", "properties": {"rank": rank % 10}}
        for rank in range(1_000)
    ]
    ties = [{"op": "create_connection", "type": "Link", "from": f"n{rank}", "to": "n0"} for rank in range(1, 1_000)]
    for operations in (nodes, ties):
        await branch.execute_batch(operations)
    done = await main.history.merge(source)
    assert (done.created, len(done.changes)) == (1_999, 100)
    assert len((await main.query_nodes(type="Note", properties={"rank": 3})).node_ids) == 100
    assert (await main.history.merge(source)).batch is None
    await clean(branch)


async def test_a_merge_gives_a_node_no_more_tags_than_a_call_may_give_it(main: Memory) -> None:
    node = await note(main)
    name, branch = await make_branch(main)
    await branch.update_node(node, tags=[f"b{number}" for number in range(60)])
    await main.update_node(node, tags=[f"m{number}" for number in range(60)])
    with pytest.raises(GraphError, match="120 tags are too many") as refused:
        await main.history.merge(name)
    assert refused.value.code is Code.MERGE_CONFLICT
