"""Manual changes in Neo4j Browser become changes of the log, checked as any write, or are undone."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.drift import reconcile
from graph_memory.memory.drift.results import HandChange, Reconciliation
from profiles import some
from support import observe
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [
            {"name": "Project", "required_properties": ["status"], "properties": {"code": {"unique": True}}},
            {"name": "Action", "properties": {"due": "date"}},
        ],
        "connection_types": [
            {"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"], "unique_target": True},
            {"name": "DependsOn", "from_types": ["Action"], "to_types": ["Action"], "acyclic": True},
        ],
    }
)


class Kitchen:
    """A project with two actions, the ids of all, and a hand that changes the graph behind the memory's back."""

    def __init__(self, memory: Memory, domain: str, driver: Driver) -> None:
        self.memory, self.domain, self.driver = memory, domain, driver

    async def fill(self) -> Kitchen:
        await self.memory.create_ontology(ONTOLOGY)
        properties = {"status": "active", "code": "K1"}
        self.project = (await self.memory.create_node("Project", "# Kitchen", properties=properties)).node_id
        self.call = (await self.memory.create_node("Action", "# Call", properties={"due": "2026-01-01"})).node_id
        self.paint = (await self.memory.create_node("Action", "# Paint")).node_id
        joined = await self.memory.create_connection("NextAction", self.project, self.call, content="first")
        self.joined = joined.connection_id
        return self

    def hand(self, cypher: str, **params: Any) -> list[Any]:
        ids = {"project": self.project, "call": self.call, "paint": self.paint, "joined": self.joined}
        arguments = {"domain": self.domain, **ids, **params}
        return self.driver.execute_query(cypher, arguments).records  # pyright: ignore[reportArgumentType]

    async def changes_by_id(self) -> dict[str, HandChange]:
        return by_id(await self.memory.upkeep.reconcile())

    async def log(self) -> list[str]:
        return [entry.summary for entry in (await self.memory.history.log(limit=20)).entries]

    async def is_clean(self) -> bool:
        return (await self.memory.upkeep.verify()).clean


def by_id(reconciliation: Reconciliation) -> dict[str, HandChange]:
    return {change.id: change for change in reconciliation.changes}


@pytest.fixture
async def kitchen(memory: Memory, domain: str, driver: Driver) -> Kitchen:
    return await Kitchen(memory, domain, driver).fill()


NODE = "MATCH (n:_Node {_domain: $domain, _id: $project}) "
CALL = "MATCH (n:_Node {_domain: $domain, _id: $call}) "
JOINED = "MATCH ()-[r:NextAction {_domain: $domain, _id: $joined}]->() "
TWO = "MATCH (a:_Node {_domain: $domain, _id: $call}), (b:_Node {_domain: $domain, _id: $paint}) "


async def test_a_graph_that_nobody_touched_has_nothing_to_reconcile(kitchen: Kitchen) -> None:
    reconciliation = await kitchen.memory.upkeep.reconcile(adopt="all", restore="all")
    assert (reconciliation.changes, reconciliation.batch, reconciliation.clean) == ((), None, True)


async def test_changed_added_and_removed_properties_are_adopted_as_one_change(kitchen: Kitchen) -> None:
    kitchen.hand(CALL + "SET n.due = '2026-02-02', n.urgent = true, n._tags = ['home'], n._path = 'a/b'")
    kitchen.hand(NODE + "REMOVE n.code SET n.status = 'done'")
    changes = await kitchen.changes_by_id()
    assert changes.keys() == {kitchen.call, kitchen.project}
    results = ('due: "2026-01-01" → "2026-02-02"', "urgent: none → true")
    assert set(results) < set(changes[kitchen.call].differences)
    assert 'code: "K1" → none' in changes[kitchen.project].differences
    assert changes[kitchen.call].title == "Call"
    assert all(change.adoptable and change.what == "changed" for change in changes.values())

    done = await kitchen.memory.upkeep.reconcile(adopt="all")
    assert [change.settled for change in done.changes] == ["adopted", "adopted"]
    node = await kitchen.memory.get_node(kitchen.call)
    assert (node.properties, node.tags, node.path) == ({"due": "2026-02-02", "urgent": True}, ("home",), "a/b")
    assert (await kitchen.memory.get_node(kitchen.project)).properties == {"status": "done"}
    assert await kitchen.is_clean()
    page = await kitchen.memory.history.log(limit=2)
    assert {entry.batch for entry in page.entries} == {done.batch}
    assert {entry.source for entry in page.entries} == {"user"}


