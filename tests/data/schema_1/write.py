"""How `neo4j.dump` was made: run with graph-memory at commit 930c492, the last that had schema step 1 only.

`neo4j-admin database dump neo4j` of the home's stopped Neo4j then gave the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from graph_memory import NodeType, Settings, ontology_from, open_memory

ONTOLOGY = {
    "node_types": [
        {"name": "Project", "properties": {"status": {"indexed": True}, "code": {"unique": True}}},
        "Action",
        "Note",
    ],
    "connection_types": [
        {"name": "NextAction", "from": ["Project"], "to": ["Action"]},
        {"name": "DependsOn", "from": ["Action"], "to": ["Action"], "acyclic": True},
    ],
}


async def write(home: str) -> None:
    """Write 21 changes of every kind into the domain `kitchen`."""
    async with open_memory(Settings(home=Path(home), domain="kitchen")) as memory:
        await memory.create_ontology(ontology_from(ONTOLOGY))
        await memory.create_node(
            "Project",
            "# Kitchen Renovation\n\nModern FARMHOUSE style, straße.",
            properties={"status": "active", "code": 7},
            tags=["home"],
            path="home/kitchen",
            id="kitchen",
        )
        phone = {"context": "phone", "priority": 1.5, "done": False}
        await memory.create_node("Action", "# Call contractor", properties=phone, id="call")
        await memory.create_node("Action", "# Research sinks", id="research")
        await memory.create_node("Note", "aGVsbG8=", encoding="base64", id="binary")
        await memory.create_node("Note", "# Gone\n\nneedle that is gone", id="gone")
        await memory.create_node("Note", "long words and a needle in it. " * 120, id="long")
        since = {"since": "2026-11-01"}
        await memory.create_connection(
            "NextAction", "kitchen", "call", properties=since, content="first things first", id="next1"
        )
        await memory.create_connection("NextAction", "kitchen", "research", id="next2")
        await memory.create_connection("DependsOn", "call", "research", id="depends")
        text = "# Kitchen Renovation\n\nNow with a needle."
        await memory.update_node("kitchen", properties={"status": "waiting"}, content=text, encoding="utf-8")
        await memory.update_connection("next1", properties={"since": "2026-11-02"})
        await memory.delete_node("gone")
        await memory.delete_connection("next2")
        await memory.add_node_type(NodeType("Person", description="Somebody"))


if __name__ == "__main__":
    anyio.run(write, sys.argv[1])
