"""`detail` of `open_nodes`: told in the text, while the schema of the official memory server holds for the rest."""

from __future__ import annotations

import json

import pytest
from mcp.types import TextContent

from graph_memory import GraphError
from graph_memory.mcp_server.official import written
from graph_memory.mcp_server.toolsets.entities import ENTITIES
from graph_memory.memory.entities.results import Entity, KnowledgeGraph
from unit.mcp_server.mcp_fakes import MOMENT, RecordingMemory

pytestmark = pytest.mark.anyio

PLAIN = {"name": "Ann", "entityType": "person", "observations": ["sings"]}
[OPEN] = [tool for tool in ENTITIES if tool.name == "open_nodes"]


async def test_detail_is_taken_where_it_is_true_and_is_no_part_of_what_the_schema_promises() -> None:
    told = KnowledgeGraph(entities=(Entity(**PLAIN, id="mem_1", created_at=MOMENT),)).to_dict()  # pyright: ignore
    answer = OPEN.answered(told)
    [text] = [part.text for part in answer.content if isinstance(part, TextContent)]
    assert json.loads(text)["entities"] == [{**PLAIN, "id": "mem_1", "created_at": "2025-10-31T10:00:00Z"}]
    assert answer.structured_content == {"entities": [PLAIN], "relations": []}
    plain = {"entities": [PLAIN], "relations": []}
    [same] = [part.text for part in OPEN.answered(plain).content if isinstance(part, TextContent)]
    assert same == written(plain)
    memory = RecordingMemory(open_nodes=KnowledgeGraph())
    memory.entities = memory
    for detail, wanted in ((True, True), (False, False)):
        await OPEN.bind({"names": ["Ann"], "detail": detail})(memory)
        assert memory.calls[-1] == ("open_nodes", (["Ann"],), {"detail": wanted})
    with pytest.raises(GraphError, match="detail must be true or false, not text"):
        await OPEN.bind({"names": ["Ann"], "detail": "yes"})(memory)
