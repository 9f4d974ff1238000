"""After any changes to a domain and its branches, the rows of search fit the state of each moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import Driver

from graph_memory import GraphError, Memory, ontology_from
from graph_memory.memory.search.index import copying, index
from graph_memory.memory.search.index.index import catch_up, index_page
from integration.search.fakes import Fake, with_embedder
from integration.search.oracle import check, check_filters
from integration.search.rows import Rows
from profiles import EXAMPLES, profile
from support import Conversation, last, observe

ONTOLOGY = ontology_from(
    {"node_types": ["Note", "Task"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
)
PARAGRAPHS = [
    "# Mercury (planet)",
    "## Orbit of Mercury",
    "Short.",
    *(f"Paragraph {number} tells that {f'word{number} ' * (30 + 25 * number)}ends." for number in range(4)),
    "Sentence one. " * 40,
]
TITLES = [None, None, "", "Mercury", "mercury (planet)", "Venus"]
TIMES = [None, "open", "2020-01-01", "2030-01-01T12:00:00Z"]
TAGS = [None, [], ["a"], ["b", "a"]]
PROPERTIES: list[dict[str, Any]] = [{}, {"name": "Ann Lee"}, {"p": "some words"}, {"p": 1}, {"aliases": "Ann, Bob"}]
STEPS = [
    *("create", "create", "update", "update", "update", "place", "link", "relink", "delete", "delete a link"),
    *("validity", "observe", "batch", "follow", "a page", "other session", "revert", "branch", "merge", "erase"),
    *("compact", "reindex", "delete a branch"),
]

MOST_STEPS = 30 if EXAMPLES == "few" else 60


class World:
    """A domain and its branches under random operations, which may be refused."""

    def __init__(self, talk: Conversation, folder: Path, rng: Random, *, has_vectors: bool) -> None:
        self.talk, self.folder, self.rng = talk, folder, rng
        embedder = Fake() if has_vectors else None
        self.memory = with_embedder(talk.memory.in_domain(f"rows-{uuid4().hex[:16]}"), embedder)
        self.made = 0
        self.memories = [self.memory]
        self.done: list[str] = []
        self.ask(self.memory.create_ontology, ONTOLOGY)

    def ask(self, method: Callable[..., Awaitable[Any]], *values: Any, **named: Any) -> Any:
        async def run() -> Any:
            try:
                return await method(*values, **named)
            except GraphError as error:
                self.done[-1] += f" {error.code}"
                return None

        return self.talk.portal.call(run)

    def node(self) -> str:
        return f"n{self.rng.randrange(5)}"

    def link(self) -> str:
        return f"c{self.rng.randrange(4)}"

    def text(self) -> str:
        return "\n\n".join(self.rng.choices(PARAGRAPHS, k=self.rng.randrange(6)))

    def edit(self) -> dict[str, Any]:
        pick = self.rng.choice
        return {"properties": pick(PROPERTIES), "tags": pick(TAGS), "title": pick(TITLES)}

    def step(self, text: str) -> None:
        memory = self.rng.choice(self.memories)
        self.done.append(f"{text} in {memory._domain(None)}")
        getattr(self, "link_" if text == "link" else text.replace(" ", "_"))(memory)

    def create(self, memory: Memory) -> None:
        self.made += 1
        of_session = memory.acting_as(None, self.rng.choice([None, "talk", "walk"]))
        about = {"id": self.node(), "format": self.rng.choice(["markdown", "text"]), **self.edit()}
        self.ask(of_session.create_node, self.rng.choice(["Note", "Task"]), self.text(), **about)

    def update(self, memory: Memory) -> None:
        text = {"content": self.text(), "encoding": "utf-8"} if self.rng.random() < 0.7 else {}
        self.ask(memory.update_node, self.node(), **text, **self.edit())

    def place(self, memory: Memory) -> None:
        self.ask(memory.update_node, self.node(), path=self.rng.choice(["", "/a", "/a/b"]))

    def link_(self, memory: Memory) -> None:
        about = {"id": self.link(), "content": self.rng.choice([None, self.text()])}
        self.ask(memory.create_connection, "Link", self.node(), self.node(), **about)

    def relink(self, memory: Memory) -> None:
        self.ask(memory.update_connection, self.link(), content=self.text(), properties=self.rng.choice(PROPERTIES))

    def delete(self, memory: Memory) -> None:
        self.ask(memory.delete_node, self.node())

    def delete_a_link(self, memory: Memory) -> None:
        self.ask(memory.delete_connection, self.link())

    def validity(self, memory: Memory) -> None:
        subject = self.rng.choice([self.node(), self.link()])
        self.ask(memory.set_validity, subject, valid_from=self.rng.choice(TIMES), valid_to=self.rng.choice(TIMES))

    def observe(self, memory: Memory) -> None:
        async def write() -> None:
            node = self.node()
            await memory.get_node(node)
            await observe(memory, memory._domain(None), node)

        self.ask(write)

    def batch(self, memory: Memory) -> None:
        new = f"x{self.rng.randrange(10**9)}"
        operations = [
            {"op": "create_node", "type": "Note", "content": self.text(), "id": new, "ref": "new"},
            {"op": "update_node", "node_id": "$new", "title": "Batch", "tags": ["c"]},
            {"op": "create_connection", "type": "Link", "from_node_id": "$new", "to_node_id": self.node()},
        ]
        self.ask(memory.execute_batch, operations)

    def follow(self, memory: Memory) -> None:
        self.ask(catch_up, memory._core, memory._domain(None), within=60)

    def a_page(self, memory: Memory) -> None:
        self.ask(index_page, memory._core, memory._domain(None))

    def other_session(self, memory: Memory) -> None:
        self.create(memory.acting_as("somebody", f"s{self.rng.randrange(3)}"))

    def revert(self, memory: Memory) -> None:
        end = self.ask(last, memory)
        since = max(1, end - self.rng.randrange(8))
        results = {"since": since, "until": min(end, since + self.rng.randrange(4))}
        self.ask(memory.history.revert, on_conflict=self.rng.choice(["skip", "force"]), **results)

    def branch(self, memory: Memory) -> None:
        if len(self.memories) > 2:
            return
        name = f"rows-{uuid4().hex[:16]}"
        at = None if self.rng.random() < 0.5 else max(1, self.ask(last, memory) - self.rng.randrange(12))
        if self.ask(memory.history.branch, name, at=at) is not None:
            self.memories.append(memory.in_domain(name))

    def merge(self, memory: Memory) -> None:
        source = self.rng.choice(self.memories)._domain(None)
        self.ask(memory.history.merge, source, strategy=self.rng.choice(["ours", "theirs"]))

    def erase(self, memory: Memory) -> None:
        if self.rng.random() < 0.5:
            self.ask(memory.history.erase, self.rng.choice([self.node(), self.link()]))

    def compact(self, memory: Memory) -> None:
        before = max(1, self.ask(last, memory) - self.rng.randrange(15))
        self.ask(memory.history.compact, before, archive=self.folder / f"{uuid4().hex}.gz")

    def reindex(self, memory: Memory) -> None:
        self.ask(memory.upkeep.reindex, model=self.rng.random() < 0.5)

    def delete_a_branch(self, _: Memory) -> None:
        if len(self.memories) > 1 and self.ask(self.memory.delete_domain, self.memories[-1]._domain(None)):
            self.memories.pop()


def moments(rows: Rows, rng: Random) -> list[int]:
    """Some numbers of a domain's log at which its states are kept, the last of them too."""
    [[domain]] = rows.run("MATCH (d:_Domain {_id: $domain}) RETURN properties(d)")
    first, end = max(domain.get("_compacted_to", 0), domain.get("_begins_at", 0)), domain["_seq"]
    return [end, *(rng.randint(first, end) for _ in range(5))]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("has_vectors", [True, pytest.param(False, marks=pytest.mark.long)])
def test_the_rows_of_each_moment_are_those_of_the_state_then(
    talk: Conversation, driver: Driver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_vectors: bool
) -> None:
    monkeypatch.setattr(index, "PAGE", 4)
    monkeypatch.setattr(copying, "PAGE", 2)

    @profile(examples=12)
    @given(st.integers(0, 2**32))
    def holds(seed: int) -> None:
        rng = Random(seed)
        world = World(talk, tmp_path, rng, has_vectors=has_vectors)
        for text in ["create", "create", "link", *rng.choices(STEPS, k=rng.randint(10, MOST_STEPS))]:
            world.step(text)
        for memory in world.memories:
            rows = Rows(driver, memory, memory._domain(None))
            covered = talk.portal.call(rows.catch_up)
            lines = rows.domain, world.done
            assert (covered.behind, covered.without_vectors > 0) == (0, not has_vectors and covered.open > 0), lines
            for at in moments(rows, rng):
                check(talk.portal, rows, at)
            assert check(talk.portal, rows, covered.seq) == covered.open, lines
            check_filters(rows, Fake().model if has_vectors else None)

    holds()
