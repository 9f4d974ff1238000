"""verify names what a hand in Neo4j Browser did to the graph; rebuild puts it back without losing anything."""

from __future__ import annotations

import base64
import tracemalloc

import pytest
from neo4j import Driver

from graph_memory import Memory, Settings, ontology_from, open_memory
from profiles import some
from support import observe

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Project", "properties": {"status": {"indexed": True}}}, "Action"],
        "connection_types": [
            {"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"]},
            {"name": "About", "from_types": ["*"], "to_types": ["*"]},
        ],
    }
)

OTHER = "CREATE (o:_Node:Action {_domain: $domain + '-other'}) WITH o "
"""A node that another domain may have."""

DAMAGE = {
    "a property changed": "MATCH (n:Project {_domain: $domain}) SET n.status = 'hacked'",
    "a property added": "MATCH (n:Project {_domain: $domain}) SET n.extra = 1",
    "an integer made a float": "MATCH (n:Project {_domain: $domain}) SET n.size = toFloat(n.size)",
    "a label added": "MATCH (n:Project {_domain: $domain}) SET n:Extra",
    "a label removed": "MATCH (n:Project {_domain: $domain}) REMOVE n:Project",
    "a node deleted with its connections": "MATCH (n:Project {_domain: $domain}) DETACH DELETE n",
    "a node made by hand": "CREATE (:_Node:Project {_domain: $domain, _id: 'mem_by_hand', _type: 'Project'})",
    "a connection deleted": "MATCH ()-[r:NextAction {_domain: $domain}]->() DELETE r",
    "a connection turned round": "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) CREATE (b)-[s:NextAction]->(a) "
    "WITH r, s, properties(r) AS p DELETE r SET s = p",
    "a node without its label": "MATCH (n:Project {_domain: $domain}) REMOVE n:_Node",
    "a connection moved into another domain": OTHER
    + "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) WITH o, a, r, b "
    "LIMIT 1 SET o._id = b._id CREATE (a)-[s:NextAction]->(o) WITH r, s, properties(r) AS p DELETE r SET s = p",
    "a connection made to another domain": OTHER
    + "MATCH (a:Project {_domain: $domain}), (b:Action {_domain: $domain}) "
    "WITH o, a, b LIMIT 1 SET o._id = b._id CREATE (a)-[:NextAction {_domain: $domain, _id: 'conn_by_hand', "
    "_type: 'NextAction'}]->(o)",
    "an observation of another domain's": OTHER + "MATCH (o2:_Observation {_domain: $domain})-[r:_OBSERVES]->(n) "
    "WITH o, o2, r, n LIMIT 1 SET o._id = n._id DELETE r CREATE (o2)-[:_OBSERVES]->(o)",
    "a connection made by hand": "MATCH (a:Project {_domain: $domain}), (b:Action {_domain: $domain}) "
    "WITH a, b LIMIT 1 CREATE (a)-[:NextAction {_domain: $domain, _id: 'conn_by_hand', _type: 'NextAction'}]->(b)",
    "the text of content changed": "MATCH (n:Action {_domain: $domain}) SET n._content = 'other'",
    "a text on a connection that has no content": "MATCH ()-[r:NextAction {_domain: $domain}]->() "
    "WHERE r._content_sha256 IS NULL SET r._content = 'other'",
    "the search windows lost": "MATCH (w:_Window {_domain: $domain}) DELETE w",
    "a search window changed": "MATCH (w:_Window {_domain: $domain}) SET w._text = 'other'",
    "a search window of content that is no text": "MATCH (n:Action {_domain: $domain, _content_encoding: 'base64'}) "
    "CREATE (:_Window:_NewWindow {_domain: $domain, _owner: n._id, _type: 'Action', _place: 0, _text: 'other'})",
    "a key row lost": "MATCH (k:_Key {_domain: $domain}) DELETE k",
    "a key row of nobody": "CREATE (:_Key {_domain: $domain, _kind: 'node', _type: 'Project', _property: 'status', "
    "_value: 's:x', _owner: 'mem_nobody'})",
    "an observation moved": "MATCH (o:_Observation {_domain: $domain})-[r:_OBSERVES]->() "
    "MATCH (b:Action {_domain: $domain}) WITH o, r, b LIMIT 1 "
    "DELETE r CREATE (o)-[:_OBSERVES]->(b)",
    "an observation deleted": "MATCH (o:_Observation {_domain: $domain}) DETACH DELETE o",
    "a type changed": "MATCH (t:_NodeType {_domain: $domain, _name: 'Project'}) SET t._description = 'other'",
    "a type untied": "MATCH (:_ConnectionType {_domain: $domain})-[r:_FROM]->() DELETE r",
    "a type that the log does not know": "CREATE (:_NodeType {_domain: $domain, _name: 'Ghost', _definition: '{}'})",
    "the rules of a type changed": "MATCH (t:_NodeType {_domain: $domain, _name: 'Project'}) "
    'SET t._definition = \'{"name": "Project"}\'',
    "a type cut off from the ontology": "MATCH (:_Ontology {_domain: $domain})-[r:_DEFINES]->() DELETE r",
    "a key row twice": "MATCH (k:_Key {_domain: $domain}) CREATE (c:_Key) SET c = properties(k)",
    "a stale key row": "MATCH (k:_Key {_domain: $domain}) CREATE (c:_Key) SET c = properties(k), c._value = 's:x'",
    "the log's copy of a text lost": "MATCH (c:_Content {_domain: $domain}) DELETE c",
    "the log's copy of a text changed": "MATCH (c:_Content {_domain: $domain}) SET c._text = 'other'",
    "the time of the last change moved": "MATCH (d:_Domain {_id: $domain}) SET d._last_at = datetime('2099-01-01')",
    "a connection's id under another type": "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) WITH a, r, b LIMIT 1 "
    "CREATE (a)-[s:About]->(b) SET s = properties(r)",
    "a connection written twice": "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) WITH a, r, b LIMIT 1 "
    "CREATE (a)-[s:NextAction]->(b) SET s = properties(r)",
    "a connection copied to another node": "MATCH (a)-[r:NextAction {_domain: $domain}]->(b) WITH a, r, b LIMIT 1 "
    "MATCH (c:Action {_domain: $domain}) WHERE c <> b WITH a, r, c LIMIT 1 "
    "CREATE (c)-[s:NextAction]->(a) SET s = properties(r)",
    "the domain's counter changed": "MATCH (d:_Domain {_id: $domain}) SET d._seq = d._seq + 5",
}


