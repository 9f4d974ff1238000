"""`materialize_inverse`: Neo4j has a connection from its other end too, made, changed and removed with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, LiteralString
from unittest.mock import Mock

import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from graph_memory.memory.graph import ontology_migration as growth
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.yaml_io import to_yaml
from profiles import some
from tables import for_rows

pytestmark = pytest.mark.anyio

ANY_ENDS = {"from_types": ["*"], "to_types": ["*"]}


def ontology(**flags: bool) -> Ontology:
    """Return an ontology whose types materialize their inverses, unless an inverse begins with a mark."""
    rules = {"contains": {"inverse": "part_of"}, "owns": {"inverse": "owned_by", "unique_target": True}}
    rules |= {"relates_to": {"symmetric": True}, "part_of": {"inverse": "contains"}}
    flags = {"contains": True, "owns": True, "relates_to": True, "part_of": False, **flags}
    types = [
        {"name": name, **ANY_ENDS, **rest, **({"materialize_inverse": True} if flags[name] else {})}
        for name, rest in rules.items()
    ]
    return ontology_from({"node_types": ["Topic"], "connection_types": types})


@pytest.fixture
async def topics(memory: Memory) -> Memory:
    await memory.create_ontology(ontology())
    for name in "abc":
        await memory.create_node("Topic", name, id=name)
    return memory


MATERIALIZED = {"contains": "part_of", "owns": "owned_by", "relates_to": "relates_to"}
ONLY_FIRST = ("_id", "_type", "_evidence", "_protection", "_creation_method")


class Raw:
    """The graph as plain Cypher sees it."""

    def __init__(self, driver: Driver, domain: str) -> None:
        self._driver = driver
        self.domain = domain

    def run(self, cypher: LiteralString, **arguments: Any) -> list[list[Any]]:
        return [
            record.values() for record in self._driver.execute_query(cypher, domain=self.domain, **arguments).records
        ]

    def names(self) -> list[tuple[str, str, str]]:
        """All relationships between nodes of the domain."""
        results = self.run(
            "MATCH (a:_Node {_domain: $domain}) WHERE a._id > '' MATCH (a)-[r]->(b:_Node) "
            "RETURN a._id, type(r), b._id ORDER BY a._id, type(r), b._id"
        )
        return [(source, name, target) for source, name, target in results]

    def second(self, types: dict[str, str]) -> None:
        """Check that each connection of these types has exactly one second relationship, and that there is no other."""
        results = self.run(
            "MATCH (a:_Node {_domain: $domain}) WHERE a._id > '' "
            "MATCH (a)-[r]->(b) RETURN a._id, type(r), b._id, properties(r)"
        )
        wanted = [
            (b, types[name], a, stored["_id"], own(stored))
            for a, name, b, stored in results
            if "_id" in stored and name in types
        ]
        second = [
            (a, name, b, stored["_inverse_of"], own(stored))
            for a, name, b, stored in results
            if "_inverse_of" in stored
        ]
        assert sorted(second, key=repr) == sorted(wanted, key=repr)
        assert all(stored["_creation_method"] == "automatic" for _, _, _, stored in results if "_inverse_of" in stored)
        assert all(stored["_type"] == name for _, name, _, stored in results)


def own(stored: dict[str, Any]) -> dict[str, Any]:
    left = {key: value for key, value in stored.items() if key not in (*ONLY_FIRST, "_inverse_of")}
    return {key: value for key, value in left.items() if not key.startswith("_content")}


@pytest.fixture
def raw(driver: Driver, domain: str) -> Raw:
    return Raw(driver, domain)


async def agrees(memory: Memory, raw: Raw, types: dict[str, str] = MATERIALIZED) -> None:
    """Check the graph against itself and its log."""
    raw.second(types)
    verification = await memory.upkeep.verify()
    assert verification.clean, verification.differences


async def connect(memory: Memory, type_name: str, source: str, target: str, **arguments: Any) -> str:
    return (await memory.create_connection(type_name, source, target, **arguments)).connection_id


async def last(memory: Memory) -> int:
    return (await memory.history.log(limit=1)).entries[0].seq


async def test_plain_cypher_sees_a_connection_under_both_names_and_the_tools_see_it_once(
    topics: Memory, raw: Raw
) -> None:
    arguments = {"properties": {"since": 1}, "strength": 0.5, "content": "why"}
    text = await connect(topics, "contains", "a", "b", **arguments)
    two = await connect(topics, "owned_by", "b", "a")
    near = await connect(topics, "relates_to", "a", "a")
    assert raw.names() == sorted(
        [("a", "contains", "b"), ("b", "part_of", "a"), ("a", "owns", "b"), ("b", "owned_by", "a")]
        + [("a", "relates_to", "a")] * 2
    )
    await agrees(topics, raw)
    assert not (await topics.upkeep.reconcile()).changes
    then = await topics.history.as_of(await last(topics))
    await connect(topics, "contains", "a", "c")
    for memory in (topics, then):
        assert (await memory.query_connections(from_node_id="b")).connection_ids == ()
        assert (await memory.query_connections(type="part_of")).connection_ids[:1] == (text,)
        for name in ("contains", "part_of"):
            nodes = await memory.get_connected_nodes("b", direction="both", connection_type=name, detail=True)
            [node] = nodes.nodes
            assert [link.id for link in node.connections] == [text]
        for name in ("owns", "owned_by"):
            assert (await memory.query_connections(type=name)).connection_ids == (two,)
        assert (await memory.query_connections(type="relates_to")).connection_ids == (near,)
        assert (await memory.get_connected_nodes("b", direction="out")).node_ids == ()
        assert (await memory.get_connected_nodes("b", direction="in")).node_ids == ("a",)
    assert (await topics.domain_info()).connections == 4


async def test_the_second_relationship_changes_and_goes_with_its_connection(topics: Memory, raw: Raw) -> None:
    link = await connect(topics, "contains", "a", "b", properties={"since": 1})
    await topics.update_connection(link, properties={"since": 2, "by": "me"}, strength={"confidence": 0.4})
    await agrees(topics, raw)
    await topics.set_validity(link, valid_to="2030-01-01T00:00:00Z")
    await agrees(topics, raw)
    await topics.delete_connection(link)
    assert raw.names() == []
    await connect(topics, "contains", "a", "b")
    await connect(topics, "owns", "c", "b")
    await topics.delete_node("b")
    assert raw.names() == []
    await agrees(topics, raw)


async def test_batches_and_transactions_make_and_remove_it(topics: Memory, raw: Raw) -> None:
    async with topics.transaction() as transaction:
        await transaction.create_node("Topic", "d", id="d")
        link = (await transaction.create_connection("contains", "a", "d")).connection_id
        await transaction.create_connection("owned_by", "d", "b")
    await agrees(topics, raw)
    assert len(raw.names()) == 4
    async with topics.transaction() as transaction:
        await transaction.update_connection(link, properties={"x": 1})
        await transaction.delete_node("b")
        await transaction.create_connection("relates_to", "a", "d")
    await agrees(topics, raw)
    assert len(raw.names()) == 4


async def test_an_ontology_switches_it_on_and_off_for_what_exists(
    topics: Memory, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "PAGE", 1)
    monkeypatch.setattr(growth, "SURPLUS_AT_ONCE", 1)
    await topics.apply_ontology(ontology(contains=False, owns=False, relates_to=False))
    for target in "bc":
        await connect(topics, "contains", "a", target)
        await connect(topics, "owns", "a", target)
    await connect(topics, "part_of", "b", "c")
    assert len(raw.names()) == 5
    applied = await topics.apply_ontology(ontology(part_of=True))
    assert any("materialize_inverse added" in change for change in applied.changed)
    await agrees(topics, raw, {**MATERIALIZED, "part_of": "contains"})
    assert len(raw.names()) == 10
    await topics.apply_ontology(ontology(contains=False))
    await agrees(topics, raw, {"owns": "owned_by", "relates_to": "relates_to"})
    assert len(raw.names()) == 7
    assert "materialize_inverse" in to_yaml(await topics.get_ontology())


def ontology_with(**inverses: str) -> Ontology:
    """Return an ontology whose types materialize these inverses, none where the name is empty."""
    types = [
        {"name": name, **ANY_ENDS, "inverse": inverse, "materialize_inverse": bool(inverse)}
        for name, inverse in inverses.items()
    ]
    return ontology_from({"node_types": ["Topic"], "connection_types": types})


async def begin(memory: Memory, **inverses: str) -> None:
    """Begin a domain with three nodes, of which the first has a connection of the first type to the second."""
    await memory.create_ontology(ontology_with(**inverses))
    for name in "abc":
        await memory.create_node("Topic", name, id=name)
    await connect(memory, next(iter(inverses)), "a", "b")


async def test_another_name_of_the_inverse_takes_the_place_of_the_first(memory: Memory, raw: Raw) -> None:
    await begin(memory, owns="owned_by")
    await memory.apply_ontology(ontology_with(owns="belongs_to"))
    assert raw.names() == [("a", "owns", "b"), ("b", "belongs_to", "a")]
    await agrees(memory, raw, {"owns": "belongs_to"})


async def test_a_name_that_another_type_takes_over_leaves_no_second_relationship_behind(
    memory: Memory, raw: Raw
) -> None:
    await begin(memory, contains="part_of", holds="")
    await connect(memory, "holds", "a", "c")
    await memory.apply_ontology(ontology_with(contains="", holds="part_of"))
    assert raw.names() == [("a", "contains", "b"), ("a", "holds", "c"), ("c", "part_of", "a")]
    await agrees(memory, raw, {"holds": "part_of"})


async def test_revert_restores_and_removes_it(topics: Memory, raw: Raw) -> None:
    link = await connect(topics, "contains", "a", "b", properties={"since": 1})
    before = await last(topics)
    await topics.delete_node("b")
    deleted = (await topics.history.log(limit=1)).entries[0]
    await topics.history.revert(since=deleted.seq - 1, until=deleted.seq)
    assert len(raw.names()) == 2
    await agrees(topics, raw)
    assert (await topics.get_connection(link)).version > before
    await topics.apply_ontology(ontology(contains=False))
    off = (await topics.history.log(limit=1)).entries[0]
    assert len(raw.names()) == 1
    await topics.history.revert(event_ids=[off.seq])
    assert len(raw.names()) == 2
    await agrees(topics, raw)


async def test_branches_and_merges_have_it(topics: Memory, raw: Raw, driver: Driver, domain: str) -> None:
    link = await connect(topics, "contains", "a", "b")
    await connect(topics, "owns", "a", "b", properties={"n": 1})
    await topics.history.branch(f"{domain}-branch")
    branch, beside = topics.in_domain(f"{domain}-branch"), Raw(driver, f"{domain}-branch")
    assert beside.names() == raw.names()
    await agrees(branch, beside)
    await branch.delete_connection(link)
    await connect(branch, "contains", "a", "c")
    await branch.apply_ontology(ontology(owns=False))
    await agrees(branch, beside, {"contains": "part_of", "relates_to": "relates_to"})
    await topics.history.merge(f"{domain}-branch")
    assert raw.names() == [("a", "contains", "c"), ("a", "owns", "b"), ("c", "part_of", "a")]
    await agrees(topics, raw, {"contains": "part_of", "relates_to": "relates_to"})


@pytest.mark.long
async def test_erasing_compacting_and_rebuilding_leave_it_right(topics: Memory, raw: Raw, tmp_path: Path) -> None:
    link = await connect(topics, "contains", "a", "b", properties={"secret": "x"})
    await connect(topics, "owns", "a", "c")
    await topics.history.compact(await last(topics), archive=tmp_path / "a.jsonl.gz")
    await agrees(topics, raw)
    await topics.history.erase(link)
    assert raw.names() == [("a", "owns", "c"), ("c", "owned_by", "a")]
    await agrees(topics, raw)
    await topics.history.erase("c")
    assert raw.names() == []
    assert (await topics.upkeep.rebuild()).clean


async def test_an_export_brings_it_back(topics: Memory, tmp_path: Path, driver: Driver, domain: str) -> None:
    await connect(topics, "contains", "a", "b", properties={"since": 1})
    await topics.transfer.export_file(tmp_path / "domain.gm")
    name = f"{domain}-imported"
    await topics.transfer.import_file(tmp_path / "domain.gm", name=name)
    await agrees(topics.in_domain(name), Raw(driver, name))
    assert len(Raw(driver, name).names()) == 2


@pytest.fixture
async def topics_with_connection(topics: Memory) -> Memory:
    await connect(topics, "contains", "a", "b", properties={"since": 1})
    return topics


IT = "MATCH (b)-[i:part_of {_domain: $domain}]->(a) "
IT_AND_C = IT + "MATCH (c:_Node {_domain: $domain, _id: 'c'}) "
DAMAGE: dict[str, LiteralString] = {
    "it is deleted": IT + "DELETE i",
    "a property of it is changed": IT + "SET i.since = 9",
    "an integer of it is made a float": IT + "SET i.since = 1.0",
    "a property is added to it": IT + "SET i.extra = true",
    "it lost its domain": IT + "REMOVE i._domain",
    "it lost its connection's id": IT + "REMOVE i._inverse_of",
    "there are two of it": IT + "CREATE (b)-[s:part_of]->(a) SET s = properties(i)",
    "it is between other nodes": IT_AND_C + "CREATE (b)-[s:part_of]->(c) SET s = properties(i) DELETE i",
    "another is between other nodes": IT_AND_C + "CREATE (c)-[s:part_of]->(b) SET s = properties(i)",
    "one belongs to nobody": IT_AND_C
    + "CREATE (c)-[s:part_of]->(a) SET s = properties(i), s._inverse_of = 'conn_nobody'",
    "one is of another type": IT + "CREATE (b)-[s:owned_by]->(a) SET s = properties(i)",
    "its connection is deleted": "MATCH ()-[r:contains {_domain: $domain}]->() DELETE r",
    "both are deleted": "MATCH ()-[r:contains|part_of {_domain: $domain}]->() DELETE r",
}


@for_rows("damage", some(list(DAMAGE)))
@pytest.mark.parametrize("how", ["rebuild", "restore"])
async def test_what_a_hand_does_to_it_is_named_and_put_back(
    topics_with_connection: Memory, raw: Raw, damage: str, how: str
) -> None:
    raw.run(DAMAGE[damage])
    if how == "rebuild":
        verification = await topics_with_connection.upkeep.rebuild()
        assert (verification.clean, verification.unmended) == (False, ())
    changes = (await topics_with_connection.upkeep.reconcile()).changes
    assert bool(changes) == (how == "restore" or "connection's id" in damage)  # what lost that could be somebody's own
    await topics_with_connection.upkeep.reconcile(restore=[change.id for change in changes])
    assert raw.names() == [("a", "contains", "b"), ("b", "part_of", "a")]
    await agrees(topics_with_connection, raw)


@for_rows("damage", [name for name in DAMAGE if "connection is" not in name and "both" not in name])
async def test_no_change_of_it_is_adopted(topics_with_connection: Memory, raw: Raw, damage: str) -> None:
    before = await last(topics_with_connection)
    raw.run(DAMAGE[damage])
    changes = (await topics_with_connection.upkeep.reconcile(adopt="all")).changes
    assert changes
    assert not [change for change in changes if change.adoptable]
    assert await last(topics_with_connection) == before
    await topics_with_connection.upkeep.reconcile(restore=[change.id for change in changes])


async def test_what_only_says_to_be_one_is_offered_to_be_removed(topics: Memory, raw: Raw) -> None:
    await connect(topics, "contains", "a", "b")
    raw.run(
        "MATCH (a:_Node {_domain: $domain})-[:contains]->(b) CREATE (a)-[:part_of {_inverse_of: 'conn_nobody'}]->(b)"
    )
    [change] = (await topics.upkeep.reconcile()).changes
    assert not change.adoptable
    await topics.upkeep.reconcile(restore=[change.id])
    assert raw.names() == [("a", "contains", "b"), ("b", "part_of", "a")]
    await agrees(topics, raw)


ADOPTED: dict[str, LiteralString] = {
    "it is changed": "MATCH ()-[r:contains {_domain: $domain}]->() SET r.since = 2",
    "it is deleted": "MATCH ()-[r:contains {_domain: $domain}]->() DELETE r",
    "another is made": "MATCH (a:_Node {_domain: $domain, _id: 'a'}) MATCH (c:_Node {_domain: $domain, _id: 'c'}) "
    "CREATE (a)-[:contains {since: 3}]->(c)",
}


@pytest.mark.parametrize("work", list(ADOPTED))
async def test_what_a_hand_does_to_a_connection_and_is_adopted_is_done_to_both(
    topics: Memory, raw: Raw, work: str
) -> None:
    await connect(topics, "contains", "a", "b", properties={"since": 1})
    raw.run(ADOPTED[work])
    [change] = (await topics.upkeep.reconcile(adopt="all")).changes
    assert change.settled == "adopted"
    assert len(raw.names()) == {"it is changed": 2, "it is deleted": 0, "another is made": 4}[work]
    await agrees(topics, raw)


async def cut_off(memory: Memory, wanted: Ontology, monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply an ontology until only its types would be left to be written."""
    with monkeypatch.context() as patched:
        patched.setattr(growth, "growth_drafts", Mock(side_effect=RuntimeError))
        with pytest.raises(RuntimeError):
            await memory.apply_ontology(wanted)


