"""An agent that had the official server, and the file that this server wrote: one line of its configuration changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.agents import serve_agent
from graph_memory import Memory
from graph_memory.model.errors import Code
from integration.transfer.test_import_memory import lines, memory_of

pytestmark = pytest.mark.anyio


@pytest.mark.long
async def test_the_official_servers_file_is_there_at_the_first_start_and_is_not_read_again_later(
    memory: Memory, environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    graph = memory_of(60)
    file = tmp_path / "memory.jsonl"
    file.write_text(lines(graph))
    results = {**environment, "MEMORY_FILE_PATH": f"'file://{file}'", "GRAPH_MEMORY_DOMAIN": domain}
    async with serve_agent(results, "--toolsets", "entities") as agent:
        assert await agent.call("read_graph") == graph
    await memory.entities.create_entities([{"name": "new"}])
    file.write_text("damaged")
    async with serve_agent(results, "--toolsets", "entities") as agent:
        assert len((await agent.call("read_graph"))["entities"]) == 61
    assert file.read_text() == "damaged"


@pytest.mark.long
async def test_a_damaged_file_is_told_by_every_call_until_it_is_corrected(
    environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(lines(memory_of(10)) + "\n{")
    results = {**environment, "MEMORY_FILE_PATH": str(file), "GRAPH_MEMORY_DOMAIN": domain}
    async with serve_agent(results) as agent:
        error = await agent.error_of("get_ontology")
        assert error.code is Code.INVALID_SOURCE
        assert "memory.jsonl:22" in str(error)
        file.write_text(lines(memory_of(10)))
        assert (await agent.call("get_ontology"))["node_types"] is not None
