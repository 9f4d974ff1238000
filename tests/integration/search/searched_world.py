"""A domain with three moments, and what a plain reading of its nodes says of each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from graph_memory import ontology_from
from graph_memory.memory.search.index.index import catch_up
from support import Conversation, last

TYPES, TAGS = ("Note", "Task", "Person"), ("red", "green", "deep blue", "🦊")
PATHS, NAMESPACES = ("/", "/a", "/a/b", "/ab", "/c"), ("default", "work", "home")
STATES = ("open", "closed")


@dataclass(frozen=True)
class Plain:
    """A node as a test knows it."""

    id: str
    type: str
    text: str
    tags: tuple[str, ...]
    path: str
    namespace: str
    status: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    created: datetime = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(repr=False)
class World:
    """The nodes and the ends and weights of connections at each of several numbers of the log."""

    talk: Conversation
    domain: str
    seqs: list[int] = field(default_factory=list[int])
    nodes: list[dict[str, Plain]] = field(default_factory=list[dict[str, Plain]])
    edges: list[dict[str, tuple[str, str, float]]] = field(default_factory=list[dict[str, tuple[str, str, float]]])

    def call(self, method: Any, *args: Any, **arguments: Any) -> Any:
        async def run() -> Any:
            return await method(*args, domain=self.domain, **arguments)

        return self.talk.portal.call(run)

    def end(self) -> int:
        async def run() -> int:
            return await last(self.talk.memory.in_domain(self.domain))

        return self.talk.portal.call(run)

    def matching(self, moment: int, filters: Mapping[str, Any], valid_at: datetime | None = None) -> set[str]:
        """The ids that filters leave, read plainly."""
        results = {node.id for node in self.nodes[moment].values() if _takes(node, filters, valid_at)}
        if (least := filters.get("min_edge_count")) or filters.get("min_strength"):
            counts = dict.fromkeys(results, 0)
            for text, other, weight in self.edges[moment].values():
                if weight >= filters.get("min_strength", 0.0):
                    for node in {text, other} & results:
                        counts[node] += 1
            results = {node for node, count in counts.items() if count >= (least or 1)}
        return results


def _takes(node: Plain, filters: Mapping[str, Any], valid_at: datetime | None) -> bool:
    types: Sequence[str] = filters.get("node_types", ())
    return (
        (not types or node.type in types)
        and set(filters.get("tags", ())) <= set(node.tags)
        and node.path.startswith(filters.get("path_prefix", ""))
        and filters.get("namespace", node.namespace) == node.namespace
        and filters.get("properties", {}).get("status", node.status) == node.status
        and filters.get("created_after", node.created) <= node.created
        and ("created_before" not in filters or node.created < filters["created_before"])
        and (
            valid_at is None
            or (
                (node.valid_from is None or node.valid_from <= valid_at)
                and (node.valid_to is None or node.valid_to > valid_at)
            )
        )
    )


def made_world(talk: Conversation, size: int = 60) -> Iterator[World]:
    """Give a domain of so many nodes that all have the word `apple`, as it was at three moments."""
    world = World(talk, f"test-{uuid4().hex[:20]}")
    memory, dice = talk.memory, random.Random(5)
    ontology = {"node_types": list(TYPES), "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
    world.call(memory.create_ontology, ontology_from(ontology))
    nodes: dict[str, Plain] = {}
    edges: dict[str, tuple[str, str, float]] = {}
    for moment in range(3):
        for number in range(size // 3):
            _create(world, nodes, dice, f"n{moment}{number:03}")
        for node in list(nodes.values())[: 8 * moment]:
            _change(world, nodes, edges, node, dice)
        for number in range(size // 2):
            _connect(world, nodes, edges, dice, f"c{moment}{number:03}")
        world.call(
            lambda domain: catch_up(memory._core, domain, within=60)
        )  # what is overwritten unindexed has no vector
        world.seqs.append(world.end())
        world.nodes.append(dict(nodes))
        world.edges.append(dict(edges))
    yield world
    world.call(lambda domain: memory.delete_domain(domain))


def _create(world: World, nodes: dict[str, Plain], dice: random.Random, name: str) -> None:
    memory = world.talk.memory
    tags = tuple(tag for tag in TAGS if dice.random() < 0.3)
    node = Plain(
        name, dice.choice(TYPES), f"The apple of {name} is {dice.choice(('ripe', 'sour', 'far away'))}.",
        tags, dice.choice(PATHS), dice.choice(NAMESPACES), dice.choice(STATES),
    )  # fmt: skip
    arguments = {
        "properties": {"status": node.status},
        "tags": list(tags),
        "path": node.path,
        "namespace": node.namespace,
    }
    world.call(memory.create_node, node.type, node.text, id=name, **arguments)
    created = world.call(memory.get_node, name).created
    if dice.random() < 0.4:
        begins, ends = (
            datetime(2020, 1, dice.randint(1, 10), tzinfo=UTC),
            datetime(2020, 1, dice.randint(11, 20), tzinfo=UTC),
        )
        world.call(memory.set_validity, name, valid_from=begins, valid_to=ends)
        node = replace(node, valid_from=begins, valid_to=ends)
    nodes[name] = replace(node, created=created)


def _change(
    world: World, nodes: dict[str, Plain], edges: dict[str, tuple[str, str, float]], node: Plain, dice: random.Random
) -> None:
    memory = world.talk.memory
    match dice.randrange(3):
        case 0:
            world.call(memory.delete_node, node.id)
            del nodes[node.id]
            for name in [name for name, (text, other, _) in edges.items() if node.id in (text, other)]:
                del edges[name]
        case 1:
            tags, status = tuple(tag for tag in TAGS if dice.random() < 0.5), dice.choice(STATES)
            world.call(memory.update_node, node.id, tags=list(tags), properties={"status": status})
            nodes[node.id] = replace(node, tags=tags, status=status)
        case _:
            text = f"Another apple of {node.id}."
            world.call(memory.update_node, node.id, content=text, encoding="utf-8", path="/c")
            nodes[node.id] = replace(node, text=text, path="/c")


def _connect(
    world: World, nodes: dict[str, Plain], edges: dict[str, tuple[str, str, float]], dice: random.Random, name: str
) -> None:
    text, other = dice.choice(list(nodes)), dice.choice(list(nodes))
    strength = dice.choice((0.2, 0.9))
    world.call(world.talk.memory.create_connection, "Link", text, other, strength=strength, id=name)
    edges[name] = (text, other, strength * 0.9)
