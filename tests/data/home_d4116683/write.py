"""How `neo4j.dump` was made: run with graph-memory at commit d4116683, with the path of a new home.

`neo4j-admin database dump neo4j` of the home's stopped Neo4j then gave the file.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import anyio

from graph_memory import Settings, load_ontology, open_memory
from graph_memory.memory.api.memory import Memory


async def write(home: str) -> None:
    """Write a memory of each kind of subject into the domain `shop`, a branch of it and the domain `gtd`."""
    async with open_memory(Settings(home=Path(home), domain="shop")) as memory:
        memory = memory.acting_as("lena", "spring")
        await _remember_languages(memory)
        await _write_entities(memory)
        await _write_graph(memory.in_domain("gtd"))
        await memory.history.branch("shop/trial")
        await memory.in_domain("shop/trial").entities.remember(name="Ada", observations=["Ada tries oil paint."])
        await memory.recall.search_memories("oil")  # the words of all texts are in the index afterwards
        await memory.in_domain("gtd").recall.search_memories("tiles")


async def _remember_languages(memory: Memory) -> None:
    """Remember facts that the rule of names of that time attached to another entity."""
    entities = memory.entities
    await entities.remember(name="C", type="Language", observations=["C is a small language."])
    await entities.remember(name="C++", type="Language", observations=["C++ has templates."])
    await entities.remember(name="C#", type="Language", observations=["C# runs on .NET."])
    await entities.remember(name="my-service", type="Service", observations=["my-service listens on port 8080."])


async def _write_entities(memory: Memory) -> None:
    entities = memory.entities
    await entities.create_entities(
        [
            {"name": "Ada", "entityType": "Person", "observations": ["Ada lives in Rome.", "Ada paints."]},
            {"name": "Ben", "entityType": "Person", "observations": ["मैं हिंदी में किताब पढ़ता हूँ।"]},
            {"name": unicodedata.normalize("NFD", "Café Zoë"), "entityType": "Place", "observations": []},
        ]
    )
    await entities.create_relations([{"from": "Ada", "to": "Ben", "relationType": "knows"}])
    await entities.remember(name="Ada", observations=["Ada lives in Malmö."], replaces="Ada lives in Rome.")
    await entities.update_entity("Ada", aliases=["Ada Oak"])
    await entities.delete_observations([{"entityName": "Ada", "observations": ["Ada paints."]}])
    await entities.edit_block("human", "Lena owns the shop.")
    await entities.edit_block("Human", "Lena speaks Swedish.")
    await entities.session_end("Moved Ada to Malmö.")


async def _write_graph(memory: Memory) -> None:
    await memory.create_ontology(load_ontology("gtd"))
    await memory.create_node("Project", "# Kitchen", properties={"status": "active"}, id="kitchen")
    await memory.create_node("Action", "# Order tiles", properties={"status": "next"}, id="tiles")
    await memory.create_node("Person", "# Nora", id="nora")
    await memory.create_connection("NextAction", "kitchen", "tiles", id="next")
    await memory.protect(node_id="nora", reason="Do not lose her", can_be_unprotected_by=["lena"])
    [ada] = (await memory.in_domain("shop").query_nodes(type="Person", properties={"name": "Ada"})).node_ids
    await memory.links.create_cross_domain_link("kitchen", "shop", ada)


if __name__ == "__main__":
    anyio.run(write, sys.argv[1])