async def test_text_written_by_hand_is_adopted_with_its_title_and_its_search_rows(kitchen: Kitchen) -> None:
    kitchen.hand(CALL + "SET n._content = '# Ring the plumber'")
    kitchen.hand(JOINED + "SET r._content = 'second'")
    done = await kitchen.memory.upkeep.reconcile(adopt="all")
    assert {change.settled for change in done.changes} == {"adopted"}
    assert (await kitchen.memory.get_node_content(kitchen.call)).content == "# Ring the plumber"
    assert (await kitchen.memory.describe_nodes([kitchen.call]))[0].title == "Ring the plumber"
    assert (await kitchen.memory.get_connection(kitchen.joined, include_content=True)).content == "second"
    assert (await kitchen.memory.search_content("plumber")).node_ids == (kitchen.call,)
    assert (await kitchen.memory.search_content("# call")).node_ids == ()
    assert await kitchen.is_clean()


async def test_large_text_written_by_hand_is_kept_outside_of_neo4j_when_it_is_adopted(kitchen: Kitchen) -> None:
    text = "# Long\n" + "word " * 10_000
    kitchen.hand(CALL + "SET n._content = $text", text=text)
    await kitchen.memory.upkeep.reconcile(adopt=[kitchen.call])
    assert (await kitchen.memory.get_node_content(kitchen.call)).content == text
    assert await kitchen.is_clean()


async def test_an_adopted_change_can_be_taken_back(kitchen: Kitchen) -> None:
    kitchen.hand(CALL + "SET n.due = '2026-02-02'")
    kitchen.hand(JOINED + "DELETE r")
    done = await kitchen.memory.upkeep.reconcile(adopt="all")
    page = await kitchen.memory.history.log(limit=2)
    assert {entry.batch for entry in page.entries} == {done.batch}
    await kitchen.memory.history.revert(event_ids=[entry.id for entry in page.entries])
    assert (await kitchen.memory.get_node(kitchen.call)).properties == {"due": "2026-01-01"}
    assert (await kitchen.memory.get_connection(kitchen.joined, include_content=True)).content == "first"
    assert await kitchen.is_clean()


@pytest.mark.long
async def test_a_node_that_was_deleted_takes_its_connections_and_observations_with_it(kitchen: Kitchen) -> None:
    observed = await observe(kitchen.memory, kitchen.domain, kitchen.project)
    kitchen.hand(NODE + "DETACH DELETE n")
    changes = await kitchen.changes_by_id()
    assert {kitchen.project, kitchen.joined, observed} == changes.keys()
    assert changes[kitchen.project].what == changes[kitchen.joined].what == "deleted"
    assert (changes[kitchen.project].title, changes[kitchen.joined].title) == ("Kitchen", '"Kitchen" → "Call"')
    done = await kitchen.memory.upkeep.reconcile(adopt=[kitchen.project])
    assert {change.settled for change in done.changes} == {"adopted"}
    with pytest.raises(GraphError) as raised:
        await kitchen.memory.get_node(kitchen.project)
    assert raised.value.code is Code.NODE_NOT_FOUND
    assert (await kitchen.log())[0].startswith('Project "Kitchen" deleted, with ')
    assert await kitchen.is_clean()