async def test_what_was_cut_off_while_it_got_another_name_leaves_that_which_it_had(
    memory: Memory, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(memory, owns="owned_by")
    await cut_off(memory, ontology_with(owns="belongs_to"), monkeypatch)
    await memory.apply_ontology(ontology_with(owns="owned_by"))
    assert raw.names() == [("a", "owns", "b"), ("b", "owned_by", "a")]
    await agrees(memory, raw, {"owns": "owned_by"})


@pytest.mark.long
async def test_what_was_cut_off_while_it_was_switched_on_is_ended_by_whatever_is_applied_next(
    topics: Memory, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    await topics.apply_ontology(ontology(contains=False))
    await connect(topics, "contains", "a", "b")

    await cut_off(topics, ontology(), monkeypatch)
    assert len(raw.names()) == 2
    await topics.apply_ontology(ontology(contains=False))
    assert len(raw.names()) == 1
    await agrees(topics, raw, {"owns": "owned_by", "relates_to": "relates_to"})


async def test_a_load_makes_it(topics: Memory, raw: Raw, tmp_path: Path) -> None:
    rows = [
        {"node": {"id": "d", "type": "Topic"}},
        {"node": {"id": "e", "type": "Topic"}},
        {"connection": {"type": "contains", "from": "d", "to": "e", "properties": {"since": 1}}},
    ]
    file = tmp_path / "graph.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    await topics.transfer.load(file)
    assert raw.names() == [("d", "contains", "e"), ("e", "part_of", "d")]
    await agrees(topics, raw)
