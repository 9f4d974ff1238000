"""Reverts of changes of an ontology: unused types are removed, and restored when the revert is reverted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.model.ontology.ontology import connection_type_from, node_type_from
from support import agrees, last

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]})
TASK = node_type_from({"name": "Task", "properties": {"code": {"unique": True}, "rank": {"indexed": True}}})
NEXT = connection_type_from({"name": "Next", "from": ["Task"], "to": ["Note", "Task"], "unique_source": True})

MANY = ontology_from({"node_types": [f"Kind {number}" for number in range(20)]})


@pytest.fixture
async def work(memory: Memory) -> AsyncIterator[Memory]:
    """A domain with types; whatever a test does in it, graph and log agree afterwards."""
    await memory.create_ontology(ONTOLOGY)
    yield memory
    await agrees(memory)


async def node(memory: Memory, type_name: str, content: str = "", **properties: object) -> str:
    return (await memory.create_node(type_name, content, properties=properties)).node_id


async def types(memory: Memory) -> tuple[list[str], list[str]]:
    """The names of all types, and the graph agrees with its log on them."""
    assert (await memory.upkeep.verify()).differences == ()
    ontology = await memory.get_ontology()
    return [kind.name for kind in ontology.node_types], [kind.name for kind in ontology.connection_types]


async def refusal(memory: Memory, **arguments: Any) -> dict[str, str]:
    """The conflicts with which a revert is refused, by subject; force refuses as well, and nothing is written."""
    before = await last(memory)
    with pytest.raises(GraphError) as caught:
        await memory.history.revert(**arguments)
    assert caught.value.code is Code.REVERT_CONFLICT
    conflicts: Any = caught.value.details["conflicts"]
    assert not any(conflict["forcible"] for conflict in conflicts)
    forced = await memory.history.revert(on_conflict="force", dry_run=True, **arguments)
    results = {conflict["subject"]: conflict["reason"] for conflict in conflicts}
    assert {skip.subject: skip.reason for skip in forced.skipped} == results
    assert await last(memory) == before
    return results


async def revert_after_dry_run(memory: Memory, **arguments: Any) -> list[tuple[str, str]]:
    """Return the changes of a revert. Asserts that a dry run returns the same."""
    tried = await memory.history.revert(dry_run=True, **arguments)
    reverted = await memory.history.revert(**arguments)
    pairs = [(change.operation, change.subject) for change in reverted.changes]
    assert [(change.operation, change.subject) for change in tried.changes] == pairs
    return pairs


async def test_a_type_that_nothing_needs_is_taken_back_and_comes_back(work: Memory) -> None:
    seq = (await work.add_node_type(TASK)).version
    assert await revert_after_dry_run(work, since=seq) == [("delete", "node_type/Task")]
    assert await types(work) == (["Note"], ["Link"])
    with pytest.raises(GraphError) as caught:
        await node(work, "Task")
    assert caught.value.code is Code.INVALID_NODE_TYPE
    assert await revert_after_dry_run(work, since=seq + 1) == [("create", "node_type/Task")]
    assert await types(work) == (["Note", "Task"], ["Link"])
    assert (await work.get_ontology()).node_type("Task") == TASK
    text = await node(work, "Task", code=1)
    assert (await work.query_nodes(type="Task", properties={"code": 1})).node_ids == (text,)


async def test_the_log_tells_it_in_words(work: Memory) -> None:
    seq = (await work.add_node_type(TASK)).version
    await work.history.revert(since=seq)
    lines = [entry.summary for entry in (await work.history.log(since=seq)).entries]
    assert lines == ["Types removed", "Node type Task removed", "Node type Task defined"]
    entries = (await work.history.diff(since=seq, until=seq + 2)).entries
    assert [(entry.subject, entry.operation) for entry in entries] == [("node_type/Task", "removed")]


async def test_a_type_with_nodes_stays_whatever_is_chosen(work: Memory) -> None:
    seq = (await work.add_node_type(TASK)).version
    text = await node(work, "Task")
    assert await refusal(work, since=seq, until=seq) == {"node_type/Task": f'node "Task" ({text}) has this type'}
    skipped = await work.history.revert(since=seq, until=seq, on_conflict="skip")
    assert (skipped.changes, [skip.subject for skip in skipped.skipped]) == ((), ["node_type/Task"])
    await work.delete_node(text)
    assert await revert_after_dry_run(work, since=seq, until=seq) == [("delete", "node_type/Task")]


async def test_a_type_with_connections_stays(work: Memory) -> None:
    await work.add_node_type(TASK)
    seq = (await work.add_connection_type(NEXT)).version
    text, two = await node(work, "Task"), await node(work, "Note")
    tie = (await work.create_connection("Next", text, two)).connection_id
    assert await refusal(work, since=seq, until=seq) == {
        "connection_type/Next": f'connection "Task → Note" ({tie}) has this type'
    }
    await work.delete_connection(tie)
    assert await revert_after_dry_run(work, since=seq, until=seq) == [("delete", "connection_type/Next")]
    assert await types(work) == (["Note", "Task"], ["Link"])


async def test_a_node_type_that_a_connection_type_names_stays(work: Memory) -> None:
    seq = (await work.add_node_type(TASK)).version
    await work.add_connection_type(NEXT)
    assert await refusal(work, since=seq, until=seq) == {"node_type/Task": "connection type Next refers to it"}
    assert await revert_after_dry_run(work, since=seq) == [
        ("delete", "connection_type/Next"),
        ("delete", "node_type/Task"),
    ]


async def test_types_and_what_is_of_them_go_and_come_back_together(work: Memory) -> None:
    note = await node(work, "Note")
    begun = await last(work)
    await work.add_node_type(TASK)
    await work.add_connection_type(NEXT)
    text, two = await node(work, "Task", "some words", code=1, rank=2), await node(work, "Task", code=2)
    tie = (await work.create_connection("Next", text, two)).connection_id
    link = (await work.create_connection("Link", note, text)).connection_id
    then = await last(work)
    pairs = await revert_after_dry_run(work, since=begun + 1)
    assert [subject for _, subject in pairs[-2:]] == ["connection_type/Next", "node_type/Task"]
    assert {subject for _, subject in pairs[:-2]} == {text, two, tie, link}
    assert await types(work) == (["Note"], ["Link"])
    assert (await work.query_nodes()).node_ids == (note,)
    back = await revert_after_dry_run(work, since=then + 1)
    assert [subject for _, subject in back[:2]] == ["node_type/Task", "connection_type/Next"]
    assert (await work.query_nodes(type="Task", properties={"code": 2})).node_ids == (two,)
    assert (await work.query_nodes(type="Task", properties={"rank": 2})).node_ids == (text,)
    assert (await work.search_content("some words")).node_ids == (text,)
    assert (await work.get_connection(tie)).to_node_id == two
    with pytest.raises(GraphError) as caught:
        await work.create_connection("Next", text, note)
    assert caught.value.code is Code.INVALID_TOPOLOGY


@pytest.mark.long
async def test_a_type_stays_when_something_of_it_is_left_as_it_is(work: Memory) -> None:
    seq = (await work.add_node_type(TASK)).version
    await work.add_connection_type(NEXT)
    text, two = await node(work, "Task"), await node(work, "Task")
    tie = (await work.create_connection("Next", text, two)).connection_id
    until = await last(work)
    await work.update_connection(tie, properties={"by": "somebody"})
    left = await work.history.revert(since=seq, until=until, on_conflict="skip")
    assert left.changes == ()
    assert {skip.subject for skip in left.skipped} == {tie, text, two, "connection_type/Next", "node_type/Task"}
    forced = await work.history.revert(since=seq, until=until, on_conflict="force")
    assert {change.subject for change in forced.changes} == {tie, text, two, "connection_type/Next", "node_type/Task"}


@pytest.mark.long
async def test_force_takes_the_types_of_what_goes_along_with_a_node_and_no_more(work: Memory) -> None:
    first = await node(work, "Note")
    made = await last(work)
    await work.add_node_type(TASK)
    seq = (await work.add_connection_type(connection_type_from({"name": "On", "from": ["*"], "to": ["*"]}))).version
    task = await node(work, "Task")
    tie = (await work.create_connection("On", first, task)).connection_id
    events = [entry.id for entry in (await work.history.log()).entries if entry.seq in (made, seq)]
    forced = await work.history.revert(event_ids=events, on_conflict="force")
    assert [change.subject for change in forced.changes] == [tie, first, "connection_type/On"]
    assert await types(work) == (["Note", "Task"], ["Link"])


@pytest.mark.long
async def test_what_was_before_can_be_read_as_it_was(work: Memory, domain: str) -> None:
    begun = await last(work)
    await work.add_node_type(TASK)
    await work.add_connection_type(NEXT)
    text, two = await node(work, "Task", "one", code=1), await node(work, "Note")
    tie = (await work.create_connection("Next", text, two, content="why")).connection_id
    then = await last(work)
    await work.history.revert(since=begun + 1)
    past = await work.history.as_of(then)
    assert (await past.query_nodes(type="Task", properties={"code": 1})).node_ids == (text,)
    assert (await past.get_connection(tie, include_content=True)).content == "why"
    assert (await past.query_connections(type="Next")).connection_ids == (tie,)
    assert (await past.get_connected_nodes(text, direction="out", connection_type="Next")).node_ids == (two,)
    assert (await (await work.history.as_of(begun)).query_nodes()).node_ids == ()
    for at, node_types in ((begun, ["Note"]), (then, ["Note", "Task"]), (None, ["Note"])):
        name = f"{domain}-at-{at}"
        await work.history.branch(name, at=at)
        branch = work.in_domain(name)
        assert (await types(branch))[0] == node_types
        results = (await branch.query_nodes(type="Task", properties={"code": 1})).node_ids if at == then else ()
        assert results == ((text,) if at == then else ())


@pytest.mark.long
async def test_a_type_that_was_taken_back_can_be_defined_again_and_otherwise(work: Memory) -> None:
    seq = (await work.add_node_type(TASK)).version
    text = await node(work, "Task", rank=1)
    deleted = (await work.delete_node(text)) and await last(work)
    await work.history.revert(since=seq, until=seq)
    assert (await refusal(work, since=deleted, until=deleted)) == {
        text: 'it needs node type "Task", which is not defined'
    }
    await work.add_node_type(node_type_from({"name": "Task", "properties": {"rank": {"type": "string"}}}))
    [(subject, reason)] = (await refusal(work, since=deleted, until=deleted)).items()
    assert (subject, "rank" in reason) == (text, True)
    other = await node(work, "Task", rank="x")
    assert (await work.query_nodes(type="Task", properties={"rank": "x"})).node_ids == (other,)
    skipped = await work.history.revert(since=deleted + 1, until=deleted + 1, on_conflict="skip")
    assert "it was changed again" in skipped.skipped[0].reason
    forced = await work.history.revert(since=deleted + 1, until=deleted + 1, on_conflict="force")
    assert [(change.operation, change.subject) for change in forced.changes] == [("update", "node_type/Task")]
    assert (await work.get_ontology()).node_type("Task") == TASK
    assert (await work.query_nodes(type="Task", properties={"rank": "x"})).node_ids == (other,)


@pytest.mark.long
async def test_a_connection_comes_back_only_with_its_type_and_the_types_that_that_joins(work: Memory) -> None:
    begun = await last(work)
    task = (await work.add_node_type(TASK)).version
    await work.add_connection_type(NEXT)
    await work.history.revert(since=begun + 1)
    taken = {entry.subject: entry.id for entry in (await work.history.log(since=task + 2)).entries}
    results = await refusal(work, event_ids=[taken["connection_type/Next"]])
    assert results == {"connection_type/Next": 'it needs node type "Task", which is not defined'}
    both = [taken["connection_type/Next"], taken["node_type/Task"]]
    assert [subject for _, subject in await revert_after_dry_run(work, event_ids=both)] == [
        "node_type/Task",
        "connection_type/Next",
    ]


async def test_the_beginning_of_a_domain_is_not_taken_back(work: Memory) -> None:
    results = await refusal(work, since=1)
    assert results == {
        "domain": "the creation of a domain cannot be undone",
        "ontology": "the creation of an ontology cannot be undone",
    }
    skipped = await work.history.revert(since=1, on_conflict="skip")
    assert {change.subject for change in skipped.changes} == {"node_type/Note", "connection_type/Link"}
    assert await types(work) == ([], [])


@pytest.mark.long
async def test_what_an_agent_made_in_an_open_ontology_goes_with_its_types(memory: Memory) -> None:
    await memory.create_ontology(ontology_from({"open": True, "node_types": []}))
    begun, standard = await last(memory), (await types(memory))[1]
    text, two = await node(memory, "Idea"), await node(memory, "Place")
    await memory.create_connection("seen at", text, two)
    await memory.history.revert(since=begun + 1)
    assert await types(memory) == ([], standard)
    await node(memory, "Idea")
    assert await types(memory) == (["Idea"], standard)


@pytest.mark.long
async def test_a_merge_that_brought_types_is_taken_back_as_one(work: Memory, domain: str) -> None:
    await work.history.branch(f"{domain}-b")
    branch = work.in_domain(f"{domain}-b")
    await branch.add_node_type(TASK)
    await branch.add_connection_type(NEXT)
    text = await node(branch, "Task", code=1)
    before = await last(work)
    merged = await work.history.merge(f"{domain}-b")
    undone = await work.history.revert(since=before + 1, until=merged.seq)
    assert {change.subject for change in undone.changes} >= {text, "node_type/Task", "connection_type/Next"}
    assert undone.skipped == ()
    assert await types(work) == (["Note"], ["Link"])
    again = await work.history.merge(f"{domain}-b")
    assert {change.subject for change in again.changes} == {text, "node_type/Task", "connection_type/Next"}
    assert (await work.query_nodes(type="Task", properties={"code": 1})).node_ids == (text,)


@pytest.mark.long
async def test_a_type_that_a_branch_took_back_stays_where_it_is_merged(work: Memory, domain: str) -> None:
    seq = (await work.add_node_type(TASK)).version
    await work.history.branch(f"{domain}-b")
    branch = work.in_domain(f"{domain}-b")
    added = (await branch.add_node_type(node_type_from({"name": "Other"}))).version
    await branch.history.revert(since=added)
    await work.history.revert(since=seq, until=seq)
    text = await node(branch, "Task")
    with pytest.raises(GraphError) as caught:
        await work.history.merge(f"{domain}-b")
    assert caught.value.code is Code.MERGE_CONFLICT
    assert caught.value.details["conflicts"][0]["subject"] == text  # type: ignore[index]
    assert (await work.history.merge(f"{domain}-b", strategy="ours")).created == 0
    assert await types(work) == (["Note"], ["Link"])


@pytest.mark.long
async def test_a_domain_with_types_that_were_taken_back_is_exported_and_imported(
    work: Memory, domain: str, tmp_path: Any
) -> None:
    begun = await last(work)
    await work.add_node_type(TASK)
    await work.add_connection_type(NEXT)
    text, two = await node(work, "Task", code=1), await node(work, "Note")
    await work.create_connection("Next", text, two)
    then = await last(work)
    await work.history.revert(since=begun + 1)
    file = tmp_path / "domain.jsonl.gz"
    await work.transfer.export_file(file)
    await work.transfer.import_file(file, name=f"{domain}-i")
    copy = work.in_domain(f"{domain}-i")
    assert await types(copy) == (["Note"], ["Link"])
    await copy.history.revert(since=then + 1)
    assert await types(copy) == (["Note", "Task"], ["Link", "Next"])
    assert (await copy.query_nodes(type="Task", properties={"code": 1})).node_ids == (text,)
    await work.history.compact(then + 1, archive=tmp_path / "before.jsonl.gz")
    assert await types(work) == (["Note"], ["Link"])
    await work.transfer.export_file(tmp_path / "after.jsonl.gz")
    await work.transfer.import_file(tmp_path / "after.jsonl.gz", name=f"{domain}-j")
    assert await types(work.in_domain(f"{domain}-j")) == (["Note"], ["Link"])


@pytest.mark.long
async def test_another_process_sees_it_at_once(work: Memory, settings: Settings, domain: str) -> None:
    async with open_memory(settings) as opened:
        other = opened.in_domain(domain)
        seq = (await work.add_node_type(TASK)).version
        text = await node(other, "Task", code=1)
        for _ in range(3):
            await other.update_node(text, properties={"rank": 1})
        assert (await other.query_nodes(type="Task", properties={"rank": 1})).node_ids == (text,)
        await work.history.revert(since=seq)
        assert [kind.name for kind in (await other.get_ontology()).node_types] == ["Note"]
        with pytest.raises(GraphError) as caught:
            await node(other, "Task")
        assert caught.value.code is Code.INVALID_NODE_TYPE
        await work.add_node_type(node_type_from({"name": "Task", "properties": ["code", "rank"]}))
        two = await node(work, "Task", rank=1)
        assert (await other.query_nodes(type="Task", properties={"rank": 1})).node_ids == (two,)


@pytest.mark.long
async def test_whoever_reads_meanwhile_never_goes_by_half_a_change_afterwards(
    work: Memory, settings: Settings, domain: str
) -> None:
    async with open_memory(settings) as opened:
        other = opened.in_domain(domain)

        async def read_on() -> None:
            while True:
                await other.get_ontology()

        async with anyio.create_task_group() as readers:
            for _ in range(4):
                readers.start_soon(read_on)
            for _ in range(25):
                seq = (await work.apply_ontology(MANY)).version - 19
                assert len((await other.get_ontology()).node_types) == 21
                await work.history.revert(since=seq)
                assert [kind.name for kind in (await other.get_ontology()).node_types] == ["Note"]
            readers.cancel_scope.cancel()


@pytest.mark.long
async def test_a_type_and_a_node_of_it_do_not_pass_each_other(work: Memory, settings: Settings, domain: str) -> None:
    async with open_memory(settings) as opened:
        other, outcomes = opened.in_domain(domain), set[str]()
        await other.create_node("Note", "")
        for turn in range(12):
            name = f"Type{turn}"
            seq = (await work.add_node_type(node_type_from({"name": name}))).version
            await other.create_node("Note", "")
            await other.create_node("Note", "")
            codes = dict[str, Code]()

            async def check_code(text: str, call: Any, codes: dict[str, Code] = codes) -> None:
                try:
                    await call
                except GraphError as error:
                    codes[text] = error.code

            async with anyio.create_task_group() as tasks:
                writing = other.create_node(name, "")
                undoing = work.history.revert(since=seq, until=seq)
                pair = [("create", writing), ("revert", undoing)]
                for label, call in pair if turn % 2 else pair[::-1]:
                    tasks.start_soon(check_code, label, call)
            is_there = name in (await types(work))[0]
            assert codes == ({"revert": Code.REVERT_CONFLICT} if is_there else {"create": Code.INVALID_NODE_TYPE})
            assert len((await work.query_nodes(type=name)).node_ids) == is_there
            outcomes |= {str(code) for code in codes.values()}
        assert outcomes


@pytest.mark.long
async def test_a_type_of_many_nodes_is_taken_back_with_them_but_not_without_one(work: Memory) -> None:
    seq = (await work.add_node_type(TASK)).version
    made = [await node(work, "Task") for _ in range(30)]
    until = await last(work)
    late = await node(work, "Task")
    assert await refusal(work, since=seq, until=until) == {"node_type/Task": f'node "Task" ({late}) has this type'}
    await work.delete_node(late)
    assert len(await revert_after_dry_run(work, since=seq, until=until)) == len(made) + 1


@pytest.mark.long
async def test_a_rebuild_takes_away_what_a_hand_brought_back(work: Memory, domain: str, driver: Driver) -> None:
    seq = (await work.add_node_type(TASK)).version
    await work.history.revert(since=seq)
    by_hand = "MATCH (o:_Ontology {_domain: $d}) CREATE (o)-[:_DEFINES]->(:_NodeType {_domain: $d, _name: 'Task'})"
    driver.execute_query(by_hand, d=domain)
    assert [difference.subject for difference in (await work.upkeep.verify()).differences] == ["node_type/Task"]
    assert (await work.upkeep.rebuild()).unmended == ()
    assert await types(work) == (["Note"], ["Link"])