async def test_a_connection_cannot_be_restored_where_its_node_goes(kitchen: Kitchen) -> None:
    kitchen.hand(NODE + "DETACH DELETE n")
    done = by_id(await kitchen.memory.upkeep.reconcile(adopt=[kitchen.project], restore=[kitchen.joined]))
    assert (done[kitchen.project].settled, done[kitchen.joined].settled) == ("refused", "refused")
    assert kitchen.joined in (done[kitchen.project].reason or "")
    assert kitchen.project in (done[kitchen.joined].reason or "")
    done = by_id(await kitchen.memory.upkeep.reconcile(restore=[kitchen.project, kitchen.joined]))
    assert (done[kitchen.project].settled, done[kitchen.joined].settled) == ("restored", "restored")
    assert await kitchen.is_clean()


async def test_a_node_that_lost_its_label_is_not_adopted_as_deleted_and_can_be_restored(kitchen: Kitchen) -> None:
    kitchen.hand(NODE + "REMOVE n:_Node")
    changes = await kitchen.changes_by_id()
    assert changes.keys() == {kitchen.project, kitchen.joined}
    done = by_id(await kitchen.memory.upkeep.reconcile(adopt="all"))
    assert not any(change.adoptable for change in done.values())
    assert "_Node" in (done[kitchen.project].reason or "")
    assert "The type and the ends" in (done[kitchen.joined].reason or "")
    assert (await kitchen.memory.upkeep.reconcile(restore="all")).clean
    assert await kitchen.is_clean()
    joined = kitchen.hand("MATCH (a:_Node)-[r:NextAction {_id: $joined}]->(b:_Node) RETURN a._id AS a, b._id AS b")
    assert [(row["a"], row["b"]) for row in joined] == [(kitchen.project, kitchen.call)]


@pytest.mark.long
async def test_a_connection_into_another_domain_is_not_adopted_and_can_be_restored(kitchen: Kitchen) -> None:
    branch = (await kitchen.memory.history.branch(f"{kitchen.domain}-b")).domain
    theirs = "MATCH (c:_Node {_domain: $branch, _id: $call}) "
    kitchen.hand(
        theirs + JOINED.replace("()-[r", "(a)-[r") + "CREATE (a)-[s:NextAction]->(c) "
        "WITH r, s, properties(r) AS p DELETE r SET s = p", branch=branch,
    )  # fmt: skip
    kitchen.hand(theirs + "MATCH (a:_Node {_domain: $domain, _id: $paint}) "
        "CREATE (a)-[:DependsOn {_domain: $domain, _id: 'conn_across'}]->(c)", branch=branch)  # fmt: skip
    changes = await kitchen.changes_by_id()
    assert changes.keys() == {kitchen.joined, "conn_across"}
    assert "The type and the ends" in (changes[kitchen.joined].reason or "")
    assert "two nodes of the domain" in (changes["conn_across"].reason or "")
    assert not any(change.adoptable for change in changes.values())
    assert (await kitchen.memory.upkeep.reconcile(restore="all")).clean
    assert await kitchen.is_clean()
    assert (await kitchen.memory.get_connection(kitchen.joined, include_content=True)).content == "first"


@pytest.mark.parametrize("marked", ["", ", _id: 'mem_by_hand', _type: 'Action', _tags: ['t']"])
async def test_a_node_made_by_hand_is_adopted_with_or_without_an_id(kitchen: Kitchen, marked: str) -> None:
    kitchen.hand("CREATE (:_Node:Action {_domain: $domain, due: '2026-03-03', _content: '# Made'" + marked + "})")
    [change] = (await kitchen.changes_by_id()).values()
    assert (change.what, change.kind, change.type, change.adoptable) == ("made", "node", "Action", True)
    assert change.differences == ('due: "2026-03-03"',)
    assert change.beside is (marked == "")
    done = await kitchen.memory.upkeep.reconcile(adopt=[change.id])
    assert done.clean
    assert done.batch
    [node_id] = (await kitchen.memory.query_nodes(properties={"due": "2026-03-03"})).node_ids
    assert (node_id == "mem_by_hand") is (marked != "")
    assert (await kitchen.memory.get_node_content(node_id)).content == "# Made"
    assert (await kitchen.memory.search_content("# made")).node_ids == (node_id,)
    assert len(kitchen.hand("MATCH (n:_Node:Action {_domain: $domain}) RETURN n")) == 3
    assert await kitchen.is_clean()


