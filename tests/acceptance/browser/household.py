"""A household's memory of some hundred varied nodes. `python household.py DOMAIN [PEOPLE]` stores it."""

from __future__ import annotations

import base64
import random
import sys
from typing import Any

import anyio

from graph_memory import Memory, Settings, open_memory
from graph_memory.model.events import Origin
from graph_memory.operations.table import OPERATIONS

HOSTILE_TITLE = "<script>window.harmed = 1</script>"
HOSTILE_TEXT = """# Notes of a stranger

<img src=x onerror="window.harmed = 1"> and <script>window.harmed = 1</script>

[Click](javascript:window.harmed=1) or [read](https://example.org/page).
"""
RECIPE = """# Sourdough

Feed the starter **twice** a day, and keep it at *24 °C*.

1. Mix flour and water
2. Rest for 40 minutes
3. Fold every `30 min`

| Flour | Water |
|---|---|
| 500 g | 350 g |

> Patience is the main ingredient.

See [the long version](https://example.org/sourdough).
"""
SQUARES = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="20" height="20" fill="#4a7"/></svg>'
NODE_TYPES = ["Project", "Task", "Person", "Note", "Place", "Document"]
CONNECTION_TYPES: list[dict[str, Any]] = [
    {"name": "WorksOn", "inverse": "HasMember", "from_types": ["Person"], "to_types": ["Project"]},
    {"name": "PartOf", "inverse": "Contains", "from_types": ["Task"], "to_types": ["Project"]},
    {"name": "Knows", "symmetric": True, "from_types": ["Person"], "to_types": ["Person"]},
    {"name": "Mentions", "from_types": ["Note", "Document"], "to_types": ["Person", "Project", "Place"]},
    {"name": "LocatedIn", "from_types": ["Project", "Person"], "to_types": ["Place"]},
    {"name": "contradicts", "symmetric": True, "from_types": ["Note"], "to_types": ["Note"]},
]
FIRST = [
    "Anna",
    "Bela",
    "Carl",
    "Dina",
    "Emil",
    "Fina",
    "Gero",
    "Hana",
    "Ivan",
    "Jana",
    "Karl",
    "Lena",
    "Marc",
    "Nora",
    "Otto",
    "Pia",
    "Quin",
    "Rosa",
    "Sven",
    "Tara",
]
LAST = [
    "Berg",
    "Falk",
    "Graf",
    "Hahn",
    "Keller",
    "Lang",
    "Moser",
    "Novak",
    "Ott",
    "Peters",
    "Roth",
    "Sauer",
    "Thoma",
    "Vogt",
    "Weiss",
]


class Writer:
    """Calls operations in one domain."""

    def __init__(self, memory: Memory, domain: str) -> None:
        self._memory, self._domain = memory, domain

    async def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Call an operation, and return its result."""
        run = OPERATIONS[name].bind({"domain": self._domain, **arguments})
        return (await run(self._memory)).to_dict()

    async def node(self, type_: str, title: str, content: str = "", **arguments: Any) -> str:
        """Create a node, and return its id."""
        created = await self.call("create_node", type=type_, title=title, content=content or title, **arguments)
        return created["node_id"]

    async def connect(self, type_: str, start: str, end: str, strength: float | None = None) -> None:
        """Connect two nodes."""
        weight = {} if strength is None else {"strength": strength}
        await self.call("create_connection", type=type_, from_node_id=start, to_node_id=end, **weight)


async def fill(memory: Memory, domain: str, people: int = 60) -> dict[str, str]:
    """Store the household, and return the ids of the nodes that tests name."""
    writer, chance = Writer(memory, domain), random.Random(7)
    await writer.call("create_ontology", node_types=NODE_TYPES, connection_types=CONNECTION_TYPES)
    places = [await writer.node("Place", name) for name in ("Vienna", "Graz", "Linz", "Kitchen", "Workshop")]
    projects = [
        await writer.node("Project", f"Renovate the {room}", properties={"priority": number}, tags=["home"])
        for number, room in enumerate(("kitchen", "attic", "bathroom", "garage", "garden", "hall"), start=1)
    ]
    persons: list[str] = []
    for number in range(people):
        name = f"{FIRST[number % len(FIRST)]} {LAST[(number * 7 + number // len(FIRST)) % len(LAST)]}"
        persons.append(await writer.node("Person", name, path=f"/people/{name[0].lower()}"))
        await writer.connect("WorksOn", persons[-1], projects[0] if number % 3 else chance.choice(projects))
        await writer.connect("LocatedIn", persons[-1], chance.choice(places))
        if number:
            await writer.connect("Knows", persons[-1], chance.choice(persons[:-1]), chance.random())
    for number in range(people):
        task = await writer.node("Task", f"Task {number}: {chance.choice(('order', 'paint', 'measure'))} the tiles")
        await writer.connect("PartOf", task, chance.choice(projects))
    return await _documents(writer, projects, persons) | await _facts(writer)


async def _documents(writer: Writer, projects: list[str], persons: list[str]) -> dict[str, str]:
    recipe = await writer.node("Document", "Sourdough recipe", RECIPE, format="markdown", tags=["food", "bread"])
    for person in persons[:5]:
        await writer.connect("Mentions", recipe, person)
    hostile = await writer.node("Note", HOSTILE_TITLE, HOSTILE_TEXT, format="markdown", tags=["<b>bold</b>"])
    await writer.node(
        "Document", "Settings of the oven", '{"heat": 230, "steam": true, "phases": [20, 25]}', format="json"
    )
    picture = base64.b64encode(SQUARES.encode()).decode()
    await writer.node("Document", "Plan of the attic", picture, format="svg", encoding="base64")
    north, south = await writer.node("Note", "The bed stands north"), await writer.node("Note", "The bed stands south")
    await writer.connect("contradicts", north, south)
    await writer.call("update_node", node_id=recipe, content=RECIPE.replace("24 °C", "26 °C"))
    return {"recipe": recipe, "hostile": hostile, "project": projects[0], "person": persons[0]}


async def _facts(writer: Writer) -> dict[str, str]:
    for entity, facts in {
        "Mira": ["lives in Vienna", "plays the cello", "is allergic to walnuts"],
        "Oskar": ["works at the observatory", "drives an old van"],
    }.items():
        await writer.call("remember", name=entity, observations=facts, type="Person")
    await writer.call("remember", name="Mira", observations=["lives in Graz"])
    await writer.call("set_goal", description="Finish the kitchen before winter", priority=1, deadline="2027-01-15",
                      steps=["Order the tiles", "Lay the floor", "Paint the walls"])  # fmt: skip
    await writer.call("set_goal", description="Bake without a recipe", priority=2)
    return {}


async def main(domain: str, people: int) -> None:
    """Store the household in a domain of the memory of the settings, in three sessions."""
    async with open_memory(Settings(), origin=Origin(actor="claude", session="planning")) as memory:
        ids = await fill(memory, domain, people)
    async with open_memory(Settings(), origin=Origin(actor="gpt", session="evening", source="agent")) as memory:
        writer = Writer(memory, domain)
        await writer.call("update_node", node_id=ids["project"], title="Renovate the whole kitchen")
        await writer.call("remember", name="Oskar", observations=["sold the old van"])


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], int((*sys.argv, "60")[2]))
