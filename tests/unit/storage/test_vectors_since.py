"""A server whose vector index does not filter gets none, and search says why."""

from __future__ import annotations

import pytest

from graph_memory.app import _choose_embedder
from graph_memory.embedding import EmbeddingUnavailable
from graph_memory.settings import Settings
from graph_memory.storage.schema import is_supported, steps
from graph_memory.storage.schema_check import statements_of_steps

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("version", "left_out"), [("2025.12.1", 1), ("2026.01.0", 0), ("2026.08.1", 0)])
def test_only_the_vector_index_is_left_out(version: str, left_out: int) -> None:
    statements = [statement for step in steps() for statement in step.statements]
    assert sum(not is_supported(statement, version) for statement in statements) == left_out
    assert sum(not is_supported(statement, version) for statement in statements_of_steps().values()) == left_out


async def test_search_is_told_why_there_are_no_vectors() -> None:
    embedder = _choose_embedder(Settings(), "2025.12.1")
    assert embedder is not None
    with pytest.raises(EmbeddingUnavailable) as refused:
        await embedder.query("x")
    assert "Neo4j 2025.12.1 is older than 2026.01" in refused.value.message
    assert "2026.01 or newer" in refused.value.hint
    assert _choose_embedder(Settings(embeddings="off"), "2025.12.1") is None