MARKS = {
    "nothing": "",
    "a domain": "{_domain: $domain}",
    "an id": "{_id: 'conn_by_hand'}",
    "both": "{_domain: $domain, _id: 'conn_by_hand'}",
}


@pytest.mark.parametrize("marks", some([*MARKS]))
async def test_a_connection_made_by_hand_is_adopted_with_or_without_an_id_or_domain(
    kitchen: Kitchen, marks: str
) -> None:
    kitchen.hand(TWO + f"CREATE (a)-[r:DependsOn {MARKS[marks]}]->(b) SET r.why = 'dust', r._content = 'note'")
    [change] = (await kitchen.changes_by_id()).values()
    assert (change.what, change.type, change.title) == ("made", "DependsOn", '"Call" → "Paint"')
    done = await kitchen.memory.upkeep.reconcile(adopt=[change.id])
    assert done.clean
    [connection_id] = (await kitchen.memory.query_connections(type="DependsOn")).connection_ids
    assert (connection_id == "conn_by_hand") is ("_id" in MARKS[marks])
    connection = await kitchen.memory.get_connection(connection_id, include_content=True)
    assert (connection.properties, connection.content) == ({"why": "dust"}, "note")
    assert len(kitchen.hand("MATCH (:_Node {_domain: $domain})-[r:DependsOn]->() RETURN r")) == 1
    assert await kitchen.is_clean()


async def test_a_node_and_a_connection_to_it_made_by_hand_are_adopted_together_or_not_at_all(kitchen: Kitchen) -> None:
    kitchen.hand(
        "MATCH (a:_Node {_domain: $domain, _id: $call}) CREATE (b:_Node:Action {_domain: $domain, _id: 'mem_new'}) "
        "CREATE (a)-[:DependsOn {_domain: $domain, _id: 'conn_new'}]->(b)"
    )
    alone = by_id(await kitchen.memory.upkeep.reconcile(adopt=["conn_new"]))
    assert alone["conn_new"].settled == "refused"
    assert "mem_new" in (alone["conn_new"].reason or "")
    assert (await kitchen.memory.upkeep.reconcile(adopt="all")).clean
    assert await kitchen.is_clean()


