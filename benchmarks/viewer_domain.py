"""The domain in which the viewer is measured: groups of nodes around hubs, entities with facts, and goals."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.graph import fresh, index, say
from graph_memory import Memory, ontology_from
from graph_memory.operations.table import OPERATIONS

ENTITIES = 0.1
"""The share of the nodes that are entities with facts. The others are loaded as a graph."""
CONNECTIONS = 2.5
"""Connections per node."""
SINGLE_GROUPS = 1_800
"""Number of groups without connections to other groups, at 100,000 nodes."""
SINGLE_SIZE, CORE_SIZE = 20, 50
"""Nodes of a group without connections to other groups, and of the other groups."""
SUPER_HUBS = 10
"""Nodes to which half of the connections between groups lead."""
TYPES = ("Person", "Project", "Task", "Note", "Place", "Document")
ENTITY, RELATION = "Item", "needs"
CONNECTION_TYPES = ("WorksOn", "PartOf", "Knows", "Mentions")
WORDS = "kitchen attic garden budget tiles window plumber quote floor paint order plan roof light cable".split()
ONTOLOGY = ontology_from(
    {
        "node_types": [*TYPES, ENTITY],
        "connection_types": [
            *({"name": name, "from": ["*"], "to": ["*"]} for name in (*CONNECTION_TYPES, RELATION)),
            {"name": "contradicts", "symmetric": True, "from": ["*"], "to": ["*"]},
        ],
    }
)


@dataclass(frozen=True)
class Plan:
    """Which nodes the domain has, and how they are connected. The first node of each group is its hub."""

    size: int

    @property
    def entities(self) -> int:
        """The number of entities."""
        return int(self.size * ENTITIES)

    @property
    def loaded(self) -> int:
        """The number of other nodes."""
        return self.size - self.entities

    @property
    def _single(self) -> int:
        """The number of groups without connections to other groups."""
        return SINGLE_GROUPS * self.size // 100_000

    @property
    def groups(self) -> list[range]:
        """The places of the nodes of each group. Groups that are connected with others are first."""
        core = self.loaded - self._single * SINGLE_SIZE
        starts = [*range(0, core, CORE_SIZE)]
        connected = [range(start, min(start + CORE_SIZE, core)) for start in starts]
        return [*connected, *(range(start, start + SINGLE_SIZE) for start in range(core, self.loaded, SINGLE_SIZE))]

    def connections(self) -> Iterator[tuple[int, int]]:
        """Yield the ends of all connections: from hubs, within groups, and between groups."""
        random, groups, left = Random(self.size), self.groups, int(self.size * CONNECTIONS) - self.entities
        core = groups[: len(groups) - self._single]
        for group in groups:
            yield from ((group[0], node) for node in group[1:])
            yield from (_two(random, group) for _ in group)
            left -= 2 * len(group) - 1
        for number in range(left):
            first, last = random.choice(core), random.choice(core)
            super_hub = core[number // 2 % min(SUPER_HUBS, len(core))][0]
            yield random.choice(first), super_hub if number % 2 else random.choice(last)


def _two(random: Random, group: range) -> tuple[int, int]:
    first, last = random.sample(group, 2)
    return first, last


def node_id(place: int) -> str:
    """Return the id of the loaded node at a place."""
    return f"n{place:06}"


async def fill_domain(memory: Memory, size: int) -> Memory:
    """Return the memory of the domain, which is the domain named by VIEWER_DOMAIN, or else a new domain."""
    if known := os.environ.get("VIEWER_DOMAIN"):
        return memory.in_domain(known)
    domain, plan = fresh(f"bench-viewer-{size}-"), Plan(size)
    home = memory.in_domain(domain)
    with TemporaryDirectory() as folder:
        graph, entities = Path(folder, "graph.jsonl"), Path(folder, "memory.jsonl")
        graph.write_text("".join(f"{json.dumps(line)}\n" for line in _graph_lines(plan)), "utf-8")  # noqa: ASYNC240
        entities.write_text("".join(f"{json.dumps(line)}\n" for line in _entity_lines(plan)), "utf-8")  # noqa: ASYNC240
        say(f"loading {plan.loaded:,} nodes")
        await home.transfer.load(graph, ontology=ONTOLOGY)
        say(f"importing {plan.entities:,} entities")
        await home.transfer.import_memory(entities)
    await _add_goals_and_contradictions(home)
    say("indexing")
    await index(memory, domain)
    return home


def _graph_lines(plan: Plan) -> Iterator[object]:
    random = Random(1)
    for place in range(plan.loaded):
        title = f"{random.choice(WORDS).title()} {place}: {' '.join(random.sample(WORDS, 3))}"
        content = f"{title}. {' '.join(random.choices(WORDS, k=20))}"
        yield {"node": {"id": node_id(place), "type": TYPES[place % len(TYPES)], "title": title, "content": content}}
    for number, (start, end) in enumerate(plan.connections()):
        kind = CONNECTION_TYPES[number % len(CONNECTION_TYPES)]
        strength = round(random.random(), 2)
        yield {"connection": {"type": kind, "from": node_id(start), "to": node_id(end), "strength": strength}}


def _entity_lines(plan: Plan) -> Iterator[object]:
    random = Random(2)
    names = [f"{random.choice(WORDS).title()}{number} {random.choice(WORDS)}" for number in range(plan.entities)]
    for number, name in enumerate(names):
        facts = [f"fact {number}: needs the {random.choice(WORDS)} before the {random.choice(WORDS)}"]
        yield {"type": "entity", "name": name, "entityType": ENTITY, "observations": facts}
    for number, name in enumerate(names):
        other = names[(number * 7919 + 13) % len(names)]
        yield {"type": "relation", "from": name, "to": other, "relationType": RELATION}


async def _add_goals_and_contradictions(home: Memory) -> None:
    for number in range(5):
        goal = {"description": f"Finish room {number}", "steps": ["Order the tiles", "Lay the floor"]}
        await OPERATIONS["set_goal"].bind(goal)(home)
        await home.create_connection("contradicts", node_id(2 * number + 1), node_id(2 * number + 2))
