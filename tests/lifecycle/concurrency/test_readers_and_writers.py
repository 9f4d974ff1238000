"""Readers beside writers, unarranged: what is there all the while is in every answer.

`MINUTES=5 pytest -s` on this file is the long run. Which commits meet which reads is left to chance here; each kind of
meeting has a test of its own in `test_reads_beside_writers.py`.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import anyio
import pytest

from graph_memory import Memory, Settings, load_ontology, open_memory
from graph_memory.gtd import Gtd

SECONDS = 60 * float(os.environ.get("MINUTES") or 0) or 4.0
WRITERS = 4

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300 + 3 * SECONDS)]

Ask = Callable[[], Awaitable[Collection[str]]]


class Actions:
    """Actions of a project that stay what they are, but for a number and the end of their text."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.project = ""
        self.ids: list[str] = []

    async def fill(self) -> None:
        await self.memory.create_ontology(load_ontology("gtd"))
        self.project = (await self.memory.create_node("Project", "# Kitchen", properties={"status": "active"})).node_id
        for place in range(6):
            node = await self.memory.create_node("Action", f"# call someone {place}", properties={"status": "next"})
            await self.memory.create_connection("NextAction", self.project, node.node_id)
            self.ids.append(node.node_id)

    async def change(self, first: int, until: float) -> int:
        turn = first
        while time.monotonic() < until:
            turn += 1
            chosen = self.ids[turn % len(self.ids)]
            await self.memory.update_node(chosen, properties={"turn": turn, "note": "x" * (turn % 97)})
            text = f"# call someone {turn}" + "y" * (turn % 50)
            await self.memory.update_node(chosen, content=text, encoding="utf-8")
        return turn - first

    def questions(self, reader: Memory) -> dict[str, Ask]:
        """Reads whose answers have all actions at every moment."""

        async def ids(answer: Awaitable[Any]) -> Collection[str]:
            return (await answer).node_ids

        async def past(ask: Callable[[Any], Awaitable[Any]]) -> Collection[str]:
            return (await ask(await reader.history.as_of("now"))).node_ids

        async def describe() -> Collection[str]:
            return [node.id for node in await reader.describe_nodes(self.ids)]

        async def neighbours() -> Collection[str]:
            return (await reader.get_connected_nodes_of([self.project], direction="out"))[self.project]

        async def connected_actions() -> Collection[str]:
            page = await reader.query_connections(from_node_id=self.project)
            return [link.to_id for link in await reader.describe_connections(page.connection_ids)]

        async def pages() -> Collection[str]:
            results: list[str] = []
            page = await reader.query_nodes(type="Action", limit=2)
            while page.next_cursor is not None:
                results += page.node_ids
                page = await reader.query_nodes(type="Action", limit=2, cursor=page.next_cursor)
            return [*results, *page.node_ids]

        async def gtd() -> Collection[str]:
            return [action.id for action in (await Gtd(reader).available_actions()).actions]

        following = {"status": "next"}
        return {
            "an indexed property": lambda: ids(reader.query_nodes(type="Action", properties=following)),
            "a property": lambda: ids(reader.query_nodes(properties=following)),
            "a type, page by page": pages,
            "a word": lambda: ids(reader.search_content("call someone")),
            "two letters": lambda: ids(reader.search_content("ca")),
            "connected nodes": lambda: ids(reader.get_connected_nodes(self.project, direction="out")),
            "neighbours": neighbours,
            "connections": connected_actions,
            "descriptions": describe,
            "available actions": gtd,
            "a property, as of now": lambda: past(lambda at: at.query_nodes(type="Action", properties=following)),
            "a word, as of now": lambda: past(lambda at: at.search_content("call someone")),
            "connected nodes, as of now": lambda: past(
                lambda at: at.get_connected_nodes(self.project, direction="out")
            ),
        }


async def test_what_is_there_all_the_while_is_in_every_answer_beside_writers(
    memory: Memory, settings: Settings, domain: str
) -> None:
    async with open_memory(settings.model_copy(update={"domain": domain})) as reader:
        actions = Actions(memory)
        await actions.fill()
        questions = actions.questions(reader)
        until = time.monotonic() + SECONDS
        counter: Counter[str] = Counter()
        missed: Counter[str] = Counter()
        changes = 0

        async def write(first: int) -> None:
            nonlocal changes
            changes += await actions.change(first, until)

        async def read() -> None:
            while time.monotonic() < until or not counter:
                for name, ask in questions.items():
                    missed[name] += not set(actions.ids) <= set(await ask())
                    counter[name] += 1

        async with anyio.create_task_group() as tasks:
            for place in range(WRITERS):
                tasks.start_soon(write, place)
            for _ in range(2):
                tasks.start_soon(read)
    sys.stdout.write(f"{changes} changes beside {counter.total()} reads of {len(counter)} kinds\n")
    assert counter.keys() == questions.keys()
    assert changes > 0
    assert missed.total() == 0, missed
