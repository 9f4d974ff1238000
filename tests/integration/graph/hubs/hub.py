"""A node with many connections, made quickly: through the log, many in one write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from graph_memory import Memory, ontology_from
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.values.content import content_from
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

ONTOLOGY = ontology_from(
    {
        "node_types": ["Note"],
        "connection_types": [
            {"name": "Link", "from": ["*"], "to": ["*"]},
            {"name": "Tree", "from": ["*"], "to": ["*"], "acyclic": True},
        ],
    }
)
HUB = "hub"
AT_ONCE = 1_000
"""Subjects that one write makes."""


async def make_hub(memory: Memory, connections: int, *, neighbours: int, type_name: str = "Link") -> None:
    """Make a node `hub` with connections `c…` to and from the nodes `n…`, which have nothing else."""
    await memory.create_node("Note", "# Hub", id=HUB)
    await _make(memory, neighbours, _node)
    await _make(memory, connections, lambda number, at: _connection(number, at, neighbours, type_name))


async def _make(memory: Memory, count: int, draft: Callable[[int, datetime], Draft]) -> None:
    for start in range(0, count, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, count))

        async def read(_: Reader, __: Head) -> None:
            """It depends on nothing."""

        def decide(head: Head, _: None, numbers: Sequence[int] = numbers) -> Decision[None]:
            return Decision([draft(number, head.at) for number in numbers], None)

        core = memory._core
        await core.log.write("make_hub", memory._domain(None), core.origin, read, decide)


def _node(number: int, at: datetime) -> Draft:
    content = content_from("", "utf-8", "markdown")
    node = NodeState(
        id=f"n{number:06}", type="Note", created=at, modified=at, title=f"Note {number}", content=content.ref
    )
    return Draft(op=Op.CREATE, kind=Kind.NODE, subject=node.id, type=node.type, state=node.state(), content=content)


def _connection(number: int, at: datetime, neighbours: int, type_name: str) -> Draft:
    ends = (HUB, f"n{number % neighbours:06}") if number % 2 else (f"n{number % neighbours:06}", HUB)
    link = ConnectionState(
        id=f"c{number:06}",
        type=type_name,
        from_node_id=ends[0],
        to_node_id=ends[1],
        created=at,
        modified=at,
        properties={"rank": number},
    )
    return Draft(
        op=Op.CREATE,
        kind=Kind.CONNECTION,
        subject=link.id,
        type=type_name,
        from_id=ends[0],
        to_id=ends[1],
        state=link.state(),
    )
