"""Arguments beyond the official memory server's, and details that its schemas have no room for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.types import TextContent

from graph_memory import Code, GraphError
from graph_memory.mcp_server.official import pretty_json
from graph_memory.mcp_server.table import tool_of
from graph_memory.memory.entities.results import (
    Entity,
    EntityCreationResult,
    KnowledgeGraph,
    ObservationAdditionResult,
    RelationCreationResult,
)
from graph_memory.operations.toolsets.entities import ENTITIES
from unit.mcp_server.mcp_fakes import MOMENT, RecordingMemory

pytestmark = pytest.mark.anyio

PLAIN = {"name": "Ann", "entityType": "person", "observations": ["sings"]}
TOOLS = {tool.name: tool for tool in ENTITIES}
OPEN = TOOLS["open_nodes"]


async def test_detail_is_taken_where_it_is_true_and_is_no_part_of_what_the_schema_promises() -> None:
    rendered = KnowledgeGraph(entities=(Entity(**PLAIN, id="mem_1", created_at=MOMENT),)).to_dict()  # pyright: ignore
    answer = tool_of(OPEN).render_result(rendered)
    [text] = [part.text for part in answer.content if isinstance(part, TextContent)]
    assert json.loads(text)["entities"] == [{**PLAIN, "id": "mem_1", "created_at": "2025-10-31T10:00:00Z"}]
    assert answer.structured_content == {"entities": [PLAIN], "relations": []}
    plain = {"entities": [PLAIN], "relations": []}
    [same] = [part.text for part in tool_of(OPEN).render_result(plain).content if isinstance(part, TextContent)]
    assert same == pretty_json(plain)
    memory = RecordingMemory(open_nodes=KnowledgeGraph())
    for detail, wanted in ((True, True), (False, False)):
        await OPEN.bind({"names": ["Ann"], "detail": detail})(memory)
        assert memory.calls[-1] == ("open_nodes", (["Ann"],), {"detail": wanted})
    with pytest.raises(GraphError, match="detail must be true or false, not text"):
        await OPEN.bind({"names": ["Ann"], "detail": "yes"})(memory)


async def test_arguments_of_ours_are_read_as_those_of_every_other_tool() -> None:
    memory = RecordingMemory(read_graph=KnowledgeGraph(), open_nodes=KnowledgeGraph())
    await TOOLS["read_graph"].bind({"max_tokens": 1000.0, "cursor": "", "limit": None, "domain": ""})(memory)
    assert memory.calls[-1] == ("read_graph", (), {"max_tokens": 1000})
    assert type(memory.calls[-1][2]["max_tokens"]) is int
    await OPEN.bind({"names": [""], "detail": ""})(memory)
    assert memory.calls[-1] == ("open_nodes", ([""],), {"detail": False})


async def test_what_is_ours_is_kept_beside_the_official_spelling_and_all_else_is_dropped() -> None:
    arguments: dict[str, Any] = {"from": "Ann", "to": "Bob", "relationType": "knows"}
    relating, creating = TOOLS["create_relations"], TOOLS["create_entities"]
    memory = RecordingMemory(
        create_relations=RelationCreationResult(relations=()), create_entities=EntityCreationResult(entities=())
    )
    own = {**arguments, "properties": {"since": 2020}}
    await relating.bind({"relations": [{**own, "extra": 1}, arguments], "lenient": False, "properties": {}})(memory)
    assert memory.calls[-1] == ("create_relations", ([own, arguments],), {"lenient": False})
    await relating.bind({"relations": [arguments]})(memory)
    assert memory.calls[-1] == ("create_relations", ([arguments],), {"lenient": None})
    with pytest.raises(GraphError, match="lenient must be true or false, not text"):
        await relating.bind({"relations": [arguments], "lenient": "no"})(memory)
    described = {**PLAIN, "description": "A *singer*.", "properties": {"age": 3}}
    await creating.bind({"entities": [{**described, "extra": 1}], "description": "x"})(memory)
    assert memory.calls[-1] == ("create_entities", ([described],), {})


def test_where_the_official_server_has_no_such_error_the_hint_is_told() -> None:
    lacking = GraphError(Code.NODE_NOT_FOUND, "Entity with name An not found", {"hint": "Did you mean Ann?"})
    closed = GraphError(Code.INVALID_NODE_TYPE, "Node type x is not defined", {"hint": "Did you mean y?"})
    theirs: dict[str, Any] = {"observations": [{"entityName": "An", "contents": ["sings"]}]}
    ours: dict[str, Any] = {"entityName": "An", "observations": ["sings"]}

    def error_texts(tool: str, error: GraphError, arguments: dict[str, Any]) -> str:
        parts = tool_of(TOOLS[tool]).render_error(error, arguments).content
        return " | ".join(part.text for part in parts if isinstance(part, TextContent))

    assert error_texts("add_observations", lacking, theirs) == "Entity with name An not found | Did you mean Ann?"
    assert error_texts("add_observations", lacking, ours) == "Entity with name An not found\nHint: Did you mean Ann?"
    assert error_texts("create_relations", lacking, {}) == "Entity with name An not found\nHint: Did you mean Ann?"
    assert error_texts("create_entities", closed, {"entities": [PLAIN]}).endswith("\nHint: Did you mean y?")


async def test_a_domain_is_taken_in_both_spellings_as_by_every_other_tool() -> None:
    memory = RecordingMemory(open_nodes=KnowledgeGraph(), add_observations=ObservationAdditionResult(results=()))
    await OPEN.bind({"names": ["Ann"], "domain": "kitchen"})(memory)
    assert memory.calls[-1] == ("open_nodes", (["Ann"],), {"detail": False, "domain": "kitchen"})
    ours: dict[str, Any] = {"entityName": "Ann", "observations": ["sings"]}
    await TOOLS["add_observations"].bind({**ours, "domain": "kitchen"})(memory)
    assert memory.calls[-1] == ("add_observations", ([ours],), {"domain": "kitchen"})
    with pytest.raises(GraphError, match="domain must be text"):
        OPEN.bind({"names": ["Ann"], "domain": 5})
