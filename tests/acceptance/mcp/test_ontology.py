"""The ontology: defined once, extended, never changed, and enforced."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.agents import GTD, Agent
from graph_memory import load_ontology
from graph_memory.model.errors import Code
from tables import for_rows

pytestmark = pytest.mark.anyio


async def test_an_ontology_comes_back_in_the_shape_and_order_of_its_declaration(gtd: Agent):
    assert await gtd.call("get_ontology") == GTD
    assert await gtd.call("get_ontology", detail=False) == GTD


async def test_types_are_appended_and_leave_the_others_as_they_were(gtd: Agent):
    await gtd.call("add_node_type", type_name="Document")
    await gtd.call("add_node_type", type_name="Book")
    related = {"from_types": ["Project", "Action"], "to_types": ["Project", "Action", "Document"]}
    await gtd.call("add_connection_type", type_name="RelatedTo", **related)
    await gtd.call(
        "add_connection_type",
        type_name="DelegatedTo",
        from_types=["Action"],
        to_types=["Person"],
        required_properties=["on"],
    )

    assert await gtd.call("get_ontology") == {
        "node_types": [*GTD["node_types"], "Document", "Book"],
        "connection_types": [
            *GTD["connection_types"],
            {"name": "RelatedTo", **related},
            {"name": "DelegatedTo", "from_types": ["Action"], "to_types": ["Person"], "required_properties": ["on"]},
        ],
    }
    document = await gtd.node("Document")
    await gtd.connection("RelatedTo", await gtd.node("Project"), document)
    error = await gtd.error_of(
        "create_connection",
        type="DelegatedTo",
        from_node_id=await gtd.node("Action"),
        to_node_id=await gtd.node("Person"),
    )
    assert error.code is Code.REQUIRED_PROPERTY_MISSING


async def test_an_ontology_is_created_only_once(gtd: Agent):
    for other in (GTD, {"node_types": ["Other"], "connection_types": []}):
        assert (await gtd.error_of("create_ontology", **other)).code is Code.ONTOLOGY_ALREADY_EXISTS
    assert await gtd.call("get_ontology") == GTD


async def test_a_type_is_added_only_once(gtd: Agent):
    error = await gtd.error_of("add_node_type", type_name="Action")
    assert (error.code, "Action" in error.message) == (Code.TYPE_ALREADY_EXISTS, True)
    error = await gtd.error_of(
        "add_connection_type", type_name="NextAction", from_types=["Action"], to_types=["Action"]
    )
    assert (error.code, "NextAction" in error.message) == (Code.TYPE_ALREADY_EXISTS, True)
    assert await gtd.call("get_ontology") == GTD


@for_rows(
    ("connection", "source", "target", "valid"),
    [
        ("NextAction", "Project", "Action", True),
        ("NextAction", "Action", "Project", False),
        ("NextAction", "Action", "Action", False),
        ("NextAction", "Project", "Project", False),
        ("DependsOn", "Project", "Action", True),
        ("DependsOn", "Action", "Project", True),
        ("DependsOn", "Person", "Project", False),
        ("WaitingFor", "Project", "Person", True),
    ],
)
async def test_a_connection_can_be_validated_before_it_is_made(
    gtd: Agent, connection: str, source: str, target: str, valid: bool
):
    types = {"connection_type": connection, "from_node_type": source, "to_node_type": target}
    assert (await gtd.call("validate_connection", **types))["valid"] is valid


RULES: list[dict[str, Any]] = [
    {"name": "title", "type": "string", "required": True, "description": "What it is called"},
    {"name": "status", "enum": ["active", "done"]},
    {"name": "priority", "type": "integer", "indexed": True},
    {"name": "due", "type": "date"},
    {"name": "key", "unique": True},
]


@pytest.fixture
async def agent_with_rules(agent: Agent) -> Agent:
    """An agent in a domain whose Projects have rules, and whose connections have cardinality."""
    await agent.call(
        "create_ontology",
        node_types=[{"name": "Project", "description": "A goal", "properties": RULES}, "Action"],
        connection_types=[
            {
                "name": "NextAction",
                "from_types": ["Project"],
                "to_types": ["Action"],
                "unique_source": True,
                "unique_target": True,
                "properties": [{"name": "rank", "type": "number", "required": True}],
            },
            {"name": "DependsOn", "from_types": ["*"], "to_types": ["*"], "acyclic": True},
        ],
    )
    return agent


async def test_all_that_is_declared_is_shown_on_request(agent_with_rules: Agent):
    brief, full = await agent_with_rules.call("get_ontology"), await agent_with_rules.call("get_ontology", detail=True)
    assert brief["node_types"] == ["Project", "Action"]
    assert brief["connection_types"] == [
        {"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"], "required_properties": ["rank"]},
        {"name": "DependsOn", "from_types": ["*"], "to_types": ["*"]},
    ]
    project, next_action, depends_on = full["node_types"][0], *full["connection_types"]
    assert (project["name"], project["description"], project["properties"]) == ("Project", "A goal", RULES)
    assert (next_action["unique_source"], next_action["unique_target"], depends_on["acyclic"]) == (True, True, True)


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({}, Code.REQUIRED_PROPERTY_MISSING),
        ({"title": 1}, Code.INVALID_PROPERTY),
        ({"title": "t", "status": "Done"}, Code.INVALID_PROPERTY),
        ({"title": "t", "priority": 1.5}, Code.INVALID_PROPERTY),
        ({"title": "t", "priority": True}, Code.INVALID_PROPERTY),
        ({"title": "t", "due": "2025-02-30"}, Code.INVALID_PROPERTY),
        ({"title": "t", "key": "taken"}, Code.UNIQUE_PROPERTY_TAKEN),
    ],
)
async def test_declared_properties_are_enforced_on_creating_and_updating(
    agent_with_rules: Agent, properties: dict[str, Any], code: Code
):
    kept = {"title": "t", "key": "taken"}
    first = await agent_with_rules.node("Project", properties=kept)
    error = await agent_with_rules.error_of(
        "create_node", type="Project", content="", format="text", properties=properties
    )
    assert error.code is code
    second = await agent_with_rules.node("Project", properties={"title": "u"})
    if properties:
        error = await agent_with_rules.error_of("update_node", node_id=second, properties=properties)
        assert error.code is code
    assert (await agent_with_rules.call("get_node", node_id=second))["properties"] == {"title": "u"}
    assert await agent_with_rules.ids_of("query_nodes") == sorted([first, second])


async def test_a_unique_value_is_free_again_after_a_change_or_a_delete(agent_with_rules: Agent):
    first = await agent_with_rules.node("Project", properties={"title": "t", "key": "k"})
    await agent_with_rules.call("update_node", node_id=first, properties={"title": "other", "key": "k"})
    await agent_with_rules.call("update_node", node_id=first, properties={"key": "l"})
    second = await agent_with_rules.node("Project", properties={"title": "t", "key": "k"})
    await agent_with_rules.call("delete_node", node_id=second)
    third = await agent_with_rules.node("Project", properties={"title": "t", "key": "k"})
    assert await agent_with_rules.ids_of("query_nodes", properties={"key": "k"}) == [third]


async def test_declared_cardinality_and_acyclicity_are_enforced(agent_with_rules: Agent):
    projects = [await agent_with_rules.node("Project", properties={"title": "t"}) for _ in range(2)]
    actions = [await agent_with_rules.node("Action") for _ in range(3)]
    rank = {"properties": {"rank": 1}}
    first = await agent_with_rules.connection("NextAction", projects[0], actions[0], **rank)
    for source, target in ((projects[0], actions[1]), (projects[1], actions[0])):
        ends = {"from_node_id": source, "to_node_id": target}
        error = await agent_with_rules.error_of("create_connection", type="NextAction", **ends, **rank)
        assert error.code is Code.INVALID_TOPOLOGY
    await agent_with_rules.call("delete_connection", connection_id=first)
    await agent_with_rules.connection("NextAction", projects[0], actions[1], **rank)

    await agent_with_rules.connection("DependsOn", actions[0], actions[1])
    await agent_with_rules.connection("DependsOn", actions[1], actions[2])
    for source, target in ((actions[2], actions[0]), (actions[1], actions[0]), (actions[0], actions[0])):
        ends = {"from_node_id": source, "to_node_id": target}
        assert (
            await agent_with_rules.error_of("create_connection", type="DependsOn", **ends)
        ).code is Code.INVALID_TOPOLOGY
    await agent_with_rules.connection("DependsOn", actions[0], actions[2])


async def test_an_open_ontology_takes_in_the_types_that_it_meets(agent: Agent):
    await agent.call("create_ontology", node_types=["Project"], connection_types=[], open=True)
    project, action = await agent.node("Project"), await agent.node("Action")
    await agent.connection("NextAction", project, action)
    ontology = await agent.call("get_ontology")
    assert ontology["node_types"] == ["Project", "Action"]
    standard = {kind.name for kind in load_ontology("standard").connection_types}
    assert [kind["name"] for kind in ontology["connection_types"] if kind["name"] not in standard] == ["NextAction"]


async def test_two_domains_know_nothing_of_each_other(gtd: Agent, agent: Agent, domain: str):
    other = agent.within(f"{domain}-other")
    await other.call("create_ontology", node_types=["Person"], connection_types=[])
    await other.call("add_node_type", type_name="Document")
    assert await gtd.call("get_ontology") == GTD
    assert (await other.error_of("create_node", type="Project", content="", format="md")).code is Code.INVALID_NODE_TYPE
