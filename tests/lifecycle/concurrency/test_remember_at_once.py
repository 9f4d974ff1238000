"""Two servers on one Neo4j, four callers each, who remember the same facts and replace them: none is lost or doubled.

`REMEMBER_CALLS=5000 pytest -s` on this file is the long run; it prints what became of it.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from neo4j import Driver

from acceptance.agents import COMMAND, environment_of, verify
from benchmarks.entities.at_once import CALLERS, processes
from benchmarks.entities.servers import OURS, Caller, Start
from graph_memory import Memory, Settings

CALLS = int(os.environ.get("REMEMBER_CALLS") or 240)
SEED = int(os.environ.get("SEED") or 1)
ENTITIES, TOWNS = 20, 40
"""Names that all callers write of, and the facts of each that they have in common."""

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600 + CALLS)]
OBSERVATIONS = """
    MATCH (n:_Node)<-[:_OBSERVES]-(o:_Observation {_domain: $domain})
    RETURN o._id AS id, n.name AS name, o._text AS text, o._valid_to IS NOT NULL AS over,
           coalesce(o._supersedes, []) AS before
"""
NAMES = "MATCH (n:_Node {_domain: $domain}) WHERE n.name IS NOT NULL RETURN n.name AS name, n.city AS city"


@dataclass
class Ledger:
    """The replies to one caller: facts with their ids, replaced facts, and the cities."""

    facts: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    replaced: list[tuple[str, str, int, int]] = field(default_factory=list[tuple[str, str, int, int]])
    """The new one, the old one, and the first and last event of the call."""
    cities: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    decisions: Counter[str] = field(default_factory=Counter[str])


@dataclass
class Writer:
    """A caller who says what others say too, and now and then what is so instead."""

    caller: Caller
    name: str
    rng: random.Random
    ledger: Ledger = field(default_factory=Ledger)

    async def work(self, calls: int) -> None:
        for number in range(calls):
            entity_name = f"thing {self.rng.randrange(ENTITIES)}"
            known = [(text, replacement) for name, text, replacement in self.ledger.facts[-60:] if name == entity_name]
            match self.rng.random():
                case chance if chance < 0.25 and known:
                    text, _ = self.rng.choice(known)
                    await self.say(entity_name, {"text": f"{self.name} went to place {number}", "replaces": text})
                case chance if chance < 0.4:
                    await self.say(entity_name, city=f"city {number} of {self.name}")
                case _:
                    towns = self.rng.sample(range(TOWNS), 2)
                    await self.say(entity_name, *(f"has seen the town number {town}" for town in towns))

    async def say(self, text: str, *observations: object, city: str | None = None) -> None:
        arguments: dict[str, Any] = {"name": text, "observations": list(observations)}
        if city is not None:
            arguments["properties"] = {"city": city}
            self.ledger.cities.add((text, city))
        result = json.loads(await self.caller.ask(("remember", arguments)))
        assert result["entity"] == text
        for fact in result["facts"]:
            self.ledger.decisions[fact["decision"]] += 1
            if fact["rule"] != "property":
                self.ledger.facts.append((text, fact["fact"], fact["id"]))
                for old in fact.get("replaced") or ():
                    self.ledger.replaced.append((fact["id"], old, result["since"], result["until"]))


@pytest.fixture(scope="session")
def environment(settings: Settings) -> Mapping[str, str]:
    return {**environment_of(settings), "GRAPH_MEMORY_EMBEDDINGS": "off"}


async def test_two_servers_of_four_callers_lose_no_fact_double_none_and_can_take_back_every_supersession(
    environment: dict[str, str], domain: str, memory: Memory, driver: Driver
):
    start = Start(OURS, (str(COMMAND), "mcp", "--toolsets", "remember", "--domain", domain), environment)
    async with processes(start) as clients:
        writers = [
            Writer(client, f"{process}-{number}", random.Random(f"{SEED} {process} {number}"))
            for process, client in enumerate(clients)
            for number in range(CALLERS)
        ]
        began = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for writer in writers:
                tasks.start_soon(writer.work, CALLS // len(writers))
        seconds = time.monotonic() - began
    ledgers = [writer.ledger for writer in writers]
    decisions = sum((ledger.decisions for ledger in ledgers), Counter[str]())
    print(f"\n{CALLS:,} calls, {CALLS / seconds:.0f}/s: {dict(decisions)}")  # noqa: T201
    replaced = [replacement for ledger in ledgers for replacement in ledger.replaced]
    _check(ledgers, driver, domain)
    verify(environment, domain)

    for _, _, since, until in sorted(replaced, key=lambda replacement: -replacement[2]):
        # the newest first: of a chain, what took back the later ones is a change since, which force takes back too
        await memory.history.revert(since=since, until=until, on_conflict="force")
    left = [row["id"] for row in driver.execute_query(OBSERVATIONS, domain=domain).records if row["over"]]
    assert left == []
    assert len(replaced) > CALLS / 20
    verify(environment, domain)


def _check(ledgers: list[Ledger], driver: Driver, domain: str) -> None:
    """Compare what is there with what the callers were told."""
    rows = {row["id"]: row for row in driver.execute_query(OBSERVATIONS, domain=domain).records}
    replaced = [replacement for ledger in ledgers for replacement in ledger.replaced]
    for ledger in ledgers:
        lost = [fact for fact in ledger.facts if fact[2] not in rows or rows[fact[2]]["name"] != fact[0]]
        assert lost == []
    assert {key for key, row in rows.items() if row["over"]} == {old for _, old, _, _ in replaced}
    assert [replacement for replacement in replaced if replacement[1] not in rows[replacement[0]]["before"]] == []
    current = Counter((row["name"], row["text"]) for row in rows.values() if not row["over"])
    assert [pair for pair, count in current.items() if count > 1] == []
    named = driver.execute_query(NAMES, domain=domain).records
    assert [name for name, count in Counter(row["name"] for row in named).items() if count > 1] == []
    cities = {pair for ledger in ledgers for pair in ledger.cities}
    assert [row["name"] for row in named if row["city"] is not None and (row["name"], row["city"]) not in cities] == []
