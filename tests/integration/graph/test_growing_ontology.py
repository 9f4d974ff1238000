"""Types change when an ontology is applied: what is stored must fit, and the log, the past and the index know it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Ontology, Settings, ontology_from, open_memory
from graph_memory.memory.graph import ontology_migration as growing
from graph_memory.model.ontology.ontology import node_type_from
from graph_memory.storage.log.jobs import Job
from support import agrees, last

pytestmark = pytest.mark.anyio


def ontology(
    task: dict[str, Any] | None = None,
    link: dict[str, Any] | None = None,
    *,
    more: Sequence[str] = (),
    description: str = "",
) -> Ontology:
    """An ontology of tasks that follow each other, with what is declared of the two."""
    declared = {"name": "Next", "from": ["Task"], "to": ["Task"], **(link or {})}
    types = ["Person", {"name": "Task", **(task or {})}, "Note", *more]
    return ontology_from({"node_types": types, "connection_types": [declared], "description": description})


def status(*values: object, **more: object) -> dict[str, Any]:
    return {"properties": {"status": {"enum": list(values), **more}}}


@pytest.fixture
async def work(memory: Memory) -> AsyncIterator[Memory]:
    """A domain with tasks; whatever a test does in it, graph and log agree afterwards."""
    await memory.create_ontology(ontology(status("next", "done")))
    yield memory
    await agrees(memory)


async def node(memory: Memory, type_name: str = "Task", **properties: object) -> str:
    return (await memory.create_node(type_name, "", properties=properties)).node_id


async def refusal_of(memory: Memory, wanted: Ontology) -> GraphError:
    """The error with which an ontology is refused; nothing was changed, and the domain can be written."""
    before, types = await last(memory), await memory.get_ontology()
    with pytest.raises(GraphError) as caught:
        await memory.apply_ontology(wanted)
    assert (await last(memory), await memory.get_ontology()) == (before, types)
    await memory.delete_node(await node(memory, "Note"))
    return caught.value


async def test_the_version_is_that_of_the_call_and_not_of_a_type_that_another_call_adds_right_after(
    work: Memory, monkeypatch: pytest.MonkeyPatch
):
    log = work._core.log
    write = log.write

    async def write_before_another(name: str, *arguments: Any, **options: Any) -> Any:
        written = await write(name, *arguments, **options)
        if name == "apply_ontology":
            await work.add_node_type(node_type_from({"name": "Other"}))
        return written

    monkeypatch.setattr(log, "write", write_before_another)
    applied = await work.apply_ontology(ontology_from({"node_types": ["Mine"]}))
    [other, mine] = (await work.history.log(limit=2)).entries
    assert (applied.version, mine.seq, other.seq) == (mine.seq, mine.seq, mine.seq + 1)


async def code(call: Any) -> Code:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value.code


async def test_a_value_more_is_allowed_at_once_and_told(work: Memory) -> None:
    assert await code(node(work, status="blocked")) is Code.INVALID_PROPERTY
    applied = await work.apply_ontology(ontology(status("next", "done", "blocked")))
    text = 'node type Task: status.enum ["next", "done"] → ["next", "done", "blocked"]'
    assert (applied.created, applied.node_types, applied.changed) == (False, (), (text,))
    await node(work, status="blocked")
    again = await work.apply_ontology(ontology(status("next", "done", "blocked")))
    assert again.changed == ()


async def test_it_is_an_update_of_the_type_which_keeps_its_place(work: Memory) -> None:
    before = await last(work)
    await work.apply_ontology(ontology({**status("next", "done"), "description": "A step"}))
    [entry] = (await work.history.log(since=before + 1)).entries
    assert (entry.subject, entry.operation, entry.summary) == (
        "node_type/Task",
        "update",
        "Node type Task: description changed",
    )
    assert [kind.name for kind in (await work.get_ontology()).node_types] == ["Person", "Task", "Note"]
    [change] = (await work.history.diff(since=before)).entries
    assert change.attributes is not None
    assert [(attribute.name, attribute.before, attribute.after) for attribute in change.attributes] == [
        ("description", None, "A step")
    ]


async def test_the_past_has_the_type_as_it_was(work: Memory) -> None:
    before = await last(work)
    await work.apply_ontology(ontology(status("next", "done", "blocked"), {"to": ["Task", "Note"]}))
    past = await work.history.as_of(before)
    assert await past.get_ontology() == ontology(status("next", "done"))
    assert not (await past.validate_connection("Next", "Task", "Note")).valid
    branch = f"{(await work.upkeep.verify()).domain}-b"
    await work.history.branch(branch, at=before)
    old = work.in_domain(branch)
    assert await old.get_ontology() == ontology(status("next", "done"))
    assert await code(node(old, status="blocked")) is Code.INVALID_PROPERTY
    assert (await old.upkeep.verify()).differences == ()
    now = work.in_domain(f"{branch}2")
    await work.history.branch(f"{branch}2")
    assert await now.get_ontology() == await work.get_ontology()


async def test_another_process_asks_the_new_rules_at_once(work: Memory, settings: Settings, domain: str) -> None:
    async with open_memory(settings) as other:
        memory = other.in_domain(domain)
        await node(memory, status="next")
        await work.apply_ontology(ontology(status("next", "done", required=True)))
        assert await code(node(memory)) is Code.REQUIRED_PROPERTY_MISSING
        await memory.apply_ontology(ontology(status("next", "done", "blocked")))
        await node(work, status="blocked")


async def test_a_rule_that_all_that_is_stored_meets_is_taken(work: Memory) -> None:
    text = await node(work, status="next")
    await work.apply_ontology(ontology(status("next", required=True)))
    assert await code(work.update_node(text, properties={"status": "done"})) is Code.INVALID_PROPERTY
    assert await code(node(work)) is Code.REQUIRED_PROPERTY_MISSING


async def test_a_rule_that_something_stored_does_not_meet_is_refused_with_what_would_have_to_be_true(
    work: Memory,
) -> None:
    await node(work, status="next")
    bad = [await node(work, status="done") for _ in range(4)]
    error = await refusal_of(work, ontology({**status("next"), "required_properties": ["due"]}))
    assert error.code is Code.TYPE_ALREADY_EXISTS
    assert "property due becomes required" in error.message
    assert "5 of 5 nodes do not fit" in error.message
    changes: Any = error.details["changes"]
    [result] = changes
    assert (result["type"], result["unfit"], len(result["examples"])) == ("node type Task", 5, 3)
    assert result["demands"] == ["property due becomes required", 'property status must be one of ["next"]']
    for text in bad:
        await work.update_node(text, properties={"status": "next"})
    await work.apply_ontology(ontology(status("next")))


async def test_ends_that_something_stored_joins_cannot_go(work: Memory) -> None:
    await work.apply_ontology(ontology(status("next", "done"), {"to": ["Task", "Note"]}))
    tie = (await work.create_connection("Next", await node(work), await node(work, "Note"))).connection_id
    error = await refusal_of(work, ontology(status("next", "done")))
    assert f"({tie}): it connects Task to Note" in error.message
    await work.delete_connection(tie)
    await work.apply_ontology(ontology(status("next", "done")))
    assert await code(work.create_connection("Next", await node(work), await node(work, "Note"))) is (
        Code.INVALID_TOPOLOGY
    )


@pytest.mark.parametrize("rule", ["unique_source", "unique_target", "unique_pair", "acyclic"])
async def test_a_rule_about_other_connections_is_asked_of_those_that_are_stored(work: Memory, rule: str) -> None:
    text, two = await node(work), await node(work)
    ends = {"unique_target": [(text, two), (two, two)], "acyclic": [(text, two), (two, text)]}.get(
        rule, [(text, two)] * 2
    )
    ties = [(await work.create_connection("Next", *pair)).connection_id for pair in ends]
    wanted = ontology(status("next", "done"), {rule: True})
    error = await refusal_of(work, wanted)
    assert any(tie in error.message for tie in ties)
    await work.delete_connection(ties[1])
    await work.apply_ontology(wanted)
    refusal = Code.CONNECTION_ALREADY_EXISTS if rule == "unique_pair" else Code.INVALID_TOPOLOGY
    assert await code(work.create_connection("Next", *ends[1])) is refusal


async def test_an_index_is_filled_and_used_only_when_it_is_complete(
    work: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = sorted([await node(work, status="next") for _ in range(5)])
    seen: list[tuple[str, ...]] = []
    page = growing.Batch.page

    async def asking(self: Any, *values: Any, **more: Any) -> None:
        nodes = await work.query_nodes(type="Task", properties={"status": "next"})
        seen.append(nodes.node_ids)
        await page(self, *values, **more)

    monkeypatch.setattr(growing.Batch, "page", asking)
    await work.apply_ontology(ontology(status("next", "done", indexed=True)))
    assert seen == [tuple(nodes)]
    await work.update_node(nodes[0], properties={"status": "done"})
    assert (await work.query_nodes(type="Task", properties={"status": "next"})).node_ids == tuple(nodes[1:])
    await work.apply_ontology(ontology(status("next", "done")))
    assert (await work.query_nodes(type="Task", properties={"status": "next"})).node_ids == tuple(nodes[1:])


async def test_a_unique_rule_is_refused_where_values_collide(work: Memory) -> None:
    unique = ontology({"properties": {"code": {"unique": True}, "status": {"enum": ["next", "done"]}}})
    text, two = sorted([await node(work, code=1), await node(work, code=1.0)])
    error = await refusal_of(work, unique)
    assert f'"Task" ({two}): "Task" ({text}) already has the same "code"' in error.message
    await work.update_node(two, properties={"code": 2})
    await work.apply_ontology(unique)
    assert await code(node(work, code=2)) is Code.UNIQUE_PROPERTY_TAKEN
    assert (await work.query_nodes(type="Task", properties={"code": 2})).node_ids == (two,)


class CutOff(Exception):  # noqa: N818 - what a test does to a growth
    """Ends a growth between two of its steps, as `kill -9` would."""


@pytest.mark.long
@pytest.mark.parametrize("is_same", [True, False], ids=["with the same", "with another"])
@pytest.mark.parametrize("cut_at", [0, 2, 4, 5, 6])
async def test_a_growth_that_was_cut_off_is_ended_by_what_is_applied_next(
    work: Memory, monkeypatch: pytest.MonkeyPatch, cut_at: int, *, is_same: bool
) -> None:
    """After 4 pages of keys the types change, and with the sixth step the keys that are not needed go."""
    await work.apply_ontology(
        ontology({"properties": {"code": {"indexed": True}, "status": {"enum": ["next", "done"]}}})
    )
    nodes = sorted([await node(work, status="next", code=number) for number in range(7)])
    monkeypatch.setattr("graph_memory.memory.changes.context.ROWS", 2)
    wanted, other = ontology(status("next", "done", indexed=True)), ontology(status("next", "done", unique=False))
    step, steps = Job.step, 0

    async def cut(*values: Any, **more: Any) -> None:
        nonlocal steps
        steps += 1
        if steps > cut_at:
            raise CutOff
        await step(*values, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Job, "step", cut)
        with suppress(CutOff):
            await work.apply_ontology(wanted)
            assert steps <= cut_at
    assert (await work.query_nodes(type="Task", properties={"status": "next"})).node_ids == tuple(nodes)
    if cut_at < 6:
        with pytest.raises(GraphError) as caught:
            await node(work)
        assert caught.value.code is Code.DOMAIN_BUSY
        assert "apply the ontology again, or another one" in str(caught.value)
    then = wanted if is_same else other
    await work.apply_ontology(then)
    assert (await work.query_nodes(type="Task", properties={"status": "next"})).node_ids == tuple(nodes)
    assert await work.get_ontology() == then


async def test_adding_a_type_of_a_name_that_exists_stays_refused(work: Memory) -> None:
    assert await code(work.add_node_type(node_type_from({"name": "Task", "description": "x"}))) is (
        Code.TYPE_ALREADY_EXISTS
    )


@pytest.mark.long
async def test_a_grown_domain_is_exported_and_imported(work: Memory, tmp_path: Path, domain: str) -> None:
    text = await node(work, status="next", code=1)
    await work.apply_ontology(ontology(status("next", "done", "blocked"), {"to": ["Task", "Note"]}, description="Mine"))
    await node(work, status="blocked", code=1)
    await work.update_node(text, properties={"code": 2})
    await work.apply_ontology(
        ontology({"properties": {"code": {"unique": True}, "status": {"required": True, "indexed": True}}})
    )
    await work.transfer.export_file(tmp_path / "log.jsonl")
    copy = work.in_domain(f"{domain}-i")
    await work.transfer.import_file(tmp_path / "log.jsonl", name=f"{domain}-i")
    assert await copy.get_ontology() == await work.get_ontology()
    assert (await copy.upkeep.verify()).differences == ()
    assert (await copy.query_nodes(type="Task", properties={"code": 2})).node_ids == (text,)
    await work.history.compact(before=await last(work), archive=tmp_path / "old.jsonl.gz")
    assert await copy.get_ontology() == await work.get_ontology()
    await work.transfer.export_file(tmp_path / "compacted.jsonl")
    await work.transfer.import_file(tmp_path / "compacted.jsonl", name=f"{domain}-c")
    compacted = work.in_domain(f"{domain}-c")
    assert await compacted.get_ontology() == await work.get_ontology()
    assert (await compacted.upkeep.verify()).differences == ()


async def test_a_description_survives_and_changes(work: Memory) -> None:
    await work.apply_ontology(ontology(status("next", "done"), description="What is to be done"))
    assert (await work.get_ontology()).description == "What is to be done"
    [entry] = (await work.history.log(limit=1)).entries
    assert entry.summary == "Ontology described"


async def test_a_change_of_a_type_is_taken_back_where_what_is_stored_fits(work: Memory) -> None:
    before = await last(work)
    await work.apply_ontology(ontology(status("next", "done", "blocked"), {"to": ["Task", "Note"]}))
    blocked = await node(work, status="blocked")
    with pytest.raises(GraphError) as caught:
        await work.history.revert(since=before + 1, until=before + 2)
    assert caught.value.code is Code.REVERT_CONFLICT
    conflicts: Any = caught.value.details["conflicts"]
    [conflict] = conflicts
    assert conflict["subject"] == "node_type/Task"
    assert f'"Task" ({blocked}) does not fit it: Property "status"' in conflict["reason"]
    skipped = await work.history.revert(since=before + 1, until=before + 2, on_conflict="skip")
    assert [change.subject for change in skipped.changes] == ["connection_type/Next"]
    undone = await work.history.revert(since=before + 1, until=before + 3, on_conflict="force")
    assert [(change.operation, change.subject) for change in undone.changes] == [
        ("delete", blocked),
        ("update", "node_type/Task"),
    ]
    assert await work.get_ontology() == ontology(status("next", "done"))
    assert await code(node(work, status="blocked")) is Code.INVALID_PROPERTY


async def test_a_new_type_goes_with_the_change_that_named_it(work: Memory) -> None:
    before = await last(work)
    wider = ontology(status("next", "done"), {"to": ["Task", "Team"]}, more=["Team"])
    await work.apply_ontology(wider)
    undone = await work.history.revert(since=before + 1)
    assert [(change.operation, change.subject) for change in undone.changes] == [
        ("update", "connection_type/Next"),
        ("delete", "node_type/Team"),
    ]
    assert await work.get_ontology() == ontology(status("next", "done"))


@pytest.mark.long
async def test_a_rule_that_is_taken_back_and_comes_back_is_asked_of_what_is_stored(work: Memory) -> None:
    before = await last(work)
    await work.apply_ontology(ontology(status("next", "done"), {"unique_pair": True}))
    undone = await work.history.revert(since=before + 1)
    text, two = await node(work), await node(work)
    ties = [(await work.create_connection("Next", text, two)).connection_id for _ in range(2)]
    assert undone.batch is not None
    with pytest.raises(GraphError) as caught:
        await work.history.revert(since=before + 2, until=before + 2)
    assert caught.value.code is Code.REVERT_CONFLICT
    assert "has the same source and target" in caught.value.message
    await work.delete_connection(ties[0])
    await work.history.revert(since=before + 2, until=before + 2)
    assert await code(work.create_connection("Next", text, two)) is Code.CONNECTION_ALREADY_EXISTS


async def test_growth_is_merged_with_what_needs_it(work: Memory, domain: str) -> None:
    branch = work.in_domain(f"{domain}-b")
    await work.history.branch(branch_name := f"{domain}-b")
    await branch.apply_ontology(ontology(status("next", "done", "blocked"), {"to": ["Task", "Note"]}))
    blocked = await node(branch, status="blocked")
    await work.apply_ontology(ontology({**status("next", "done", "waiting"), "description": "A step"}))
    merged = await work.history.merge(branch_name)
    assert (merged.conflicts, merged.updated, merged.created) == ((), 2, 1)
    result = ontology(
        {**status("next", "done", "waiting", "blocked"), "description": "A step"}, {"to": ["Task", "Note"]}
    )
    assert await work.get_ontology() == result
    assert (await work.query_nodes(properties={"status": "blocked"})).node_ids == (blocked,)


async def test_a_change_that_what_is_stored_in_the_target_does_not_fit_is_a_conflict(work: Memory, domain: str) -> None:
    branch = work.in_domain(f"{domain}-b")
    await work.history.branch(f"{domain}-b")
    await branch.apply_ontology(ontology(status("next", "done", required=True)))
    bad = await node(work)
    for strategy in ("manual", "theirs"):
        with pytest.raises(GraphError) as caught:
            await work.history.merge(f"{domain}-b", strategy=strategy)
        assert caught.value.code is Code.MERGE_CONFLICT
        assert f"({bad}) does not fit it" in str(caught.value.details["conflicts"])
    assert (await work.history.merge(f"{domain}-b", strategy="ours")).settled == 1
    assert await work.get_ontology() == ontology(status("next", "done"))


@pytest.mark.long
@pytest.mark.parametrize("most", [5_000, 0])
async def test_an_index_is_merged_and_taken_back_in_the_same_write_unless_that_is_too_much(
    work: Memory, domain: str, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    branch = work.in_domain(f"{domain}-b")
    text, answer = await node(work, status="next"), await node(work, status="next")
    await work.history.branch(f"{domain}-b")
    await branch.apply_ontology(ontology(status("next", "done", indexed=True)))
    await branch.delete_node(answer)
    two = await node(branch, status="next")
    monkeypatch.setattr("graph_memory.memory.branches.load.ONE_WRITE", most)
    if most == 0:
        assert await code(work.history.merge(f"{domain}-b")) is Code.MERGE_CONFLICT
        await work.apply_ontology(await branch.get_ontology())
    before = await last(work)
    assert (await work.history.merge(f"{domain}-b")).conflicts == ()
    page = await work.query_nodes(type="Task", properties={"status": "next"})
    assert page.node_ids == tuple(sorted((text, two)))
    assert (await work.upkeep.verify()).differences == ()
    await work.history.revert(since=before + 1)
    page = await work.query_nodes(type="Task", properties={"status": "next"})
    assert page.node_ids == tuple(sorted((text, answer)))


@pytest.mark.long
async def test_a_branch_of_before_an_index_has_none_and_one_of_after_it_has_it(work: Memory, domain: str) -> None:
    text = await node(work, status="next")
    before = await last(work)
    await work.apply_ontology(ontology(status("next", "done", indexed=True)))
    await work.history.branch(f"{domain}-old", at=before)
    await work.history.branch(f"{domain}-new")
    indexed = await last(work)
    await work.apply_ontology(ontology(status("next", "done")))
    await work.history.branch(f"{domain}-mid", at=indexed)
    for name in ("old", "new", "mid"):
        memory = work.in_domain(f"{domain}-{name}")
        assert (await memory.upkeep.verify()).differences == ()
        assert (await memory.query_nodes(type="Task", properties={"status": "next"})).node_ids == (text,)


async def test_a_type_that_a_hand_made_cannot_change_before_it_is_gone(
    work: Memory, domain: str, driver: Driver
) -> None:
    driver.execute_query(
        """MATCH (o:_Ontology {_domain: $domain})
        CREATE (o)-[:_DEFINES]->(:_NodeType {_domain: $domain, _name: 'Hand', _version: 1, _definition: $text})""",
        domain=domain,
        text='{"name": "Hand"}',
    )
    work._core.log.forget(domain)
    wanted = ontology(status("next", "done"), more=[{"name": "Hand", "description": "By hand"}])
    with pytest.raises(GraphError) as caught:
        await work.apply_ontology(wanted)
    assert (caught.value.code, "node_type/Hand" in caught.value.message) == (Code.STORE_CONFLICT, True)
    await work.upkeep.reconcile(restore="all")
    assert (await work.apply_ontology(wanted)).node_types == ("Hand",)


ORDERED = {
    "properties": {"session": "string", "at": "datetime", "n": "integer"},
    "indexes": [["session", "at"], ["session", "n"]],
}


async def ids_in_order(
    memory: Memory, by: str = "at", *, descending: bool = False, limit: int | None = None
) -> list[str]:
    """The ids of the tasks of a session in an order, read page by page."""
    results: list[str] = []
    cursor: str | None = None
    while True:
        page = await memory.query_nodes(
            type="Task", properties={"session": "s"}, order_by=by, descending=descending, limit=limit, cursor=cursor
        )
        results += page.node_ids
        cursor = page.next_cursor
        if cursor is None:
            return results


async def test_an_index_that_comes_later_gives_what_is_stored_in_its_order_page_by_page(memory: Memory) -> None:
    await memory.create_ontology(ontology())
    hours = [5, 1, 3, 3, 2]
    ids = [await node(memory, session="s", at=f"2026-01-01T0{hour}:00:00Z", n=-hour) for hour in hours]
    await node(memory, session="other", at="2026-01-01T00:00:00Z")
    await node(memory, session="s", n=9)
    await memory.apply_ontology(ontology(ORDERED))
    wanted = sorted(ids, key=lambda node_id: (hours[ids.index(node_id)], node_id))
    assert await ids_in_order(memory) == await ids_in_order(memory, limit=2) == wanted
    assert await ids_in_order(memory, descending=True, limit=2) == wanted[::-1]
    assert (await ids_in_order(memory, "n"))[0] == ids[0]
    past = await memory.history.as_of(await last(memory))
    page = await past.query_nodes(type="Task", properties={"session": "s"}, order_by="at", descending=True, limit=2)
    assert list(page.node_ids) == wanted[:-3:-1]
    arguments = {"order_by": "at", "descending": True, "cursor": page.next_cursor}
    rest = await past.query_nodes(type="Task", properties={"session": "s"}, **arguments)  # pyright: ignore[reportArgumentType]
    assert list(rest.node_ids) == wanted[-3::-1]
    alone = await past.query_nodes(type="Task", order_by="n", limit=1)
    assert list(alone.node_ids) == [ids[0]]
    await memory.update_node(ids[0], properties={"at": "2026-01-01T02:30:00+02:00"})
    await memory.delete_node(ids[1])
    assert (await ids_in_order(memory))[:2] == [ids[0], ids[4]]
    [other] = (
        await memory.query_nodes(type="Task", properties={"session": "other"}, order_by="at", detail=True)
    ).nodes or ()
    assert other.type == "Task"
    assert (await memory.upkeep.verify()).differences == ()
    branch = f"{(await memory.upkeep.verify()).domain}-b"
    await memory.history.branch(branch)
    assert await ids_in_order(memory.in_domain(branch)) == await ids_in_order(memory)
    assert (await memory.in_domain(branch).upkeep.verify()).differences == ()


async def test_an_index_that_another_process_declares_is_known_at_once(
    memory: Memory, settings: Settings, domain: str
) -> None:
    await memory.create_ontology(ontology())
    await node(memory, session="s", n=1)
    async with open_memory(settings) as other:
        await memory.query_nodes(type="Task")
        await other.in_domain(domain).apply_ontology(ontology(ORDERED))
        assert len(await ids_in_order(memory, "n")) == 1


async def test_connections_are_ordered_by_an_index_too_and_an_order_without_one_is_an_error(memory: Memory) -> None:
    link = {"properties": {"kind": "string", "rank": "number"}, "indexes": [["kind", "rank"]]}
    await memory.create_ontology(ontology(ORDERED, link))
    text, two = await node(memory), await node(memory)
    made = [
        (await memory.create_connection("Next", text, two, properties={"kind": "k", "rank": rank})).connection_id
        for rank in (2.5, -1, 0)
    ]
    page = await memory.query_connections(type="Next", properties={"kind": "k"}, order_by="rank", detail=True)
    assert list(page.connection_ids) == [made[1], made[2], made[0]]
    for arguments in (
        {"properties": {"session": "s"}, "order_by": "x"},
        {"properties": {}, "order_by": "at"},
        {"properties": {"session": "s"}, "order_by": "at", "valid_at": "2026-01-01"},
        {"properties": {"session": "s"}, "order_by": "at", "cursor": "after:%%"},
    ):
        with pytest.raises(GraphError) as caught:
            await memory.query_nodes(type="Task", **arguments)  # pyright: ignore[reportArgumentType]
        assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError, match=r"has no index \[session, at\]") as caught:
        await memory.query_nodes(type="Note", properties={"session": "s"}, order_by="at")
    assert "indexes: [[session, at]]" in caught.value.hint
    await memory.apply_ontology(ontology())
    assert (await memory.upkeep.verify()).differences == ()
