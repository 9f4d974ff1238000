"""The graph read in parts: together they are the whole, also beside writes; and each is as large as asked for."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.mcp_server.table import tool_of
from graph_memory.memory.api.entities import Entities
from graph_memory.memory.entities import paging
from graph_memory.memory.entities.results import KnowledgeGraph
from graph_memory.memory.search.token_budget import tokens_of_text
from graph_memory.operations.toolsets import entities as toolset

pytestmark = pytest.mark.anyio


def entity_of(number: int) -> dict[str, Any]:
    texts = [f"is number {number} of them", "Größe " * (number % 9)]
    return {"name": f"thing {number}", "entityType": "thing", "observations": texts[: number % 3]}


async def fill(memory: Memory, count: int) -> None:
    await memory.entities.create_entities([entity_of(number) for number in range(count)])
    ends = [(0, 1), (1, 0), (2, 2), (count - 1, 0), ("nobody", 3), (4, "nobody"), ("nobody", "no one"), (5, "no one")]
    lines = [(f"thing {item}" if isinstance(item, int) else item for item in pair) for pair in ends]
    await memory.entities.create_relations([{"from": a, "to": b, "relationType": "to"} for a, b in lines])


async def parts(memory: Memory, **arguments: Any) -> list[KnowledgeGraph]:
    graphs = [await memory.entities.read_graph(**arguments)]
    while (cursor := graphs[-1].next_cursor) is not None:
        graphs.append(await memory.entities.read_graph(**arguments, cursor=cursor))
    return graphs


@pytest.mark.parametrize("much", [paging._READ_AT_ONCE_FROM, 1])
async def test_parts_are_together_the_whole(memory: Memory, monkeypatch: pytest.MonkeyPatch, much: int) -> None:
    monkeypatch.setattr(paging, "_READ_AT_ONCE_FROM", much)
    assert (await memory.entities.read_graph(limit=1)).entities == ()
    await fill(memory, 120)
    whole = await memory.entities.read_graph()
    assert whole.next_cursor is None
    for counts in (
        {"limit": 7},
        {"limit": 120},
        {"max_tokens": 700},
        {"max_tokens": 100_000},
        {"max_tokens": 300, "limit": 5},
    ):
        graphs = await parts(memory, **counts)
        assert [entity for part in graphs for entity in part.entities] == list(whole.entities)
        relations = [relation for part in graphs for relation in part.relations]
        assert sorted(map(str, relations)) == sorted(map(str, whole.relations))
        assert len(graphs) > 1 or relations == list(whole.relations)
        assert {len(part.entities) for part in graphs[:-1]} <= {counts.get("limit"), *range(1, 120)}
        if "max_tokens" in counts:
            sizes = [tokens_of_text(json.dumps(part.to_dict(), indent=2, ensure_ascii=False)) for part in graphs]
            assert max(sizes) <= counts["max_tokens"] + 60  # the relations that nothing known leads to are not weighed
    assert len(await parts(memory, limit=7)) == 18


async def test_a_part_goes_on_after_writes(memory: Memory) -> None:
    await fill(memory, 12)
    first = await memory.entities.read_graph(limit=5)
    await memory.entities.delete_entities(["thing 4", "thing 6"])
    await memory.entities.create_entities([{"name": "late"}])
    rest = await memory.entities.read_graph(cursor=first.next_cursor)
    names = [entity.name for entity in (*first.entities, *rest.entities)]
    assert names == [f"thing {number}" for number in range(12) if number != 6] + ["late"]


@pytest.mark.parametrize(
    "query",
    [{"cursor": "x"}, {"cursor": ""}, {"cursor": "after:1/2"}, {"limit": 0}, {"max_tokens": "9"}, {"max_tokens": 1}],
)
async def test_what_is_no_part_is_refused(memory: Memory, query: dict[str, Any]) -> None:
    with pytest.raises(GraphError) as refused:
        await memory.entities.read_graph(**query)
    assert refused.value.code is Code.INVALID_ARGUMENT


async def test_the_tool_tells_all_unless_that_is_very_much_and_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "_READ_AT_ONCE_FROM", 1)
    [tool] = [entity for entity in toolset.ENTITIES if entity.name == "read_graph"]
    await fill(memory, 30)

    async def answer(**arguments: object) -> Any:
        result = tool_of(tool).render_result((await tool.bind(arguments)(memory)).to_dict())
        assert json.loads(result.content[0].text) == result.structured_content
        assert result.structured_content.keys() == {"entities", "relations"}
        return result

    whole = (await memory.entities.read_graph()).to_dict()
    assert (await answer(extra=1)).structured_content == whole
    assert len((await answer()).content) == 1
    part = await answer(limit=3)
    assert (len(part.structured_content["entities"]), len(part.content)) == (3, 2)
    assert '"cursor": "' in part.content[1].text
    monkeypatch.setattr(Entities, "read_graph_tokens", 600)
    cut = await answer()
    assert 3 < len(cut.structured_content["entities"]) < 30
    assert len(cut.content) == 2
    goes_on = json.loads(re.findall(r"{.*?}", cut.content[1].text)[0])
    for value in (goes_on, {**goes_on, "max_tokens": None, "limit": 20}):
        more = await answer(**value)
        assert 3 < len(more.structured_content["entities"]) < 20
        assert len(more.content) == 2
    monkeypatch.setattr(Entities, "read_graph_tokens", len(json.dumps(whole)) // 2)
    assert (await answer()).structured_content == whole
