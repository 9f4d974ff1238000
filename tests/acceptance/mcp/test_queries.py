"""Finding nodes and connections by type, properties and neighbourhood."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from acceptance.agents import GTD, Agent
from tables import for_rows

pytestmark = pytest.mark.anyio

VALUES: list[Any] = [
    True,
    False,
    1,
    0,
    1.5,
    "1",
    "true",
    "True",
    "",
    "0",
    2**53,
    2**53 + 1,
    -(2**63),
    "é",
    "e\u0301",
    "É",
]
EQUAL: dict[Any, Any] = {1: 1.0, 0: -0.0, 2**53: float(2**53), -(2**63): float(-(2**63)), 1.5: 1.5}
"""Numbers and the floating-point numbers of the same value."""


def same(value: object, other: object) -> bool:
    """The rule of the specification: numbers by value, all else by type and value."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    return value == other


@pytest.fixture(params=["plain", "indexed", "unique"])
async def agent_with_values(agent: Agent, request: pytest.FixtureRequest) -> Agent:
    """An agent in a domain whose Projects have the property `value`, found by index or without."""
    rules = {} if request.param == "plain" else {"properties": [{"name": "value", request.param: True}]}
    await agent.call("create_ontology", node_types=[{"name": "Project", **rules}], connection_types=[])
    return agent


async def test_values_are_compared_with_their_types(agent_with_values: Agent):
    nodes = [await agent_with_values.node("Project", properties={"value": value}) for value in VALUES]
    sought = [*VALUES, *EQUAL.values(), 1e300, "nowhere", 2**63 - 1]
    for value in sought:
        expected = sorted(node for node, stored in zip(nodes, VALUES, strict=True) if same(stored, value))
        for where in ({"type": "Project"}, {}):
            results = await agent_with_values.ids_of("query_nodes", **where, properties={"value": value})
            assert results == expected, f"{value!r} {where}"