LEFT_BEHIND = """
    MATCH (n) WHERE n._domain = $domain + '-other' OR n:Project AND NOT n:_Node AND n._domain = $domain
    DETACH DELETE n
"""
"""Deletes what a rebuild leaves: nodes of another domain, and a node that lost its label and was created again."""


async def fill(memory: Memory, domain: str) -> str:
    await memory.create_ontology(ONTOLOGY)
    project = await memory.create_node(
        "Project", "# Kitchen", properties={"status": "active", "size": 1}, tags=["home"]
    )
    action = await memory.create_node("Action", "# Call " + "x" * 20_000, path="a/b")
    small = await memory.create_node("Action", "# Small")
    await memory.create_node("Action", b"\x00\x01", encoding="base64", format="bin")
    await memory.create_connection("NextAction", project.node_id, action.node_id, content="note")
    await memory.create_connection("NextAction", project.node_id, small.node_id)
    await observe(memory, domain, project.node_id)
    return project.node_id


async def test_a_graph_that_only_the_service_wrote_agrees_with_its_log(memory: Memory, domain: str) -> None:
    await fill(memory, domain)
    verification = await memory.upkeep.verify()
    assert verification.differences == ()
    assert verification.subjects == 13
    assert verification.events == 13


async def test_verify_names_the_difference_and_rebuild_mends_it(memory: Memory, domain: str, driver: Driver) -> None:
    project = await fill(memory, domain)
    before = await memory.get_node(project)
    for damage in some(list(DAMAGE)):
        driver.execute_query(DAMAGE[damage], domain=domain)  # pyright: ignore[reportArgumentType]
        verification = await memory.upkeep.rebuild()
        assert verification.differences != (), damage
        assert verification.unmended == (), damage
        assert await memory.get_node(project) == before, damage
        assert len((await memory.query_connections()).connection_ids) == 2, damage
        assert len((await memory.search_content("# call xxx")).node_ids) == 1, damage
        driver.execute_query(LEFT_BEHIND, domain=domain)
    assert (await memory.upkeep.verify()).differences == ()


async def test_a_connection_that_a_hand_copied_can_be_updated_and_is_mended(
    memory: Memory, domain: str, driver: Driver
) -> None:
    await fill(memory, domain)
    [connection, *_] = (await memory.query_connections()).connection_ids
    copy = """MATCH (a)-[r {_domain: $domain, _id: $id}]->(b)
    CREATE (a)-[c:$(type(r))]->(b)
    SET c = properties(r)"""
    driver.execute_query(copy, domain=domain, id=connection)
    await memory.update_connection(connection, properties={"reviewed": True})
    assert [difference.problem for difference in (await memory.upkeep.verify()).differences] == ["copies differs"]
    assert (await memory.upkeep.rebuild()).unmended == ()
    left = "MATCH ()-[r {_domain: $domain, _id: $id}]->() RETURN r.reviewed AS reviewed"
    assert [row["reviewed"] for row in driver.execute_query(left, domain=domain, id=connection).records] == [True]


