"""Fields of nodes: path, namespace, title, summary and metadata, on every way in which a node is written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, NodeType, PropertyRule, ontology_from
from graph_memory.memory.history.diff_results import ValueChange
from support import last
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": []})
FIELDS: dict[str, Any] = {
    "path": "/house/kitchen",
    "namespace": "home",
    "title": "Kitchen, renovated",
    "content_summary": "What it costs.",
    "metadata": {"source": {"app": "mail", "ids": [1, 2.5, None]}, "seen": True},
}
CLEARED: dict[str, Any] = {"path": "", "namespace": "", "title": "", "content_summary": "", "metadata": {}}


@pytest.fixture
async def home(memory: Memory) -> AsyncIterator[Memory]:
    """A domain; whatever a test does in it, graph and log agree afterwards."""
    await memory.create_ontology(ONTOLOGY)
    yield memory
    assert (await memory.upkeep.verify()).differences == ()


async def fields(memory: Memory, node: str = "n") -> dict[str, Any]:
    """Return the fields of a node that are not at their defaults, with its title."""
    rendered = (await memory.get_node(node)).to_dict()
    return {name: rendered[name] for name in (*FIELDS, "summary_timestamp") if name in rendered}


async def test_a_node_without_fields_has_its_defaults(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen\nbody", id="n", path="/", namespace="default", metadata={})
    assert await fields(home) == {"title": "Kitchen"}
    version = (await home.get_node("n")).version
    assert (await home.update_node("n", **CLEARED)).version == version


async def test_fields_are_kept_as_they_are_given_and_cleared(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n", **FIELDS)
    node = await home.get_node("n")
    assert await fields(home) == {**FIELDS, "summary_timestamp": node.to_dict()["created"]}
    assert (await home.update_node("n", **FIELDS)).version == node.version
    for name, cleared in CLEARED.items():
        await home.update_node("n", **{name: cleared})
    assert await fields(home) == {"title": "Kitchen"}
    await home.update_node("n", **FIELDS)
    await home.update_node("n", **CLEARED)
    assert await fields(home) == {"title": "Kitchen"}


async def test_a_title_that_is_cleared_is_made_of_what_the_node_has_become(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n", title="Mine")
    await home.update_node("n", content="# Bath", encoding="utf-8")
    assert await fields(home) == {"title": "Mine"}
    assert [node.title for node in await home.describe_nodes(["n"])] == ["Mine"]
    await home.update_node("n", title="")
    assert await fields(home) == {"title": "Bath"}
    await home.update_node("n", title="Mine", properties={"name": "Named"})
    await home.update_node("n", title="")
    assert await fields(home) == {"title": "Named"}


async def test_the_time_of_a_summary_is_that_of_its_last_writing(home: Memory) -> None:
    await home.create_node("Note", "one", id="n", content_summary="short")
    first = (await home.get_node("n")).summary_timestamp
    await home.update_node("n", content="two", encoding="utf-8")
    assert (await home.get_node("n")).summary_timestamp == first
    await home.update_node("n", content="three", encoding="utf-8", content_summary="short")
    second = await home.get_node("n")
    assert second.summary_timestamp == second.modified != first
    await home.update_node("n", content_summary="shorter")
    third = await home.get_node("n")
    assert third.summary_timestamp == third.modified != second.modified
    await home.update_node("n", content_summary="")
    assert await fields(home) == {"title": "three"}


@for_rows(
    "wrong",
    [
        {"path": "p" * 256},
        {"path": "\ud800"},
        {"namespace": "n" * 256},
        {"namespace": "home\t"},
        {"title": "t" * 256},
        {"title": "two\nlines"},
        {"title": " "},
        {"content_summary": "s" * 10_001},
        {"metadata": {"a": "x" * 65_536}},
        {"metadata": ["a"]},
        {"metadata": {"a": float("nan")}},
        {"metadata": {"a": 2**63}},
        {"metadata": {1: "a"}},
        {"metadata": {"a": object()}},
        {"metadata": {"a": "\ud800"}},
        {"metadata": {"deep": json.loads("[" * 60 + "]" * 60)}},
    ],
)
async def test_what_a_field_cannot_be_is_refused(home: Memory, wrong: dict[str, Any]) -> None:
    node = (await home.create_node("Note", "")).node_id
    [name] = wrong.keys() & FIELDS.keys()
    for write in (home.create_node("Note", "", **wrong), home.update_node(node, **wrong)):
        with pytest.raises(GraphError) as refused:
            await write
        assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, name)
        assert refused.value.hint
    batch = await home.execute_batch([{"op": "update_node", "node_id": node, **wrong}], options={"atomic": False})
    assert [fault.code for fault in batch.faults] == [Code.INVALID_ARGUMENT]
    assert await last(home) == (await home.get_node(node)).version


async def test_the_longest_fields_are_stored(home: Memory) -> None:
    longest = {"path": "ß" * 255, "namespace": "漢" * 255, "title": "t" * 255, "content_summary": "s" * 10_000}
    metadata = {"a": "x" * (65_536 - len('{"a":""}'))}
    await home.create_node("Note", "", id="n", **longest, metadata=metadata)
    assert {**longest, "metadata": metadata}.items() <= (await fields(home)).items()


async def test_a_batch_sets_and_clears_fields(home: Memory) -> None:
    await home.execute_batch(
        [
            {"op": "create_node", "type": "Note", "content": "# Kitchen", "id": "n", **FIELDS},
            {"op": "create_node", "type": "Note", "content": "# Bath", "id": "m", "title": "Mine"},
            {"op": "update_node", "node_id": "m", "title": ""},
            {"type": "create", "node_id": "o", "node_data": {"type": "Note", "content": "", "contentSummary": "short"}},
        ]
    )
    assert FIELDS.items() <= (await fields(home)).items()
    assert await fields(home, "m") == {"title": "Bath"}
    assert (await fields(home, "o"))["content_summary"] == "short"
    await home.execute_batch([{"op": "update_node", "node_id": "n", **CLEARED}])
    assert await fields(home) == {"title": "Kitchen"}


async def test_log_diff_and_the_past_tell_of_fields(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n")
    before = await last(home)
    await home.update_node("n", **FIELDS)
    [entry] = (await home.history.log(limit=1)).entries
    assert 'title "Kitchen" → "Kitchen, renovated"' in entry.summary
    assert 'path "/house/kitchen" added' in entry.summary
    [changed] = (await home.history.diff(since=before)).entries
    assert changed.attributes is not None
    assert ValueChange(name="namespace", before=None, after="home") in changed.attributes
    assert {attribute.name for attribute in changed.attributes} == {
        "given title", "metadata", "namespace", "path", "summary", "title"
    }  # fmt: skip
    past = await home.history.as_of(before)
    assert (await past.get_node("n")).to_dict().keys().isdisjoint({"path", "namespace", "metadata"})
    now = await home.history.as_of("now")
    assert await now.get_node("n") == await home.get_node("n")


async def test_a_revert_brings_fields_back(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n", **FIELDS)
    before, at = await fields(home), await last(home)
    await home.update_node("n", **CLEARED)
    await home.history.revert(since=at + 1)
    assert await fields(home) == before


@pytest.mark.long
async def test_a_rebuild_brings_fields_back(home: Memory, domain: str, driver: Driver) -> None:
    await home.create_node("Note", "# Kitchen", id="n", **FIELDS)
    before = await fields(home)
    driver.execute_query(
        "MATCH (n:_Node {_domain: $domain}) REMOVE n._path, n._metadata, n._given_title", domain=domain
    )
    assert len((await home.upkeep.verify()).differences) == 3
    await home.upkeep.rebuild()
    assert await fields(home) == before


async def test_a_branch_has_fields_and_a_merge_takes_them_field_by_field(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n", **FIELDS)
    name = f"{(await home.domain_info()).name}-b"
    await home.history.branch(name)
    branch = home.in_domain(name)
    assert await fields(branch) == await fields(home)
    await home.update_node("n", path="/ours", title="")
    await branch.update_node("n", namespace="", metadata={"b": 1}, content_summary="Theirs.")
    theirs = await fields(branch)
    await home.history.merge(name)
    results = await fields(home)
    assert results == {
        "path": "/ours",
        "title": "Kitchen",
        "content_summary": "Theirs.",
        "summary_timestamp": theirs["summary_timestamp"],
        "metadata": {"b": 1},
    }
    assert (await branch.upkeep.verify()).clean


async def test_fields_that_both_changed_are_conflicts_each_of_its_own(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n", **FIELDS)
    name = f"{(await home.domain_info()).name}-b"
    await home.history.branch(name)
    branch = home.in_domain(name)
    await home.update_node(
        "n", path="/ours", namespace="ours", title="Ours", content_summary="Ours.", metadata={"a": 1}
    )
    ours = await fields(home)
    await branch.update_node("n", path="/b", namespace="b", title="B", content_summary="B.", metadata={"b": 1})
    preview = await home.history.merge(name, preview=True)
    requests = {"_path", "_namespace", "_given_title", "_content_summary", "_metadata"}
    assert {conflict.property for conflict in preview.conflicts} == requests
    resolutions = [
        {"subject": "n", "property": "_path", "value": "/both"},
        {"subject": "n", "property": "_given_title", "value": "Both"},
        {"subject": "n", "property": "_namespace", "take": "theirs"},
        {"subject": "n", "property": "_metadata", "take": "theirs"},
        {"subject": "n", "property": "_content_summary", "take": "ours"},
    ]
    for bad in ("p" * 256, ""):
        with pytest.raises(GraphError):
            await home.history.merge(name, resolutions=[{**resolutions[0], "value": bad}, *resolutions[1:]])
    await home.history.merge(name, resolutions=resolutions)
    assert await fields(home) == {**ours, "path": "/both", "title": "Both", "namespace": "b", "metadata": {"b": 1}}


async def test_a_merge_that_clears_a_title_leaves_the_one_that_is_made(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n", title="Mine")
    name = f"{(await home.domain_info()).name}-b"
    await home.history.branch(name)
    await home.update_node("n", title="Ours", content="# Bath\n", encoding="utf-8")
    await home.in_domain(name).update_node("n", title="")
    await home.history.merge(name, resolutions=[{"subject": "n", "property": "_given_title", "take": "theirs"}])
    assert await fields(home) == {"title": "Bath"}


@pytest.mark.long
async def test_fields_that_a_hand_changed_are_adopted_or_refused(home: Memory, domain: str, driver: Driver) -> None:
    await home.create_node("Note", "# Kitchen", id="n", content_summary="short")
    await home.create_node("Note", "# Bath", id="m")
    driver.execute_query(
        "MATCH (n:_Node {_domain: $domain, _id: 'n'}) "
        "SET n._path = '/by/hand', n._given_title = 'By hand', n._metadata = ' {\"b\": 1, \"a\": [2]}' "
        "REMOVE n._content_summary WITH n "
        "MATCH (m:_Node {_domain: $domain, _id: 'm'}) SET m._metadata = '[]'",
        domain=domain,
    )
    changes = {change.id: change for change in (await home.upkeep.reconcile()).changes}
    assert (changes["n"].adoptable, changes["m"].adoptable) == (True, False)
    assert any("summary" in line for line in changes["n"].differences)
    await home.upkeep.reconcile(adopt=["n"], restore=["m"])
    assert await fields(home) == {"path": "/by/hand", "title": "By hand", "metadata": {"a": [2], "b": 1}}
    assert await fields(home, "m") == {"title": "Bath"}


@pytest.mark.long
async def test_nothing_of_the_fields_of_an_erased_node_is_left(home: Memory) -> None:
    await home.create_node("Note", "# Kitchen", id="n", **FIELDS)
    await home.create_node("Note", "# Bath", id="m", **{**FIELDS, "path": "/secret-bath"})
    await home.update_node("m", path="/secret-bath/two", metadata={"secret-bath": 1})
    before = await fields(home)
    assert (await home.history.scan("secret-bath")).findings
    await home.history.erase("m")
    assert not (await home.history.scan("secret-bath")).findings
    assert await fields(home) == before


@pytest.fixture
async def shelf(home: Memory) -> Memory:
    """Notes in several places, the last of another type; the rest has no fields."""
    await home.add_node_type(NodeType("Task", properties=(PropertyRule("code", indexed=True),)))
    at = {"a": {"path": "/house"}, "b": {"path": "/house/kitchen"}, "c": {"path": "/household", "namespace": "home"}}
    for name, arguments in {**at, "d": {"namespace": "home"}, "e": {}, "f": {"path": "work"}}.items():
        await home.create_node("Note", name, id=name, properties={"code": 1}, **arguments)
    await home.create_node("Task", "g", id="g", path="/house", namespace="home", properties={"code": 1})
    return home


SHELF = [
    ({}, "abcdefg"),
    ({"path_prefix": ""}, "abcdefg"),
    ({"path_prefix": "/"}, "abcdeg"),
    ({"path_prefix": "/house"}, "abcg"),
    ({"path_prefix": "/house/"}, "b"),
    ({"path_prefix": "/House"}, ""),
    ({"path_prefix": "w"}, "f"),
    ({"namespace": "home"}, "cdg"),
    ({"namespace": "default"}, "abef"),
    ({"namespace": ""}, "abef"),
    ({"namespace": "nowhere"}, ""),
    ({"namespace": "home", "path_prefix": "/house"}, "cg"),
    ({"namespace": "home", "path_prefix": "/house", "type": "Task"}, "g"),
    ({"namespace": "home", "type": "Note"}, "cd"),
    ({"path_prefix": "/house", "type": "Task", "properties": {"code": 1}}, "g"),
    ({"path_prefix": "/house", "type": "Task", "properties": {"code": 2}}, ""),
    ({"namespace": "default", "type": "Task", "properties": {"code": 1}}, ""),
    ({"namespace": "home", "properties": {"code": 1}}, "cdg"),
    ({"created_after": "2000-01-01"}, "abcdefg"),
    ({"created_before": "2000-01-01"}, ""),
    ({"modified_before": "2000-01-01"}, ""),
]


async def test_queries_find_nodes_by_their_fields(shelf: Memory) -> None:
    then = await last(shelf)
    past = await shelf.history.as_of(then)
    for arguments, result in SHELF:
        assert "".join((await shelf.query_nodes(**arguments)).node_ids) == result, arguments
        assert "".join((await past.query_nodes(**arguments)).node_ids) == result, arguments
    for name in "abcdefg":
        await shelf.update_node(name, path="/elsewhere", namespace="other")
    past = await shelf.history.as_of(then)
    for arguments, result in SHELF:
        assert "".join((await past.query_nodes(**arguments)).node_ids) == result, arguments
    assert (await shelf.query_nodes(path_prefix="/house")).node_ids == ()
    assert len((await shelf.query_nodes(namespace="other")).node_ids) == 7


async def test_what_is_found_by_its_fields_comes_in_pages(shelf: Memory) -> None:
    for arguments in ({"path_prefix": "/house"}, {"namespace": "home"}, {"created_after": "2000-01-01"}):
        whole, results, cursor = (await shelf.query_nodes(**arguments)).node_ids, [], None
        while True:
            page = await shelf.query_nodes(**arguments, limit=2, cursor=cursor)
            results += page.node_ids
            if (cursor := page.next_cursor) is None:
                break
        assert tuple(results) == whole


async def test_queries_find_nodes_by_when_they_were_created_and_changed(shelf: Memory) -> None:
    made = {name: (await shelf.get_node(name)).created for name in "abcdefg"}
    assert (await shelf.query_nodes(created_after=made["c"], created_before=made["e"])).node_ids == ("c", "d")
    assert (await shelf.query_nodes(created_after=made["f"], type="Task")).node_ids == ("g",)
    assert (await shelf.query_nodes(created_before=made["b"], type="Note")).node_ids == ("a",)
    await shelf.update_node("a", title="New")
    changed = (await shelf.get_node("a")).modified
    assert (await shelf.query_nodes(modified_after=changed)).node_ids == ("a",)
    assert (await shelf.query_nodes(modified_before=changed, created_before=made["c"])).node_ids == ("b",)
    for name in ("created_after", "created_before", "modified_after", "modified_before"):
        with pytest.raises(GraphError) as refused:
            await shelf.query_nodes(**{name: "no time"})
        assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, name)