async def test_values_of_connections_are_compared_with_their_types(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    values = [True, 1, "1", "true", 0.5]
    made = [await gtd.connection("NextAction", project, action, properties={"value": value}) for value in values]
    for value in (*values, 1.0, False, "True"):
        expected = sorted(text for text, stored in zip(made, values, strict=True) if same(stored, value))
        for where in ({}, {"type": "NextAction"}, {"from_node_id": project}, {"to_node_id": action}):
            assert await gtd.ids_of("query_connections", **where, properties={"value": value}) == expected


async def test_without_filters_everything_in_the_domain_is_found(gtd: Agent, elsewhere: Agent):
    nodes = [await gtd.node(kind) for kind in ("Project", "Action", "Person")]
    await elsewhere.node("Project")
    connection = await gtd.connection("NextAction", nodes[0], nodes[1])
    for filters in ({}, {"properties": {}}, {"properties": None, "type": None}):
        assert await gtd.ids_of("query_nodes", **filters) == sorted(nodes)
        assert await gtd.ids_of("query_connections", **filters) == [connection]
    assert await gtd.ids_of("query_nodes", type="Action") == [nodes[1]]
    assert await gtd.ids_of("query_nodes", type="Context") == []


async def test_what_was_updated_is_found_by_its_new_values_only(agent_with_values: Agent):
    node = await agent_with_values.node("Project", properties={"value": "old", "other": 1})
    await agent_with_values.call("update_node", node_id=node, properties={"value": "new"})
    assert await agent_with_values.ids_of("query_nodes", type="Project", properties={"value": "old"}) == []
    assert await agent_with_values.ids_of("query_nodes", type="Project", properties={"value": "new", "other": 1.0}) == [
        node
    ]
    await agent_with_values.call("delete_node", node_id=node)
    assert await agent_with_values.ids_of("query_nodes", type="Project", properties={"value": "new"}) == []


async def test_connections_are_found_by_every_combination_of_filters(gtd: Agent):
    projects = [await gtd.node("Project") for _ in range(2)]
    actions = [await gtd.node("Action") for _ in range(2)]
    made: dict[str, dict[str, Any]] = {}
    for source in projects:
        for target in actions:
            for kind in ("NextAction", "DependsOn"):
                for rank in (1, 2):
                    connection = await gtd.connection(kind, source, target, properties={"rank": rank, "more": True})
                    made[connection] = {"from_node_id": source, "to_node_id": target, "type": kind, "rank": rank}

    for chosen in range(16):
        filters: dict[str, Any] = {
            "from_node_id": projects[0],
            "to_node_id": actions[1],
            "type": "DependsOn",
            "rank": 2,
        }
        filters = {name: value for bit, (name, value) in enumerate(filters.items()) if chosen & 1 << bit}
        expected = sorted(name for name, facts in made.items() if filters.items() <= facts.items())
        rank = filters.pop("rank", None)
        arguments = filters if rank is None else {**filters, "properties": {"rank": rank}}
        assert await gtd.ids_of("query_connections", **arguments) == expected, arguments


async def test_the_ends_of_a_connection_are_not_confused(gtd: Agent):
    text, other = await gtd.node("Action"), await gtd.node("Action")
    forth, back = await gtd.connection("DependsOn", text, other), await gtd.connection("DependsOn", other, text)
    assert await gtd.ids_of("query_connections", from_node_id=text) == [forth]
    assert await gtd.ids_of("query_connections", to_node_id=text) == [back]
    assert await gtd.ids_of("query_connections", from_node_id=text, to_node_id=other) == [forth]
    assert await gtd.ids_of("query_connections", from_node_id=text, to_node_id=text) == []


async def test_connected_nodes_are_found_in_the_direction_asked_for(gtd: Agent):
    before, middle, after = [await gtd.node("Action") for _ in range(3)]
    project = await gtd.node("Project")
    await gtd.connection("DependsOn", before, middle)
    await gtd.connection("DependsOn", middle, after)
    await gtd.connection("NextAction", project, middle)

    async def neighbours_of(node: str, direction: str, **rest: Any) -> list[str]:
        return await gtd.ids_of("get_connected_nodes", node_id=node, direction=direction, **rest)

    assert await neighbours_of(middle, "out") == [after]
    assert await neighbours_of(middle, "in") == sorted([before, project])
    assert await neighbours_of(middle, "both") == sorted([before, project, after])
    assert await neighbours_of(middle, "both", connection_type="DependsOn") == sorted([before, after])
    assert await neighbours_of(middle, "in", connection_type="NextAction") == [project]
    assert await neighbours_of(middle, "out", connection_type="NextAction") == []
    assert await neighbours_of(after, "out") == []
    assert await neighbours_of(after, "both") == [middle]
    assert await neighbours_of(project, "in") == []


async def test_a_node_that_is_connected_in_several_ways_is_found_once(gtd: Agent):
    project, action = await gtd.node("Project"), await gtd.node("Action")
    await gtd.connection("NextAction", project, action)
    await gtd.connection("NextAction", project, action)
    await gtd.connection("DependsOn", project, action)
    await gtd.connection("DependsOn", action, project)
    for direction in ("out", "in", "both"):
        context = {"direction": direction}
        assert await gtd.call("get_connected_nodes", node_id=project, **context) == {"node_ids": [action]}
        assert await gtd.call("get_connected_nodes", node_id=action, **context) == {"node_ids": [project]}


async def test_one_call_tells_what_hangs_on_a_project(gtd: Agent):
    project, action, person = await gtd.node("Project"), await gtd.node("Action", "# Call"), await gtd.node("Person")
    next_action = await gtd.connection("NextAction", project, action)
    since = {"since": "2025-10-31", "follow_up_date": "2025-11-07"}
    waiting = await gtd.connection("WaitingFor", project, person, properties=since)
    rendered = await gtd.call("get_connected_nodes", node_id=project, direction="out", detail=True)
    assert rendered["node_ids"] == [node["id"] for node in rendered["nodes"]]
    assert {node["id"]: (node["type"], node["connections"]) for node in rendered["nodes"]} == {
        action: ("Action", [{"id": next_action, "type": "NextAction", "direction": "out"}]),
        person: ("Person", [{"id": waiting, "type": "WaitingFor", "direction": "out"}]),
    }
    assert {node["title"] for node in rendered["nodes"] if node["id"] == action} == {"Call"}


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # the tokenizer loads its words so
async def test_what_hangs_on_a_project_takes_two_calls_and_few_tokens(gtd: Agent):
    """With bare ids it took twelve calls and 1,291 tokens."""
    import bpe_openai

    project = await gtd.node("Project", "# Kitchen renovation\n\nA new kitchen by June.")
    for kind, title, link in (
        ("Action", "# Call the contractor", "NextAction"),
        ("Action", "# Choose tiles", "NextAction"),
        ("Person", "# Anna Anderson", "WaitingFor"),
    ):
        since = {"since": "2025-10-31", "follow_up_date": "2025-11-07"} if link == "WaitingFor" else {}
        await gtd.connection(link, project, await gtd.node(kind, title), properties=since)
    results: list[Any] = []

    async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await gtd.call(tool, **arguments)
        results.extend([{"name": tool, "arguments": arguments}, answer])
        return answer

    [result] = (await ask("query_nodes", type="Project", detail=True))["nodes"]
    context = await ask("get_connected_nodes", node_id=result["id"], direction="both", detail=True)
    assert result["title"] == "Kitchen renovation"
    assert {(node["type"], node["title"], node["connections"][0]["type"]) for node in context["nodes"]} == {
        ("Action", "Call the contractor", "NextAction"),
        ("Action", "Choose tiles", "NextAction"),
        ("Person", "Anna Anderson", "WaitingFor"),
    }
    text = json.dumps(results, separators=(",", ":"), ensure_ascii=False)
    tokens = len(bpe_openai.get_encoding("o200k_base").encode(text))
    assert tokens < 450


async def test_a_node_without_connections_stands_alone(gtd: Agent):
    node = await gtd.node()
    for direction in ("out", "in", "both"):
        assert await gtd.call("get_connected_nodes", node_id=node, direction=direction) == {"node_ids": []}
    await gtd.call("delete_node", node_id=node)
    assert await gtd.call("query_nodes") == {"node_ids": []}


@dataclass(frozen=True)
class Hub:
    """A domain with a project that has seven next actions, all of which mention a word."""

    agent: Agent
    project: str


@pytest.fixture(scope="module")
async def hub(server: Agent) -> Hub:
    agent = server.within(f"hub-{uuid4().hex[:20]}")
    await agent.call("create_ontology", **GTD)
    project = await agent.node("Project", "hub")
    for _ in range(7):
        action = await agent.node("Action", "the word")
        await agent.connection("NextAction", project, action, properties={"a": 1})
    return Hub(agent, project)


LISTS: list[tuple[str, dict[str, Any]]] = [
    ("query_nodes", {"type": "Action"}),
    ("query_connections", {}),
    ("query_connections", {"properties": {"a": 1}}),
    ("query_connections", {"from_node_id": "hub"}),
    ("get_connected_nodes", {"node_id": "hub", "direction": "both"}),
    ("search_content", {"query": "the word"}),
    ("search_content", {"query": "w"}),
]


@for_rows(("tool", "arguments"), LISTS)
@for_rows("limit", [2, 6, 7])
async def test_a_list_can_be_had_page_by_page(hub: Hub, tool: str, arguments: dict[str, Any], limit: int):
    arguments = {name: hub.project if value == "hub" else value for name, value in arguments.items()}
    everything = await hub.agent.ids_of(tool, **arguments)
    assert len(everything) == 7

    pages = await hub.agent.pages(tool, **arguments, limit=limit)

    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert 0 < len(pages[-1]) <= limit
    assert sorted(text for page in pages for text in page) == everything
