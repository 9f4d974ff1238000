"""Many operations in one write: all or none, every fault told, one batch in the log, known again by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.memory.batch import batch_context
from graph_memory.memory.batch.results import BatchResult

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [
            "Note",
            {"name": "Person", "properties": [{"name": "email", "unique": True}, {"name": "age", "type": "integer"}]},
        ],
        "connection_types": [
            {"name": "Knows", "from": ["Person"], "to": ["Person"]},
            {"name": "MarriedTo", "from": ["Person"], "to": ["Person"], "unique_source": True, "unique_target": True},
            {"name": "PartOf", "from": ["*"], "to": ["*"], "acyclic": True},
        ],
    }
)
Operation = dict[str, Any]


@pytest.fixture
async def people(memory: Memory) -> Memory:
    await memory.create_ontology(ONTOLOGY)
    for name in ("ann", "bob"):
        await memory.create_node("Person", name, properties={"email": name}, id=name)
    return memory


def person(id_: str, **properties: object) -> Operation:
    return {"op": "create_node", "type": "Person", "content": id_, "id": id_, "properties": properties}


def update(id_: str, **properties: object) -> Operation:
    return {"op": "update_node", "node_id": id_, "properties": properties}


def delete(id_: str) -> Operation:
    return {"op": "delete_node", "node_id": id_}


def link(kind: str, source: str, target: str, id_: str | None = None) -> Operation:
    own = {"id": id_} if id_ else {}
    return {"op": "create_connection", "type": kind, "from_node_id": source, "to_node_id": target, **own}


def unlink(id_: str) -> Operation:
    return {"op": "delete_connection", "connection_id": id_}


async def seq(memory: Memory) -> int:
    return (await memory.history.log(limit=1)).entries[0].seq


async def faults_of(memory: Memory, *operations: Operation, **arguments: Any) -> list[Mapping[str, Any]]:
    """Return the faults of a batch that is refused, having checked that it changed nothing."""
    before = await seq(memory)
    with pytest.raises(GraphError) as caught:
        await memory.execute_batch(operations, **arguments)
    assert caught.value.code is Code.BATCH_REFUSED, caught.value
    assert await seq(memory) == before
    faults: Any = caught.value.details["faults"]
    return faults


async def places(memory: Memory, *operations: Operation) -> list[tuple[int, str]]:
    return [(fault["index"], fault["code"]) for fault in await faults_of(memory, *operations)]


async def clean(memory: Memory) -> None:
    assert (await memory.upkeep.verify()).clean


def counts(done: BatchResult) -> tuple[int, int, int, int]:
    return done.created, done.updated, done.deleted, done.refused


async def test_all_verbs_make_one_batch_that_is_shown_and_undone_as_one(people: Memory):
    await people.create_connection("Knows", "ann", "bob", id="old")
    done = await people.execute_batch(
        [
            {"op": "create_node", "type": "Note", "content": "kitchen", "ref": "kitchen", "tags": ["t"], "path": "a/b"},
            link("PartOf", "$kitchen", "ann", "made"),
            update("ann", age=3),
            {"op": "update_connection", "connection_id": "old", "content": "note"},
            {"op": "update_connection", "connection_id": "made", "properties": {"n": 1}},
            {"op": "set_validity", "id": "$kitchen", "valid_to": "2030-01-01"},
            delete("bob"),
        ]
    )
    assert counts(done) == (2, 1, 2, 0)
    kitchen = done.results[0].id or ""
    node = await people.get_node(kitchen)
    assert (node.tags, node.path, node.valid_to is not None) == (("t",), "a/b", True)
    assert node.version == done.results[0].version == done.results[5].version
    made = await people.get_connection("made")
    assert (made.from_node_id, made.properties, made.version) == (kitchen, {"n": 1}, done.results[1].version)
    assert (await people.get_node("ann")).properties == {"email": "ann", "age": 3}
    assert (done.results[6].connections, (await people.search_content("kitchen")).node_ids) == (1, (kitchen,))
    entries = (await people.history.log(since=done.since, until=done.until, limit=100)).entries
    assert ({entry.batch for entry in entries}, len(entries)) == ({done.batch}, 5)
    await clean(people)
    await people.history.revert(since=done.since, until=done.until)
    assert sorted((await people.query_nodes()).node_ids) == ["ann", "bob"]
    assert (await people.get_connection("old", include_content=True)).content is None
    await clean(people)


async def test_every_fault_of_every_operation_is_found_and_nothing_is_changed(people: Memory):
    await people.create_connection("MarriedTo", "ann", "bob")
    faults = await faults_of(
        people,
        update("nobody", age=1),
        person("cid", age="old", email="ann"),
        link("Knows", "ann", "nobody"),
        link("MarriedTo", "ann", "ann"),
        {"op": "create_nod"},
        person("ann"),
        {**update("ann", age=1), "expected_version": 1},
        link("Likes", "ann", "bob"),
        update("bob", age=5),
    )
    assert [(fault["index"], fault["code"]) for fault in faults] == [
        (0, "NODE_NOT_FOUND"),
        (1, "INVALID_PROPERTY"),
        (1, "UNIQUE_PROPERTY_TAKEN"),
        (2, "NODE_NOT_FOUND"),
        (3, "INVALID_TOPOLOGY"),
        (4, "INVALID_ARGUMENT"),
        (5, "NODE_ALREADY_EXISTS"),
        (6, "VERSION_CONFLICT"),
        (7, "INVALID_CONNECTION_TYPE"),
    ]
    assert all(fault["message"] and fault["hint"] and fault["op"] for fault in faults)
    await clean(people)


async def test_the_error_names_the_first_faults_for_whoever_reads_only_that(people: Memory):
    with pytest.raises(GraphError) as caught:
        await people.execute_batch([delete("x"), update("ann", age=1), delete("y")])
    assert caught.value.message == (
        '2 operations are invalid: operations[0] NODE_NOT_FOUND: Node "x" does not exist; operations[2] '
        'NODE_NOT_FOUND: Node "y" does not exist'
    )
    assert caught.value.details["operations"] == 3


async def test_what_only_follows_from_another_fault_is_not_told(people: Memory):
    bad = {**person("cid", age="x"), "ref": "cid"}
    needing = [link("Knows", "$cid", "ann"), link("Knows", "cid", "ann"), update("cid", age=1)]
    assert await places(people, bad, *needing[:2]) == [(0, "INVALID_PROPERTY")]
    unread = {**bad, "tags": 7}
    assert await places(people, unread, link("Knows", "$cid", "ann"), update("cid", age=1)) == [(0, "INVALID_ARGUMENT")]


async def test_without_validation_only_the_first_fault_is_told(people: Memory):
    options = {"validate_before_commit": False}
    assert len(await faults_of(people, delete("x"), delete("y"), options=options)) == 1
    assert len(await faults_of(people, {"op": "x"}, delete("y"), options=options)) == 1


async def test_a_fault_is_told_of_the_operation_that_asked_for_it(people: Memory):
    assert await places(people, person("cid", age=1), update("cid", age="x"), update("cid", nick="c")) == [
        (1, "INVALID_PROPERTY")
    ]
    assert await places(people, update("ann", age=1), update("ann", email="bob"), update("ann", age=2)) == [
        (1, "UNIQUE_PROPERTY_TAKEN")
    ]


async def test_a_unique_value_moves_between_nodes(people: Memory):
    await people.execute_batch([update("ann", email="bob"), update("bob", email="ann"), person("cid", email="c")])
    await people.execute_batch([delete("cid"), person("dan", email="c")])
    assert (await people.get_node("ann")).properties["email"] == "bob"
    assert (await people.query_nodes(properties={"email": "c"})).node_ids == ("dan",)
    assert await places(people, person("eve", email="x"), person("fay", email="x")) == [(1, "UNIQUE_PROPERTY_TAKEN")]
    await clean(people)


async def test_an_id_is_never_given_again_not_even_after_a_delete_in_the_batch(people: Memory):
    assert await places(people, delete("ann"), person("ann")) == [(1, "NODE_ALREADY_EXISTS")]
    assert await places(people, person("cid"), delete("cid"), person("cid")) == [(2, "NODE_ALREADY_EXISTS")]


async def test_a_connection_is_replaced_where_only_one_may_be(people: Memory):
    await people.create_connection("MarriedTo", "ann", "bob", id="first")
    await people.execute_batch([unlink("first"), link("MarriedTo", "ann", "bob", "second")])
    assert (await people.query_connections(type="MarriedTo")).connection_ids == ("second",)
    assert await places(people, person("cid"), link("MarriedTo", "cid", "ann"), link("MarriedTo", "cid", "bob")) == [
        (2, "INVALID_TOPOLOGY")
    ]
    await clean(people)


async def test_a_cycle_within_the_batch_is_found_at_the_operation_that_closes_it(people: Memory):
    names = [person(name) for name in ("c", "d", "e")]
    chain = [link("PartOf", "c", "d"), link("PartOf", "d", "e")]
    assert await places(people, *names, *chain, link("PartOf", "e", "c")) == [(5, "INVALID_TOPOLOGY")]
    done = await people.execute_batch([*names, *chain, link("PartOf", "ann", "c")])
    assert counts(done) == (6, 0, 0, 0)


async def test_what_a_node_has_goes_with_it_in_the_order_of_the_operations(people: Memory):
    await people.create_connection("Knows", "ann", "bob", id="old")
    assert await places(people, delete("ann"), {"op": "update_connection", "connection_id": "old", "content": "x"}) == [
        (1, "CONNECTION_NOT_FOUND")
    ]
    assert await places(people, delete("ann"), link("Knows", "ann", "bob")) == [(1, "NODE_NOT_FOUND")]
    done = await people.execute_batch(
        [
            link("Knows", "bob", "ann", "new"),
            {"op": "update_connection", "connection_id": "old", "properties": {"a": 1}},
            unlink("old"),
            person("cid"),
            link("Knows", "cid", "bob", "more"),
            delete("cid"),
            delete("ann"),
        ]
    )
    assert counts(done) == (0, 0, 2, 0)
    assert ((await people.query_nodes()).node_ids, (await people.query_connections()).connection_ids) == (("bob",), ())
    await clean(people)


async def test_what_changes_nothing_is_no_event_and_keeps_its_version(people: Memory):
    before = (await people.get_node("ann")).version
    done = await people.execute_batch([update("ann", email="ann"), update("ann", age=1), update("bob", email="bob")])
    assert counts(done) == (0, 1, 0, 0)
    assert done.results[2].version == (await people.get_node("bob")).version < before + 2
    nothing = await people.execute_batch([update("bob", email="bob")])
    assert (nothing.batch, nothing.since, counts(nothing)) == (None, None, (0, 0, 0, 0))


async def test_without_atomic_what_is_faulty_is_left_out_and_the_rest_is_made(people: Memory):
    done = await people.execute_batch(
        [
            {**person("cid", age="x"), "ref": "cid"},
            person("dan", email="d"),
            link("Knows", "$cid", "dan"),
            link("Knows", "dan", "ann", "ok"),
            {"op": "no"},
            person("ann"),
            link("Knows", "ann", "bob", "there"),
            link("MarriedTo", "ann", "dan", "wed"),
            link("MarriedTo", "ann", "bob"),
            update("dan", email="ann"),
        ],
        options={"atomic": False},
    )
    assert [(fault.index, fault.code) for fault in done.faults] == [
        (0, "INVALID_PROPERTY"),
        (2, "NODE_NOT_FOUND"),
        (4, "INVALID_ARGUMENT"),
        (5, "NODE_ALREADY_EXISTS"),
        (8, "INVALID_TOPOLOGY"),
        (9, "UNIQUE_PROPERTY_TAKEN"),
    ]
    assert done.faults[1].message == "This operation needs the result of operations[0], which is invalid"
    assert counts(done) == (4, 0, 0, 6)
    assert {item.index for item in done.results if item.version} == {1, 3, 6, 7}
    assert (await people.get_node("dan")).properties == {"email": "d"}
    assert set((await people.query_connections()).connection_ids) == {"ok", "there", "wed"}
    await clean(people)


async def test_rollback_on_error_means_atomic_whatever_else_is_said(people: Memory):
    assert await faults_of(people, delete("x"), delete("ann"), options={"atomic": False, "rollbackOnError": True})


@pytest.mark.parametrize("key", [None, "k"])
async def test_a_dry_run_tells_what_would_be_done_and_does_nothing(people: Memory, key: str | None):
    operations: list[Operation] = [
        {"op": "create_node", "type": "Note", "content": "n", "ref": "n"},
        person("cid"),
        link("Knows", "cid", "ann"),
        delete("bob"),
    ]
    before = await seq(people)
    tried = await people.execute_batch(operations, options={"dry_run": True}, idempotency_key=key)
    assert (tried.dry_run, tried.batch, counts(tried)) == (True, None, (3, 0, 1, 0))
    assert [item.version for item in tried.results] == [None] * 4
    assert await seq(people) == before
    done = await people.execute_batch(operations, idempotency_key=key)
    assert counts(done) == counts(tried)
    assert tried.results[0].id == (done.results[0].id if key else None)


async def test_a_dry_run_tells_all_faults_as_a_result(people: Memory):
    tried = await people.execute_batch([delete("x"), delete("bob"), {"op": "x"}], options={"dry_run": True})
    assert ([fault.index for fault in tried.faults], counts(tried)) == ([0, 2], (0, 0, 0, 2))
    await people.get_node("bob")


async def test_a_batch_with_a_key_is_made_once_by_whatever_process(people: Memory, settings: Settings, domain: str):
    operations: list[Operation] = [
        {"op": "create_node", "type": "Note", "content": "n", "ref": "n"},
        link("PartOf", "$n", "ann"),
        delete("bob"),
        update("ann", email="ann"),
    ]
    done = await people.execute_batch(operations, idempotency_key="k")
    async with open_memory(settings) as other:
        again = await other.in_domain(domain).execute_batch(operations, idempotency_key="k")
    assert (done.repeated, again.repeated) == (None, True)
    pairs = [(item.id, item.version) for item in done.results]
    assert [(item.id, item.version) for item in again.results][:3] == pairs[:3]
    assert (again.batch, again.since, again.until, counts(again)) == (done.batch, done.since, done.until, counts(done))
    assert await seq(people) == done.until
    await clean(people)


async def test_a_key_that_was_used_for_other_operations_is_a_conflict(people: Memory):
    done = await people.execute_batch([update("ann", age=1)], idempotency_key="k")
    with pytest.raises(GraphError) as caught:
        await people.execute_batch([update("ann", age=2)], idempotency_key="k")
    assert caught.value.code is Code.IDEMPOTENCY_CONFLICT
    assert caught.value.details["seq"] == done.since
    assert (await people.get_node("ann")).properties["age"] == 1


async def test_a_repeated_batch_tells_again_what_was_refused(people: Memory, domain: str, tmp_path: Any):
    operations = [
        {"op": "create_node", "type": "Person"},
        person("cat", email="ann"),
        link("Knows", "cat", "ann"),
        person("dan", email="d"),
        link("MarriedTo", "ann", "dan"),
        link("MarriedTo", "ann", "bob"),
    ]
    loose = {"atomic": False}
    done = await people.execute_batch(operations, options=loose, idempotency_key="k")
    assert [fault.index for fault in done.faults] == [0, 1, 2, 5]
    await people.update_node("ann", properties={"email": "new"})  # nothing would stand against the second now
    await people.transfer.export_file(tmp_path / "d.jsonl")
    await people.transfer.import_file(tmp_path / "d.jsonl", name=f"{domain}-i")
    for memory in (people, people.in_domain(f"{domain}-i")):
        again = await memory.execute_batch(operations, options=loose, idempotency_key="k")
        faults = [fault.model_copy(update={"message": again.faults[0].message, "hint": None}) for fault in done.faults]
        assert again == done.model_copy(update={"repeated": True, "faults": tuple(faults)})
        await clean(memory)


@pytest.mark.long
async def test_a_repeated_batch_of_which_something_was_erased_is_a_conflict_that_says_so(
    people: Memory, domain: str, tmp_path: Any, driver: Driver
):
    operations = [person("cat"), person("dan"), person("eve", email="ann")]
    arguments: dict[str, Any] = {"options": {"atomic": False}, "idempotency_key": "k"}
    done = await people.execute_batch(operations, **arguments)
    assert count_request_events(driver, domain) == 1
    await people.history.erase("dan")  # its event is not the first, which has the hash of all of them
    assert count_request_events(driver, domain) == 0
    await people.transfer.export_file(tmp_path / "d.jsonl")
    await people.transfer.import_file(tmp_path / "d.jsonl", name=f"{domain}-i")
    await people.history.compact(await seq(people), archive=tmp_path / "old.jsonl")
    for memory in (people, people.in_domain(f"{domain}-i")):
        before = await seq(memory)
        with pytest.raises(GraphError) as caught:
            await memory.execute_batch(operations, **arguments)
        assert caught.value.code is Code.IDEMPOTENCY_CONFLICT
        assert "erased" in caught.value.message
        assert caught.value.details["seq"] == done.since
        assert await seq(memory) == before
        assert (await memory.upkeep.rebuild()).differences == ()
        await clean(memory)


async def test_what_is_kept_of_a_batch_does_not_name_what_it_left_out(people: Memory, domain: str, driver: Driver):
    operations = [person("cat"), person("dan", email="ann"), update("ann", age="a secret")]
    done = await people.execute_batch(operations, options={"atomic": False}, idempotency_key="k")
    assert len(done.faults) == 2
    find = "MATCH (e:_Event {_domain: $domain}) WHERE e._refused IS NOT NULL RETURN e._refused"
    result = driver.execute_query(find, domain=domain).records[0][0]
    assert not any(name in result for name in ("ann", "dan", "secret"))


@pytest.mark.long
async def test_a_compaction_takes_what_is_kept_of_a_batch(people: Memory, domain: str, tmp_path: Any, driver: Driver):
    operations = [person("cat"), person("dan"), person("eve", email="ann")]
    arguments: dict[str, Any] = {"options": {"atomic": False}, "idempotency_key": "k"}
    await people.execute_batch(operations, **arguments)
    await people.update_node("dan", properties={"age": 1})
    await people.history.compact(await seq(people), archive=tmp_path / "old.jsonl")
    assert count_request_events(driver, domain) == 0
    with pytest.raises(GraphError, match="compacted since") as caught:
        await people.execute_batch(operations, **arguments)
    assert caught.value.code is Code.IDEMPOTENCY_CONFLICT
    await clean(people)


def count_request_events(driver: Driver, domain: str) -> int:
    """Return the number of events of a domain that record the request or its refused operations."""
    find = "MATCH (e:_Event {_domain: $domain}) WHERE e._seq > 0 AND (e._request IS NOT NULL OR e._refused IS NOT NULL)"
    return driver.execute_query(f"{find} RETURN count(e)", domain=domain).records[0][0]


async def test_a_key_is_free_again_after_a_batch_that_was_refused(people: Memory):
    assert await faults_of(people, delete("x"), idempotency_key="k")
    assert not (await people.execute_batch([delete("ann")], idempotency_key="k")).repeated


@pytest.mark.long
async def test_a_key_goes_along_with_an_export_and_not_with_a_branch(people: Memory, domain: str, tmp_path: Any):
    operations = [update("ann", age=1)]
    await people.execute_batch(operations, idempotency_key="k")
    await people.transfer.export_file(tmp_path / "d.jsonl")
    await people.transfer.import_file(tmp_path / "d.jsonl", name=f"{domain}-i")
    await people.history.branch(f"{domain}-b")
    assert (await people.in_domain(f"{domain}-i").execute_batch(operations, idempotency_key="k")).repeated
    branch = people.in_domain(f"{domain}-b")
    assert not (await branch.execute_batch([update("ann", age=2)], idempotency_key="k")).repeated
    for memory in (people.in_domain(f"{domain}-i"), branch):
        await clean(memory)


async def test_the_same_batch_asked_for_at_once_is_made_once(people: Memory, settings: Settings, domain: str):
    operations = [person(f"p{number}") for number in range(20)]
    results: list[BatchResult] = []

    async def run_it(memory: Memory) -> None:
        results.append(await memory.execute_batch(operations, idempotency_key="k"))

    async with open_memory(settings) as other, anyio.create_task_group() as tasks:
        for memory in (people, people, other.in_domain(domain)):
            tasks.start_soon(run_it, memory)
    assert sorted(bool(done.repeated) for done in results) == [False, True, True]
    assert len((await people.query_nodes()).node_ids) == 22


async def test_types_of_an_open_ontology_are_added_once_for_all(memory: Memory):
    await memory.create_ontology(ontology_from({"node_types": [], "connection_types": [], "open": True}))
    note = {"op": "create_node", "type": "Idea", "content": ""}
    done = await memory.execute_batch(
        [{**note, "ref": "a"}, {**note, "ref": "b"}, link("Leads To", "$a", "$b"), link("Leads To", "$b", "$a")]
    )
    assert counts(done) == (4, 0, 0, 0)
    ontology = await memory.get_ontology()
    added = ([kind.name for kind in types if kind.ad_hoc] for types in (ontology.node_types, ontology.connection_types))
    assert [*added] == [["Idea"], ["Leads To"]]
    left = await memory.execute_batch(
        [{**note, "type": "_bad"}, link("_bad", "x", "y"), {**note, "type": "Good"}], options={"atomic": False}
    )
    assert (counts(left), [fault.index for fault in left.faults]) == ((1, 0, 0, 2), [0, 1])
    await clean(memory)


async def test_large_and_binary_content_is_kept_and_found(people: Memory):
    done = await people.execute_batch(
        [
            {"op": "create_node", "type": "Note", "content": "long " * 20_000, "ref": "long"},
            {"op": "create_node", "type": "Note", "content": "AP8=", "encoding": "base64", "format": "bin"},
            {"op": "update_node", "node_id": "$long", "content": "final words", "encoding": "utf-8"},
            {"op": "update_node", "node_id": "ann", "content": "longer " * 20_000, "encoding": "utf-8"},
        ]
    )
    long, binary = done.results[0].id or "", done.results[1].id or ""
    assert (await people.get_node_content(long)).content == "final words"
    assert (await people.get_node_content(binary)).data == b"\x00\xff"
    assert (await people.search_content("longer longer")).node_ids == ("ann",)
    assert (await people.search_content("final words")).node_ids == (long,)
    await clean(people)


async def test_more_than_one_transaction_deletes_is_refused_with_what_works(
    people: Memory, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(batch_context, "MAX_ATTACHED", 1)
    for _ in range(2):
        await people.create_connection("Knows", "ann", "bob")
    with pytest.raises(GraphError, match="More than 1 connections") as caught:
        await people.execute_batch([delete("ann")])
    assert "delete_node" in (caught.value.hint or "")


async def test_a_batch_of_a_domain_that_is_not_there_is_refused(memory: Memory):
    with pytest.raises(GraphError) as caught:
        await memory.execute_batch([{"op": "create_node", "type": "Note", "content": "x" * 100_000}])
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
