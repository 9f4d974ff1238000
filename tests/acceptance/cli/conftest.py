"""Fixtures that the tests of the commands share."""

from __future__ import annotations

import pytest

from graph_memory import Memory, ontology_from


@pytest.fixture
async def kitchen(memory: Memory) -> Memory:
    """A memory with a node `call` whose status was changed."""
    await memory.create_ontology(ontology_from({"node_types": ["Action"], "connection_types": []}))
    await memory.create_node("Action", "# Call", properties={"status": "next"}, id="call")
    await memory.update_node("call", properties={"status": "done"})
    return memory