async def test_a_process_that_has_cached_no_ontology_mends_a_type_that_cannot_be_read(
    memory: Memory, domain: str, driver: Driver, settings: Settings
) -> None:
    await memory.create_ontology(ONTOLOGY)
    driver.execute_query(DAMAGE["a type that the log does not know"], domain=domain)
    async with open_memory(settings.model_copy(update={"domain": domain})) as fresh:
        assert (await fresh.upkeep.rebuild()).unmended == ()
        assert "Ghost" not in {node_type.name for node_type in (await fresh.get_ontology()).node_types}


@pytest.mark.long
async def test_large_content_is_looked_at_without_keeping_it(
    memory: Memory, domain: str, driver: Driver, settings: Settings
) -> None:
    await memory.create_ontology(ONTOLOGY)
    for place in range(12):
        content = bytes([place]) * (4 << 20)
        await memory.create_node("Action", content, encoding="base64", format="bin", id=f"large{place}")
    async with open_memory(settings.model_copy(update={"domain": domain})) as fresh:
        tracemalloc.start()
        try:
            assert (await fresh.upkeep.verify()).clean
            driver.execute_query("MATCH (n:Action {_domain: $domain}) SET n.by_hand = 1", domain=domain)
            assert len((await fresh.upkeep.verify()).differences) == 12
            assert {change.settled for change in (await fresh.upkeep.reconcile(adopt="all")).changes} == {"adopted"}
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 24 << 20
    assert (await memory.upkeep.verify()).clean
    assert (await memory.get_node_content("large7")).content == base64.b64encode(bytes([7]) * (4 << 20)).decode()


async def test_what_cannot_be_mended_is_named_as_such(memory: Memory, domain: str, driver: Driver) -> None:
    await fill(memory, domain)
    driver.execute_query("MATCH (c:_Content {_domain: $domain}) DELETE c", domain=domain)
    driver.execute_query("MATCH (n:_Node {_domain: $domain}) REMOVE n._content", domain=domain)
    left = (await memory.upkeep.rebuild()).unmended or ()
    assert {difference.problem for difference in left} == {"content in store differs"}
    assert len({difference.subject for difference in left}) == 2


async def test_a_text_that_a_hand_wrote_is_not_taken_for_the_one_that_is_lost(
    memory: Memory, domain: str, driver: Driver
) -> None:
    project = await fill(memory, domain)
    driver.execute_query("MATCH (c:_Content {_domain: $domain}) DELETE c", domain=domain)
    driver.execute_query("MATCH (n:Project {_domain: $domain}) SET n._content = 'by hand'", domain=domain)
    left = (await memory.upkeep.rebuild()).unmended or ()
    assert (project, "content in store differs") in {(difference.subject, difference.problem) for difference in left}
    assert (await memory.search_content("by hand")).node_ids == ()
    lost = driver.execute_query("MATCH (c:_Content {_domain: $domain, _text: 'by hand'}) RETURN c", domain=domain)
    assert lost.records == []


async def test_an_update_keeps_a_text_of_which_the_log_has_lost_its_copy(
    memory: Memory, domain: str, driver: Driver
) -> None:
    project = await fill(memory, domain)
    driver.execute_query("MATCH (c:_Content {_domain: $domain}) DELETE c", domain=domain)
    await memory.update_node(project, properties={"status": "done"})
    await memory.upkeep.rebuild()
    assert (await memory.get_node_content(project)).content == "# Kitchen"
    assert (await memory.upkeep.verify()).clean


async def test_a_rebuild_restores_the_rules_for_every_process(
    memory: Memory, domain: str, driver: Driver, settings: Settings
) -> None:
    async with open_memory(settings.model_copy(update={"domain": domain})) as other:
        await fill(memory, domain)
        await other.get_ontology()
        driver.execute_query(DAMAGE["the rules of a type changed"], domain=domain)
        await memory.upkeep.rebuild()
        for reader in (memory, other):
            declared = (await reader.get_ontology()).find_node_type("Project")
            assert declared is not None
            assert [rule.name for rule in declared.properties] == ["status"]


async def test_a_lost_event_is_named_as_a_gap(memory: Memory, domain: str, driver: Driver) -> None:
    await fill(memory, domain)
    driver.execute_query("MATCH (e:_Event {_domain: $domain, _seq: 8}) DELETE e", domain=domain)
    verification = await memory.upkeep.verify()
    assert any("gaps" in difference.problem for difference in verification.differences)