REFUSED = {
    "a required property removed": (NODE + "REMOVE n.status", "status"),
    "a value of another kind": (CALL + "SET n.due = 'soon'", "due"),
    "a value that cannot be stored": (CALL + "SET n.when = date('2026-01-01')", "when"),
    "a list": (CALL + "SET n.many = [1, 2]", "many"),
    "a name of the service's": (CALL + "SET n._mine = 1", "_mine"),
    "another type": (CALL + "REMOVE n:Action SET n:Project", "labels"),
    "one more label": (CALL + "SET n:Urgent", "labels"),
    "only what the service keeps": (CALL + "SET n._version = 99, n._title = 'x'", "graph-memory maintains"),
    "only search rows": ("MATCH (w:_Window {_domain: $domain, _owner: $call}) DELETE w", "graph-memory maintains"),
    "a unique value of another": ("CREATE (:_Node:Project {_domain: $domain, status: 'x', code: 'K1'})", "code"),
    "a node of no type": ("CREATE (:_Node:Ghost {_domain: $domain})", "Ghost"),
    "a node of two types": ("CREATE (:_Node:Action:Project {_domain: $domain, _id: 'mem_2'})", "one type"),
    "a node without what its type requires": ("CREATE (:_Node:Project {_domain: $domain})", "status"),
    "a connection of no type": (TWO + "CREATE (a)-[:Likes {_domain: $domain, _id: 'conn_1'}]->(b)", "Likes"),
    "a connection that the ontology does not allow": (TWO + "CREATE (a)-[:NextAction]->(b)", "Cannot connect"),
    "a second target": (
        "MATCH (a:_Node {_domain: $domain, _id: $project}), (b:_Node {_domain: $domain, _id: $call}) "
        "CREATE (a)-[:NextAction]->(b)",
        "may have only one",
    ),
    "a loop": ("MATCH (a:_Node {_domain: $domain, _id: $call}) CREATE (a)-[:DependsOn]->(a)", "cycle"),
    "a connection turned round": (
        "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) WITH a, b, r, properties(r) AS p DELETE r "
        "CREATE (b)-[s:NextAction]->(a) SET s = p",
        "The type and the ends",
    ),
    "a connection of another type": (
        "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) WITH a, b, r, properties(r) AS p DELETE r "
        "CREATE (a)-[s:DependsOn]->(b) SET s = p",
        "The type and the ends",
    ),
    "a connection written twice": (
        "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) CREATE (a)-[s:NextAction]->(b) SET s = properties(r)",
        "The type and the ends",
    ),
    "a type changed": ("MATCH (t:_NodeType {_domain: $domain, _name: 'Action'}) SET t._description = 'x'", "ontology"),
    "the counter changed": ("MATCH (d:_Domain {_id: $domain}) SET d._seq = d._seq + 5", "counters"),
}


@for_rows("work", some(list(REFUSED)))
async def test_what_the_ontology_refuses_is_left_as_it_is_and_can_be_restored(kitchen: Kitchen, work: str) -> None:
    cypher, reason = REFUSED[work]
    kitchen.hand(cypher)
    before = await kitchen.log()
    [change] = (await kitchen.changes_by_id()).values()
    assert not change.adoptable
    assert reason in (change.reason or "")
    done = await kitchen.memory.upkeep.reconcile(adopt=[change.id])
    assert [change.settled for change in done.changes] == ["refused"]
    assert reason in (done.changes[0].reason or "")
    assert done.batch is None
    assert await kitchen.log() == before
    assert (await kitchen.changes_by_id()).keys() == {change.id}

    done = await kitchen.memory.upkeep.reconcile(restore=[change.id])
    assert [change.settled for change in done.changes] == ["restored"]
    assert await kitchen.is_clean()
    assert await kitchen.log() == before
    assert (await kitchen.memory.get_node(kitchen.call)).properties == {"due": "2026-01-01"}


async def test_a_refusal_does_not_keep_others_from_being_adopted(kitchen: Kitchen) -> None:
    kitchen.hand(CALL + "SET n.due = 'soon'")
    kitchen.hand(NODE + "SET n.status = 'done'")
    done = by_id(await kitchen.memory.upkeep.reconcile(adopt="all"))
    assert (done[kitchen.call].settled, done[kitchen.project].settled) == ("refused", "adopted")
    assert (await kitchen.changes_by_id()).keys() == {kitchen.call}


async def test_what_cannot_be_adopted_is_restored_where_both_are_asked_for(kitchen: Kitchen) -> None:
    kitchen.hand(CALL + "SET n.due = 'soon'")
    kitchen.hand(NODE + "SET n.status = 'done'")
    done = by_id(await kitchen.memory.upkeep.reconcile(adopt="all", restore="all"))
    assert (done[kitchen.call].settled, done[kitchen.project].settled) == ("restored", "adopted")
    assert await kitchen.is_clean()


