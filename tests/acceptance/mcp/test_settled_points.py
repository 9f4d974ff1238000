"""Points that the specification leaves open and the project has settled. Search has a file of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from acceptance.agents import GTD, Agent, serve_agent
from graph_memory.model.errors import Code
from tables import for_rows

pytestmark = pytest.mark.anyio

# 1. Domains


WITHOUT_ONTOLOGY: list[tuple[str, dict[str, Any]]] = [
    ("create_node", {"type": "Project", "content": "", "format": "markdown"}),
    ("get_node", {"node_id": "mem_1"}),
    ("get_node_content", {"node_id": "mem_1"}),
    ("update_node", {"node_id": "mem_1", "properties": {"a": 1}}),
    ("delete_node", {"node_id": "mem_1"}),
    ("create_connection", {"type": "NextAction", "from_node_id": "mem_1", "to_node_id": "mem_2"}),
    ("get_connection", {"connection_id": "conn_1"}),
    ("update_connection", {"connection_id": "conn_1", "properties": {"a": 1}}),
    ("delete_connection", {"connection_id": "conn_1"}),
    ("get_connected_nodes", {"node_id": "mem_1", "direction": "both"}),
    ("validate_connection", {"connection_type": "X", "from_node_type": "Y", "to_node_type": "Z"}),
    ("add_node_type", {"type_name": "Project"}),
    ("add_connection_type", {"type_name": "NextAction", "from_types": ["Project"], "to_types": ["Project"]}),
    ("get_ontology", {}),
]


@for_rows(("tool", "arguments"), WITHOUT_ONTOLOGY)
async def test_a_domain_without_an_ontology_says_so_and_still_does_not_exist(
    agent: Agent, tool: str, arguments: dict[str, Any]
):
    error = await agent.error_of(tool, **arguments)
    assert error.code is Code.ONTOLOGY_NOT_FOUND
    assert "create_ontology" in error.details["hint"]
    assert (await agent.error_of("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND


async def test_queries_and_searches_of_a_domain_without_an_ontology_find_nothing(agent: Agent):
    for tool, arguments in (
        ("query_nodes", {"type": "Project", "properties": {"a": 1}}),
        ("query_nodes", {}),
        ("query_connections", {"from_node_id": "mem_1"}),
        ("query_connections", {}),
        ("search_content", {"query": "anything"}),
        ("search_content", {"query": "a", "limit": 1}),
    ):
        answer = await agent.call(tool, **arguments)
        [warning] = answer.pop("warnings")
        assert "does not exist" in warning
        assert list(answer.values()) == [[]]


async def test_a_domain_begins_with_its_first_ontology(agent: Agent):
    await agent.call("query_nodes")
    await agent.error_of("add_node_type", type_name="Project")
    await agent.call("create_ontology", node_types=["Project"], connection_types=[])
    assert await agent.call("get_ontology") == {"node_types": ["Project"], "connection_types": []}


@pytest.mark.long
async def test_the_server_works_in_the_domain_of_its_environment_and_a_call_in_the_one_it_names(
    environment: dict[str, str], gtd: Agent, elsewhere: Agent
):
    async with serve_agent({**environment, "GRAPH_MEMORY_DOMAIN": str(gtd.domain)}) as agent:
        own_node = await agent.node("Project", "here")
        other_node = await agent.within(elsewhere.domain).node("Project", "there")
        assert await agent.ids_of("query_nodes") == [own_node]
    assert await gtd.content(own_node) == "here"
    assert await elsewhere.content(other_node) == "there"
    assert (await elsewhere.error_of("get_node", node_id=own_node)).code is Code.NODE_NOT_FOUND


@pytest.mark.long
async def test_the_domain_of_a_server_that_was_told_none_is_default(server: Agent):
    unnamed, default = server.within(None), server.within("default")
    if not (await default.call("query_nodes"))["node_ids"]:
        await unnamed.call("create_ontology", **GTD)
    node = await unnamed.node("Project", "by default")
    assert await default.content(node) == "by default"


async def test_names_of_domains_are_case_sensitive(agent: Agent, domain: str):
    await agent.call("create_ontology", **GTD)
    assert (await agent.within(domain.upper()).error_of("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND


# 2. All matches


async def test_everything_that_matches_is_returned_unless_a_limit_is_given(gtd: Agent):
    project = await gtd.node("Project")
    actions = sorted([await gtd.node("Action", "many") for _ in range(60)])
    made = sorted([await gtd.connection("NextAction", project, action) for action in actions[:40]])
    assert await gtd.ids_of("query_nodes", type="Action") == actions
    assert await gtd.ids_of("search_content", query="many") == actions
    assert await gtd.ids_of("query_connections") == made
    assert await gtd.ids_of("get_connected_nodes", node_id=project, direction="out") == actions[:40]
    assert len((await gtd.call("query_nodes", type="Action", limit=51))["node_ids"]) == 51


# 3. Content of connections


async def test_the_content_of_a_connection_is_shown_when_asked_for(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    for text in ("", "notes", "é\r\n🏠\0", "long " * 10_000):
        connection = await gtd.connection("NextAction", project, action, content=text)
        shown = await gtd.call("get_connection", connection_id=connection)
        assert shown["has_content"] is True
        assert "content" not in shown
        full = await gtd.call("get_connection", connection_id=connection, include_content=True)
        assert full == {**shown, "content": text}
        assert await gtd.call("get_connection", connection_id=connection, include_content=False) == shown


async def test_a_connection_without_content_has_none_until_it_is_given_even_if_empty(gtd: Agent):
    connection = await gtd.connection("NextAction", await gtd.node("Project"), await gtd.node("Action"))
    shown = await gtd.call("get_connection", connection_id=connection, include_content=True)
    assert (shown["has_content"], "content" in shown) == (False, False)
    await gtd.call("update_connection", connection_id=connection, content="")
    shown = await gtd.call("get_connection", connection_id=connection, include_content=True)
    assert (shown["has_content"], shown["content"]) == (True, "")


# 6. Properties and names


FAULTY: list[dict[str, Any]] = [{"_status": "a"}, {"status": ["a"]}, {"good": "a", "status": None}]


@dataclass(frozen=True)
class Pair:
    """A project and its next action, without properties, in a domain where every change is refused."""

    agent: Agent
    project: str
    action: str
    connection: str


@pytest.fixture(scope="module")
async def pair(server: Agent) -> Pair:
    agent = server.within(f"pair-{uuid4().hex[:20]}")
    await agent.call("create_ontology", **GTD)
    project, action = await agent.node("Project", "text"), await agent.node("Action", "text")
    return Pair(agent, project, action, await agent.connection("NextAction", project, action))


@for_rows("properties", FAULTY)
async def test_a_property_that_cannot_be_stored_is_refused_everywhere(pair: Pair, properties: dict[str, Any]):
    ends = {"from_node_id": pair.project, "to_node_id": pair.action}
    for tool, arguments in (
        ("create_node", {"type": "Project", "content": "", "format": "markdown"}),
        ("update_node", {"node_id": pair.project}),
        ("create_connection", {"type": "NextAction", **ends}),
        ("update_connection", {"connection_id": pair.connection}),
        ("query_nodes", {}),
        ("query_nodes", {"type": "Project"}),
        ("query_connections", {}),
        ("query_connections", ends),
    ):
        error = await pair.agent.error_of(tool, **arguments, properties=properties)
        assert error.code is Code.INVALID_PROPERTY, tool
        assert "hint" in error.details
    assert await pair.agent.ids_of("query_nodes") == sorted([pair.project, pair.action])
    assert (await pair.agent.call("get_node", node_id=pair.project))["properties"] == {}
    assert await pair.agent.ids_of("query_connections") == [pair.connection]


KEYS = ["with.dot", "with space", 'quo"te', "apo's", "back`tick", "$param", "日本", "🏠", "a_", "x" * 256]
FIELDS = ["id", "type", "created", "modified", "version", "content", "domain", "from_node_id", "labels", "name"]


async def test_a_property_key_may_be_any_other_text(gtd: Agent):
    properties = {key: f"value of {key}" for key in (*KEYS, *FIELDS)}
    node = await gtd.node("Project", "text", properties=properties)
    action = await gtd.node("Action")
    connection = await gtd.connection("NextAction", node, action, properties=properties)
    shown = await gtd.call("get_node", node_id=node)
    assert shown["properties"] == properties
    assert (shown["id"], shown["type"], shown["content_format"]) == (node, "Project", "markdown")
    shown = await gtd.call("get_connection", connection_id=connection)
    assert shown["properties"] == properties
    assert (shown["id"], shown["type"], shown["from_node_id"]) == (connection, "NextAction", node)
    for key, value in properties.items():
        assert await gtd.ids_of("query_nodes", properties={key: value}) == [node]
        assert await gtd.ids_of("query_nodes", properties={key: "other"}) == []
        assert await gtd.ids_of("query_connections", properties={key: value}) == [connection]
    await gtd.call("update_node", node_id=node, properties={"id": "new", "type": "new", "created": "new"})
    shown = await gtd.call("get_node", node_id=node)
    assert shown["properties"] == {**properties, "id": "new", "type": "new", "created": "new"}
    assert (shown["id"], shown["type"]) == (node, "Project")


NAMES = ["with.dot", "with space", 'quo"te', "back`tick", "日本", "Zoë 🏠", "a:b|c", "x" * 256, "id", "Node", "1st"]


@pytest.mark.long
async def test_a_type_name_may_be_any_such_text(agent: Agent):
    odd = 'odd. `type` "of" connection 日本 🏠'
    connection = {"name": odd, "from_types": NAMES[:2], "to_types": NAMES}
    await agent.call("create_ontology", node_types=NAMES, connection_types=[connection])
    assert await agent.call("get_ontology") == {"node_types": NAMES, "connection_types": [connection]}
    nodes = {name: await agent.node(name, name) for name in NAMES}
    for name, node in nodes.items():
        assert (await agent.call("get_node", node_id=node))["type"] == name
        assert await agent.ids_of("query_nodes", type=name) == [node]
        assert node in await agent.ids_of("search_content", query=name, node_type=name)
    made = await agent.connection(odd, nodes["with.dot"], nodes["日本"])
    assert (await agent.call("get_connection", connection_id=made))["type"] == odd
    assert await agent.ids_of("query_connections", type=odd) == [made]
    context = {"node_id": nodes["日本"], "connection_type": odd, "direction": "in"}
    assert await agent.ids_of("get_connected_nodes", **context) == [nodes["with.dot"]]


# 8. Unknown types


@for_rows("name", ["Nothing", "project", " ", "_Node", "`x`", "a\nb"])
async def test_unknown_types_are_in_no_result_and_in_no_valid_connection(pair: Pair, name: str):
    agent = pair.agent
    context = {"node_id": pair.project, "direction": "both", "connection_type": name}
    for tool, arguments in (
        ("query_nodes", {"type": name}),
        ("query_connections", {"type": name}),
        ("search_content", {"query": "text", "node_type": name}),
        ("get_connected_nodes", context),
    ):
        answer = await agent.call(tool, **arguments)
        [warning] = answer.pop("warnings")
        assert "is not in the ontology" in warning
        assert list(answer.values()) == [[]]
    right = {"connection_type": "NextAction", "from_node_type": "Project", "to_node_type": "Action"}
    for argument in right:
        refused = await agent.call("validate_connection", **{**right, argument: name})
        assert not refused["valid"]
        assert "is not in the ontology" in refused["reason"]


# 9. Loops and doubles


async def test_a_loop_returns_its_node_once_in_every_direction(gtd: Agent):
    action = await gtd.node("Action")
    loop = await gtd.connection("DependsOn", action, action)
    for direction in ("out", "in", "both"):
        assert await gtd.call("get_connected_nodes", node_id=action, direction=direction) == {"node_ids": [action]}
    for ends in ({"from_node_id": action}, {"to_node_id": action}, {"from_node_id": action, "to_node_id": action}, {}):
        assert await gtd.call("query_connections", **ends) == {"connection_ids": [loop]}
    await gtd.call("delete_node", node_id=action)
    assert (await gtd.error_of("get_connection", connection_id=loop)).code is Code.CONNECTION_NOT_FOUND


async def test_two_connections_of_one_type_between_the_same_nodes_are_two(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    first = await gtd.connection("NextAction", project, action, properties={"rank": 1})
    second = await gtd.connection("NextAction", project, action, properties={"rank": 1})
    assert first != second
    assert await gtd.ids_of("query_connections", properties={"rank": 1}) == sorted([first, second])
    await gtd.call("update_connection", connection_id=first, properties={"rank": 2})
    assert (await gtd.call("get_connection", connection_id=second))["properties"] == {"rank": 1}
    await gtd.call("delete_connection", connection_id=first)
    assert await gtd.ids_of("query_connections") == [second]
    assert await gtd.ids_of("get_connected_nodes", node_id=project, direction="out") == [action]


# 11. Times


async def test_connecting_a_node_does_not_change_it(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    before = await gtd.call("get_node", node_id=project)
    connection = await gtd.connection("NextAction", project, action)
    await gtd.call("delete_connection", connection_id=connection)
    assert await gtd.call("get_node", node_id=project) == before
