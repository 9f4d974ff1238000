"""Words of scripts without spaces are found as Neo4j's analyser has them, and scored by the domain's statistics."""

from __future__ import annotations

import pytest

from graph_memory import Memory, ontology_from

pytestmark = pytest.mark.anyio


@pytest.mark.long
async def test_japanese_and_chinese_are_found_by_their_words(memory: Memory) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    texts = {
        "tower": "東京タワーは高いです。",
        "kyoto": "京都は静かな町です。",
        "tea": "我喜欢喝绿茶。",
        "cafe": "Ein Café in Köln.",
    }
    for name, text in texts.items():
        await memory.create_node("Note", text, id=name)
    for question, best in (
        ("東京", "tower"),
        ("タワー", "tower"),
        ("京都", "kyoto"),
        ("绿茶", "tea"),
        ("köln café", "cafe"),
    ):
        result = await memory.recall.search_memories(
            question, search_mode="lexical", include_relevance_explanation=True
        )
        first = result.hits[0]
        assert first.id == best, (question, result)
        part = next(part for part in first.explanation or () if part.name == "lexical")
        assert part.detail["passage"], part