async def test_a_unique_value_moved_by_hand_is_adopted_when_both_are(kitchen: Kitchen) -> None:
    other = (await kitchen.memory.create_node("Project", "", properties={"status": "x", "code": "K2"})).node_id
    kitchen.hand("MATCH (n:_Node {_domain: $domain, _id: $other}) SET n.code = 'K1'", other=other)
    kitchen.hand(NODE + "SET n.code = 'K2'")
    changes = by_id(await kitchen.memory.upkeep.reconcile(adopt=[other]))
    assert changes[other].settled == "refused"
    assert (await kitchen.memory.upkeep.reconcile(adopt="all")).clean
    assert (await kitchen.memory.query_nodes(type="Project", properties={"code": "K1"})).node_ids == (other,)
    assert await kitchen.is_clean()


async def test_two_things_made_with_one_unique_value_are_not_both_adopted(kitchen: Kitchen) -> None:
    for _ in range(2):
        kitchen.hand("CREATE (:_Node:Project {_domain: $domain, status: 'x', code: 'new'})")
    done = await kitchen.memory.upkeep.reconcile(adopt="all")
    assert sorted(str(change.settled) for change in done.changes) == ["adopted", "refused"]


async def test_what_takes_the_place_of_a_connection_is_adopted_only_when_that_one_does_not_come_back(
    kitchen: Kitchen,
) -> None:
    other = (await kitchen.memory.create_node("Project", "", properties={"status": "x"})).node_id
    kitchen.hand(JOINED + "DELETE r")
    kitchen.hand(
        "MATCH (a:_Node {_domain: $domain, _id: $other}), (b:_Node {_domain: $domain, _id: $call}) "
        "CREATE (a)-[:NextAction {_domain: $domain, _id: 'conn_new'}]->(b)",
        other=other,
    )
    assert all(change.adoptable for change in (await kitchen.changes_by_id()).values())
    alone = by_id(await kitchen.memory.upkeep.reconcile(adopt=["conn_new"]))
    assert alone["conn_new"].settled == "refused"
    assert kitchen.joined in (alone["conn_new"].reason or "")
    both = by_id(await kitchen.memory.upkeep.reconcile(adopt=["conn_new"], restore=[kitchen.joined]))
    assert (both["conn_new"].settled, both[kitchen.joined].settled) == ("refused", "restored")
    kitchen.hand(JOINED + "DELETE r")
    assert (await kitchen.memory.upkeep.reconcile(adopt=["conn_new", kitchen.joined])).clean
    assert await kitchen.is_clean()


async def test_a_loop_is_not_closed_by_adopting_one_half_and_restoring_the_other(kitchen: Kitchen) -> None:
    made = await kitchen.memory.create_connection("DependsOn", kitchen.call, kitchen.paint)
    kitchen.hand("MATCH ()-[r:DependsOn {_domain: $domain}]->() DELETE r")
    kitchen.hand(TWO + "CREATE (b)-[:DependsOn {_domain: $domain, _id: 'conn_back'}]->(a)")
    done = by_id(await kitchen.memory.upkeep.reconcile(adopt=["conn_back"], restore=[made.connection_id]))
    assert (done["conn_back"].settled, done[made.connection_id].settled) == ("refused", "restored")
    assert made.connection_id in (done["conn_back"].reason or "")
    assert not (await kitchen.changes_by_id())["conn_back"].adoptable
    await kitchen.memory.upkeep.reconcile(restore=["conn_back"])
    assert await kitchen.is_clean()


async def test_an_id_that_was_deleted_is_not_taken_again(kitchen: Kitchen) -> None:
    await kitchen.memory.delete_node(kitchen.paint)
    kitchen.hand("CREATE (:_Node:Action {_domain: $domain, _id: $paint})")
    done = by_id(await kitchen.memory.upkeep.reconcile(adopt="all"))
    assert done[kitchen.paint].settled == "refused"
    assert "never reused" in (done[kitchen.paint].reason or "")
    await kitchen.memory.upkeep.reconcile(restore="all")
    assert await kitchen.is_clean()


