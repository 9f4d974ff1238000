"""What the specification leaves open and the project has settled, point by point. Search has a file of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from acceptance.agents import GTD, Agent, connected
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
    error = await agent.refused(tool, **arguments)
    assert error.code is Code.ONTOLOGY_NOT_FOUND
    assert "create_ontology" in error.details["hint"]
    assert (await agent.refused("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND


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
    await agent.refused("add_node_type", type_name="Project")
    await agent.call("create_ontology", node_types=["Project"], connection_types=[])
    assert await agent.call("get_ontology") == {"node_types": ["Project"], "connection_types": []}


@pytest.mark.long
async def test_the_server_works_in_the_domain_of_its_environment_and_a_call_in_the_one_it_names(
    environment: dict[str, str], gtd: Agent, elsewhere: Agent
):
    async with connected({**environment, "GRAPH_MEMORY_DOMAIN": str(gtd.domain)}) as agent:
        here = await agent.node("Project", "here")
        there = await agent.within(elsewhere.domain).node("Project", "there")
        assert await agent.found("query_nodes") == [here]
    assert await gtd.content(here) == "here"
    assert await elsewhere.content(there) == "there"
    assert (await elsewhere.refused("get_node", node_id=here)).code is Code.NODE_NOT_FOUND


@pytest.mark.long
async def test_the_domain_of_a_server_that_was_told_none_is_default(server: Agent):
    unnamed, default = server.within(None), server.within("default")
    if not (await default.call("query_nodes"))["node_ids"]:
        await unnamed.call("create_ontology", **GTD)
    node = await unnamed.node("Project", "by default")
    assert await default.content(node) == "by default"


@for_rows("name", ["a", "7", "A.b_c-9", "x" * 64, "a..", "9-_.", "a/b"])
async def test_a_domain_may_have_such_a_name(server: Agent, name: str):
    assert (await server.within(name).refused("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND


BAD_NAMES = [" ", "x" * 65, "-a", ".a", "_a", "a b", " a", "a\n", "a/", "/a", "a//b", "a/..", "..", "ä", "日本", "a:b"]


@for_rows("name", BAD_NAMES)
async def test_a_domain_cannot_have_such_a_name(server: Agent, name: str):
    agent = server.within(name)
    for tool, arguments in (("get_ontology", {}), ("query_nodes", {}), ("create_ontology", GTD)):
        error = await agent.refused(tool, **arguments)
        assert error.code is Code.INVALID_ARGUMENT
        assert error.details["argument"] == "domain"
        assert "domain" in error.message


async def test_names_of_domains_are_case_sensitive(agent: Agent, domain: str):
    await agent.call("create_ontology", **GTD)
    assert (await agent.within(domain.upper()).refused("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND


# 2. All matches


async def test_everything_that_matches_is_returned_unless_a_limit_is_given(gtd: Agent):
    project = await gtd.node("Project")
    actions = sorted([await gtd.node("Action", "many") for _ in range(60)])
    made = sorted([await gtd.connection("NextAction", project, action) for action in actions[:40]])
    assert await gtd.found("query_nodes", type="Action") == actions
    assert await gtd.found("search_content", query="many") == actions
    assert await gtd.found("query_connections") == made
    assert await gtd.found("get_connected_nodes", node_id=project, direction="out") == actions[:40]
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


# 5. Topology, and the order of declaration


@for_rows(
    ("kind", "source", "target", "message"),
    [
        (
            "NextAction",
            "Project",
            "Person",
            "Cannot connect Project to Person with NextAction. Valid targets: [Action]",
        ),
        ("NextAction", "Action", "Action", "Cannot connect Action to Action with NextAction. Valid sources: [Project]"),
        (
            "NextAction",
            "Action",
            "Project",
            "Cannot connect Action to Project with NextAction. Valid sources: [Project]. Valid targets: [Action]",
        ),
        (
            "DependsOn",
            "Person",
            "Context",
            "Cannot connect Person to Context with DependsOn. "
            "Valid sources: [Action, Project]. Valid targets: [Action, Project]",
        ),
    ],
)
async def test_a_wrong_topology_says_what_would_be_right(gtd: Agent, kind: str, source: str, target: str, message: str):
    ends = {"from_node_id": await gtd.node(source), "to_node_id": await gtd.node(target)}
    error = await gtd.refused("create_connection", type=kind, **ends)
    assert (error.code, error.message) == (Code.INVALID_TOPOLOGY, message)
    assert await gtd.found("query_connections") == []


async def test_lists_keep_the_order_of_declaration(agent: Agent):
    await agent.call(
        "create_ontology",
        node_types=["Zebra", "Ant", "Monkey"],
        connection_types=[
            {
                "name": "WaitingFor",
                "from_types": ["Zebra", "Monkey", "Ant"],
                "to_types": ["Monkey", "Ant"],
                "required_properties": ["z", "a", "m"],
            },
            {"name": "DependsOn", "from_types": ["Ant"], "to_types": ["Zebra"]},
        ],
    )
    await agent.call("add_node_type", type_name="Bee")
    shown = await agent.call("get_ontology")
    assert shown["node_types"] == ["Zebra", "Ant", "Monkey", "Bee"]
    assert shown["connection_types"][0] == {
        "name": "WaitingFor",
        "from_types": ["Zebra", "Monkey", "Ant"],
        "to_types": ["Monkey", "Ant"],
        "required_properties": ["z", "a", "m"],
    }
    zebra, ant, bee = [await agent.node(kind) for kind in ("Zebra", "Ant", "Bee")]
    ends = {"from_node_id": bee, "to_node_id": zebra}
    error = await agent.refused("create_connection", type="WaitingFor", **ends)
    assert error.message == (
        "Cannot connect Bee to Zebra with WaitingFor. Valid sources: [Zebra, Monkey, Ant]. Valid targets: [Monkey, Ant]"
    )
    ends = {"from_node_id": zebra, "to_node_id": ant}
    error = await agent.refused("create_connection", type="WaitingFor", **ends, properties={"a": 1})
    assert error.message == "Connection type WaitingFor requires properties: [z, a, m]. Missing: [z, m]"
    error = await agent.refused("create_node", type="Cat", content="", format="markdown")
    assert "[Zebra, Ant, Monkey, Bee]" in error.message


# 6. Properties and names


FAULTY: list[dict[str, Any]] = [
    {"_status": "a"},
    {"_": "a"},
    {"_id": "a"},
    {"": "a"},
    {"a\nb": "a"},
    {"a\0b": "a"},
    {"x" * 257: "a"},
    {"status": None},
    {"status": []},
    {"status": ["a"]},
    {"status": {}},
    {"status": {"a": 1}},
    {"status": 2**63},
    {"status": -(2**63) - 1},
    {"good": "a", "status": None},
]


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
        error = await pair.agent.refused(tool, **arguments, properties=properties)
        assert error.code is Code.INVALID_PROPERTY, tool
        assert "hint" in error.details
    assert await pair.agent.found("query_nodes") == sorted([pair.project, pair.action])
    assert (await pair.agent.call("get_node", node_id=pair.project))["properties"] == {}
    assert await pair.agent.found("query_connections") == [pair.connection]


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
        assert await gtd.found("query_nodes", properties={key: value}) == [node]
        assert await gtd.found("query_nodes", properties={key: "other"}) == []
        assert await gtd.found("query_connections", properties={key: value}) == [connection]
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
        assert await agent.found("query_nodes", type=name) == [node]
        assert node in await agent.found("search_content", query=name, node_type=name)
    made = await agent.connection(odd, nodes["with.dot"], nodes["日本"])
    assert (await agent.call("get_connection", connection_id=made))["type"] == odd
    assert await agent.found("query_connections", type=odd) == [made]
    around = {"node_id": nodes["日本"], "connection_type": odd, "direction": "in"}
    assert await agent.found("get_connected_nodes", **around) == [nodes["with.dot"]]


@pytest.mark.parametrize("name", ["", "_Project", "_", "a\nb", "a\0b", "x" * 257], ids=repr)
async def test_a_type_cannot_have_such_a_name(agent: Agent, name: str):
    async def is_refused(tool: str, **arguments: Any) -> None:
        error = await agent.refused(tool, **arguments)
        assert error.code is Code.INVALID_ARGUMENT
        assert "hint" in error.details

    ends = {"from_types": ["Project"], "to_types": ["Project"]}
    await is_refused("create_ontology", node_types=[name], connection_types=[])
    await is_refused("create_ontology", node_types=["Project"], connection_types=[{"name": name, **ends}])
    assert (await agent.refused("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND
    await agent.call("create_ontology", node_types=["Project"], connection_types=[])
    await is_refused("add_node_type", type_name=name)
    await is_refused("add_connection_type", type_name=name, **ends)
    assert await agent.call("get_ontology") == {"node_types": ["Project"], "connection_types": []}


async def test_a_property_value_may_have_a_megabyte_and_no_more(gtd: Agent):
    value = "é" * 500_000
    node = await gtd.node("Project", properties={"long": value})
    assert (await gtd.call("get_node", node_id=node))["properties"] == {"long": value}
    assert await gtd.found("query_nodes", properties={"long": value}) == [node]
    error = await gtd.refused("update_node", node_id=node, properties={"long": "é" * 524_289})
    assert error.code is Code.INVALID_PROPERTY
    assert "long" in error.message


# 7. Ontologies


async def test_a_connection_type_that_names_an_undefined_node_type_is_refused_and_nothing_is_written(agent: Agent):
    for ends in (
        {"from_types": ["Nobody"], "to_types": ["Project"]},
        {"from_types": ["Project"], "to_types": ["Nobody"]},
    ):
        types = {"node_types": ["Project"], "connection_types": [{"name": "DependsOn", **ends}]}
        error = await agent.refused("create_ontology", **types)
        assert (error.code, "Nobody" in error.message) == (Code.INVALID_NODE_TYPE, True)
    assert (await agent.refused("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND
    await agent.call("create_ontology", node_types=["Project"], connection_types=[])
    error = await agent.refused("add_connection_type", type_name="DependsOn", **ends)
    assert error.code is Code.INVALID_NODE_TYPE
    assert await agent.call("get_ontology") == {"node_types": ["Project"], "connection_types": []}


@for_rows(
    ("node_types", "connection_types"),
    [(["Project", "Action", "Project"], []), (["Project"], ["DependsOn", "DependsOn"])],
)
async def test_a_name_that_is_given_twice_is_refused(agent: Agent, node_types: list[str], connection_types: list[str]):
    ends = {"from_types": ["Project"], "to_types": ["Project"]}
    types = [{"name": name, **ends} for name in connection_types]
    error = await agent.refused("create_ontology", node_types=node_types, connection_types=types)
    assert error.code is Code.TYPE_ALREADY_EXISTS
    assert (await agent.refused("get_ontology")).code is Code.ONTOLOGY_NOT_FOUND


async def test_a_node_type_and_a_connection_type_may_share_a_name_and_case_matters(agent: Agent):
    ends = {"from_types": ["DependsOn"], "to_types": ["dependson"]}
    types = {"node_types": ["DependsOn", "dependson"], "connection_types": [{"name": "DependsOn", **ends}]}
    await agent.call("create_ontology", **types)
    upper, lower = await agent.node("DependsOn"), await agent.node("dependson")
    await agent.connection("DependsOn", upper, lower)
    assert await agent.found("query_nodes", type="DependsOn") == [upper]
    assert await agent.found("query_nodes", type="dependson") == [lower]
    error = await agent.refused("create_node", type="DEPENDSON", content="", format="markdown")
    assert error.code is Code.INVALID_NODE_TYPE
    error = await agent.refused("create_connection", type="dependson", from_node_id=upper, to_node_id=lower)
    assert error.code is Code.INVALID_CONNECTION_TYPE


async def test_an_ontology_may_be_empty(agent: Agent):
    await agent.call("create_ontology", node_types=[], connection_types=[])
    assert await agent.call("get_ontology") == {"node_types": [], "connection_types": []}
    error = await agent.refused("create_node", type="Project", content="", format="markdown")
    assert error.code is Code.INVALID_NODE_TYPE
    error = await agent.refused("create_ontology", node_types=["Project"], connection_types=[])
    assert error.code is Code.ONTOLOGY_ALREADY_EXISTS
    await agent.call("add_node_type", type_name="Project")
    await agent.node("Project")


# 8. Unknown types


@for_rows("name", ["Nothing", "project", " ", "_Node", "`x`", "a\nb"])
async def test_unknown_types_are_in_no_result_and_in_no_valid_connection(pair: Pair, name: str):
    agent = pair.agent
    around = {"node_id": pair.project, "direction": "both", "connection_type": name}
    for tool, arguments in (
        ("query_nodes", {"type": name}),
        ("query_connections", {"type": name}),
        ("search_content", {"query": "text", "node_type": name}),
        ("get_connected_nodes", around),
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
    assert (await gtd.refused("get_connection", connection_id=loop)).code is Code.CONNECTION_NOT_FOUND


async def test_two_connections_of_one_type_between_the_same_nodes_are_two(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    first = await gtd.connection("NextAction", project, action, properties={"rank": 1})
    second = await gtd.connection("NextAction", project, action, properties={"rank": 1})
    assert first != second
    assert await gtd.found("query_connections", properties={"rank": 1}) == sorted([first, second])
    await gtd.call("update_connection", connection_id=first, properties={"rank": 2})
    assert (await gtd.call("get_connection", connection_id=second))["properties"] == {"rank": 1}
    await gtd.call("delete_connection", connection_id=first)
    assert await gtd.found("query_connections") == [second]
    assert await gtd.found("get_connected_nodes", node_id=project, direction="out") == [action]


# 11. Times


async def test_an_update_that_changes_nothing_moves_nothing(gtd: Agent):
    node = await gtd.node("Project", "text", properties={"a": 1, "b": True, "c": ""}, tags=["t"], path="p")
    before = await gtd.call("get_node", node_id=node)
    for arguments in (
        {"properties": {}},
        {"properties": {"a": 1}},
        {"properties": {"a": 1, "b": True, "c": ""}},
        {"content": "text", "encoding": "utf-8"},
        {"format": "markdown"},
        {"tags": ["t"]},
        {"path": "p"},
    ):
        assert await gtd.call("update_node", node_id=node, **arguments) == {"version": before["version"]}
    assert await gtd.call("get_node", node_id=node) == before

    connection = await gtd.connection("NextAction", node, await gtd.node("Action"), properties={"a": 1}, content="")
    before = await gtd.call("get_connection", connection_id=connection)
    for arguments in ({"properties": {"a": 1}}, {"content": ""}, {"properties": {}, "content": ""}):
        unmoved = await gtd.call("update_connection", connection_id=connection, **arguments)
        assert unmoved == {"version": before["version"]}
    assert await gtd.call("get_connection", connection_id=connection) == before


@for_rows(
    "arguments",
    [
        {"properties": {"a": True}},
        {"properties": {"a": "1"}},
        {"properties": {"b": 1}},
        {"content": "other", "encoding": "utf-8"},
        {"content": "QUJD", "encoding": "base64"},
        {"format": "text"},
        {"tags": ["other"]},
        {"path": "other"},
    ],
)
async def test_an_update_that_changes_something_moves_modified_and_version_but_not_created(
    gtd: Agent, arguments: dict[str, Any]
):
    node = await gtd.node("Project", "QUJD", properties={"a": 1}, tags=["t"], path="p")
    before = await gtd.call("get_node", node_id=node)
    changed = await gtd.call("update_node", node_id=node, **arguments)
    after = await gtd.call("get_node", node_id=node)
    assert after["version"] == changed["version"] > before["version"]
    assert after["modified"] > before["modified"]
    assert after["created"] == before["created"]
    for key, value in arguments.get("properties", {}).items():
        assert repr(after["properties"][key]) == repr(value)


async def test_connecting_a_node_does_not_change_it(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    before = await gtd.call("get_node", node_id=project)
    connection = await gtd.connection("NextAction", project, action)
    await gtd.call("delete_connection", connection_id=connection)
    assert await gtd.call("get_node", node_id=project) == before