async def test_relationships_beside_the_memory_are_left_alone_unless_they_are_named(kitchen: Kitchen) -> None:
    kitchen.hand(TWO + "CREATE (a)-[:DependsOn]->(b), (a)-[:MyOwn]->(b)")
    [change] = (await kitchen.changes_by_id()).values()
    assert change.beside
    assert change.type == "DependsOn"
    done = await kitchen.memory.upkeep.reconcile(restore="all")
    assert [change.settled for change in done.changes] == [None]
    await kitchen.memory.upkeep.reconcile(restore=[change.id])
    assert await kitchen.is_clean()
    assert [row["t"] for row in kitchen.hand(TWO + "MATCH (a)-[r]->(b) RETURN type(r) AS t")] == ["MyOwn"]


async def test_only_what_is_named_is_settled(kitchen: Kitchen) -> None:
    kitchen.hand(CALL + "SET n.due = '2026-02-02'")
    kitchen.hand(NODE + "SET n.status = 'done'")
    kitchen.hand(JOINED + "SET r.note = 'x'")
    done = by_id(await kitchen.memory.upkeep.reconcile(adopt=[kitchen.call], restore=[kitchen.project]))
    assert [done[id_].settled for id_ in (kitchen.call, kitchen.project, kitchen.joined)] == [
        "adopted",
        "restored",
        None,
    ]
    assert (await kitchen.changes_by_id()).keys() == {kitchen.joined}
    assert kitchen.hand(NODE + "RETURN n.status AS status")[0]["status"] == "active"


async def test_a_content_that_is_lost_cannot_be_restored_and_is_told(kitchen: Kitchen) -> None:
    kitchen.hand("MATCH (c:_Content {_domain: $domain}) DELETE c")
    kitchen.hand("MATCH (n:_Node {_domain: $domain}) REMOVE n._content")
    done = by_id(await kitchen.memory.upkeep.reconcile(restore=[kitchen.call]))
    assert done[kitchen.call].settled == "refused"
    assert "backup" in (done[kitchen.call].reason or "")


async def test_one_write_adopts_so_many_changes_whatever_way_they_are_chosen(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, "MAX_ADOPTED", 2)
    ids = {kitchen.project, kitchen.call, kitchen.paint}
    kitchen.hand("MATCH (n:_Node {_domain: $domain}) SET n.mark = 1")
    [beyond] = [change.id for change in (await kitchen.changes_by_id()).values() if not change.adoptable]
    rest = by_id(await kitchen.memory.upkeep.reconcile(adopt=sorted(ids)))
    assert sorted(str(change.settled) for change in rest.values()) == ["adopted", "adopted", "refused"]
    assert (await kitchen.memory.upkeep.reconcile(adopt="all")).clean
    kitchen.hand("MATCH (n:_Node {_domain: $domain}) SET n.mark = 2")
    assert by_id(await kitchen.memory.upkeep.reconcile(adopt=[beyond]))[beyond].settled == "adopted"


async def test_what_does_not_differ_or_is_named_twice_is_an_argument_at_fault(kitchen: Kitchen) -> None:
    kitchen.hand(CALL + "SET n.due = '2026-02-02'")
    for arguments in (
        {"adopt": ["mem_nobody"]},
        {"adopt": [kitchen.call], "restore": [kitchen.call]},
        {"restore": kitchen.call},
    ):
        with pytest.raises(GraphError) as refused:
            await kitchen.memory.upkeep.reconcile(**arguments)
        assert refused.value.code is Code.INVALID_ARGUMENT
    assert (await kitchen.changes_by_id()).keys() == {kitchen.call}


async def test_a_domain_that_there_is_not_is_told(memory: Memory) -> None:
    with pytest.raises(GraphError) as refused:
        await memory.upkeep.reconcile()
    assert refused.value.code is Code.ONTOLOGY_NOT_FOUND
