"""`kill -9` of the database and of the service in the middle of writes, and two services writing at once.

Nothing that was acknowledged is lost, nothing is half done, the log has no gaps, and search finds what there is.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from fault_writer import SHARED, text_of

from graph_memory import Code, GraphError, Memory, Settings, local, ontology_from, open_memory
from support import index

KILLS = int(os.environ.get("KILLS") or 3)
"""How often each is killed; `make soak` asks for more."""

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300 + 60 * KILLS)]

SEED = int(os.environ.get("SEED") or 0) or random.SystemRandom().randrange(10**6)
"""Printed when a test fails; set SEED to have the same random choices again."""
PATIENCE = 90.0
"""Seconds after which what is waited for is given up: a restart of Neo4j on a busy machine takes ten."""
ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]}]}
)


@dataclass
class Told:
    """What writers have said: which state of each subject was acknowledged, and which was only attempted."""

    acknowledged: dict[str, tuple[int | None, int]] = field(default_factory=dict)
    attempted: dict[str, int | None] = field(default_factory=dict)
    ends: dict[str, list[str]] = field(default_factory=dict)
    counted: list[dict[str, Any]] = field(default_factory=list)
    counting: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)

    def add(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if "done" in line:
                self.ends |= {line["subject"]: line["ends"]} if "ends" in line else {}
                self._add_attempt(line)
            elif "failed" in line:
                self.failures.append(line)
            elif "counted" in line:
                self.counted.append(line)
                self.versions.append(line["version"])

    def _add_attempt(self, line: dict[str, Any]) -> None:
        if line["done"]:
            del self.attempted[line["subject"]]
            self.acknowledged[line["subject"]] = (line["turn"], line["version"])
            self.versions.append(line["version"])
        else:
            self.attempted[line["subject"]] = line["turn"]

    @property
    def subjects(self) -> set[str]:
        return {*self.acknowledged, *self.attempted}

    def allowed(self, subject: str) -> set[int | None]:
        """The turns at which a subject may be; None stands for gone, or never made."""
        turns = {self.acknowledged[subject][0]} if subject in self.acknowledged else {None}
        return turns | ({self.attempted[subject]} if subject in self.attempted else set())


class Service:
    """A process that writes; it speaks into a file, so that its last words outlive it."""

    def __init__(
        self, folder: Path, settings: Settings, domain: str, name: str, *, writers: int, seconds: float
    ) -> None:
        self.words = folder / f"{name}.words"
        self.errors = folder / f"{name}.errors"
        script = Path(__file__).with_name("fault_writer.py")
        arguments = [str(settings.home), domain, name, str(writers), str(seconds)]
        with self.words.open("wb") as words, self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(script), *arguments], stdin=subprocess.DEVNULL, stdout=words, stderr=errors
            )

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What was said, without a last line that was cut off."""
        return [json.loads(line) for line in self.words.read_bytes().split(b"\n")[:-1]]

    @property
    def acknowledgements(self) -> int:
        return self.words.read_bytes().count(b'{"done": true') + self.words.read_bytes().count(b'{"counted"')

    def check_alive(self) -> None:
        assert self.process.poll() is None, f"the service ended: {self.errors.read_text()[-3000:]}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


@contextmanager
def service(*given: Any, **options: Any) -> Iterator[Service]:
    """Run a service, and see to it that it ends with the test."""
    running = Service(*given, **options)
    try:
        yield running
    finally:
        running.kill()


async def until(reached: Callable[[], bool], running: Service | None = None) -> None:
    """Wait until something is so; fail when the service dies meanwhile or it takes too long."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, "it takes too long"
        if running:
            running.check_alive()
        await anyio.sleep(0.005)


async def more_acknowledgements(running: Service, number: int) -> None:
    """Wait until the service has acknowledged so many more writes."""
    target = running.acknowledgements + number
    await until(lambda: running.acknowledgements >= target, running)


@pytest.fixture(scope="module")
async def own(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> AsyncIterator[Settings]:
    """A Neo4j of this module's own: killing it hurts nobody."""
    settings = Settings(home=tmp_path_factory.mktemp("own") / "home")
    try:
        yield settings
    finally:
        local.stop(settings)


async def begun(settings: Settings, domain: str) -> Settings:
    async with open_memory(settings) as memory:
        await memory.create_ontology(ONTOLOGY, domain=domain)
    return settings


def kill_database(settings: Settings) -> None:
    pid = local.status(settings).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


async def test_what_was_acknowledged_outlives_the_kill_of_the_database(
    own: Settings, domain: str, tmp_path: Path
) -> None:
    print("SEED", SEED)  # noqa: T201
    rng, told = random.Random(SEED), Told()
    await begun(own, domain)
    with service(tmp_path, own, domain, "a", writers=4, seconds=600) as running:
        for _ in range(KILLS - 1):
            await more_acknowledgements(running, rng.randint(20, 120))
            kill_database(own)
            await more_acknowledgements(running, 5)  # it found the way back by itself
        await more_acknowledgements(running, rng.randint(20, 120))
        kill_database(own)
        running.kill()
    told.add(running.lines)
    assert {one["failed"] for one in told.failures} <= {Code.STORE_UNAVAILABLE, Code.STARTING}
    async with open_memory(own) as memory:
        await check(memory.in_domain(domain), told)


async def test_what_was_acknowledged_outlives_the_kill_of_the_service(
    own: Settings, domain: str, tmp_path: Path
) -> None:
    print("SEED", SEED)  # noqa: T201
    rng, told = random.Random(SEED), Told()
    await begun(own, domain)
    for round_number in range(KILLS):
        with service(tmp_path, own, domain, f"b{round_number}", writers=4, seconds=600) as running:
            await more_acknowledgements(running, rng.randint(20, 80))
            running.kill()
        told.add(running.lines)
    assert told.failures == []
    async with open_memory(own) as memory:
        await check(memory.in_domain(domain), told)


async def test_two_services_with_eight_writers_each_lose_nothing(
    settings: Settings, memory: Memory, domain: str, tmp_path: Path
) -> None:
    await memory.create_ontology(ONTOLOGY)
    shared = [f"shared{number}" for number in range(SHARED)]
    for one in shared:
        await memory.create_node("Note", "counts", properties={"count": 0}, id=one)
    told = Told()
    with (
        service(tmp_path, settings, domain, "count1", writers=8, seconds=4) as first,
        service(tmp_path, settings, domain, "count2", writers=8, seconds=4) as second,
    ):
        for one in (first, second):
            await until(lambda one=one: one.process.poll() is not None)
            assert one.process.returncode == 0, one.errors.read_text()[-3000:]
            told.add(one.lines)
    assert told.failures == []
    assert told.attempted == {}
    assert len({line["by"] for line in told.counted}) == 16
    await check(memory, told, others=shared)
    for one in shared:
        properties = (await memory.get_node(one)).properties
        mine = [line for line in told.counted if line["counted"] == one]
        assert sorted(line["to"] for line in mine) == list(range(1, int(properties["count"]) + 1))
        last = {f"last by {line['by']}": line["to"] for line in sorted(mine, key=lambda line: line["to"])}
        assert {key: value for key, value in properties.items() if key != "count"} == last


async def check(memory: Memory, told: Told, others: list[str] | None = None) -> None:
    """Compare the memory with what its writers were told."""
    verification = await memory.verify()
    assert verification.differences == ()
    assert len(set(told.versions)) == len(told.versions) > 0
    assert max(told.versions) <= verification.events
    nodes = (await memory.query_nodes()).node_ids
    connections = (await memory.query_connections()).connection_ids
    assert {*nodes, *connections} <= told.subjects | {*(others or ())}
    limit = anyio.Semaphore(8)

    async def one_by_one(look: Callable[[Memory, Told, str], Any], subject: str) -> None:
        async with limit:
            await look(memory, told, subject)

    async with anyio.create_task_group() as tasks:
        for subject in sorted(told.subjects):
            look = _look_at_connection if re.search(r"c\d+$", subject) else _look_at_node
            tasks.start_soon(one_by_one, look, subject)
    await index(memory)
    for subject in sorted(told.subjects):
        if not re.search(r"c\d+$", subject):
            await _look_at_node(memory, told, subject)


async def _look_at_node(memory: Memory, told: Told, one: str) -> None:
    turn, version = await _state(memory.get_node(one), Code.NODE_NOT_FOUND)
    assert turn in told.allowed(one), one
    searched = f"{one}turn"
    if turn is None:
        assert (await memory.search_content(searched)).node_ids == (), one
        return
    if one not in told.attempted:
        assert version == told.acknowledged[one][1], one
    assert (await memory.get_node_content(one)).content == text_of(one, turn)
    for needle in (searched, text_of(one, turn)[:300]):
        assert (await memory.search_content(needle)).node_ids == (one,), needle
    if turn:
        assert (await memory.search_content(f"{one}turn{turn - 1}zq")).node_ids == (), one


async def _look_at_connection(memory: Memory, told: Told, one: str) -> None:
    turn, version = await _state(memory.get_connection(one), Code.CONNECTION_NOT_FOUND)
    assert turn in told.allowed(one), one
    if turn is None:
        return
    found = await memory.get_connection(one, include_content=True)
    assert ([found.from_node_id, found.to_node_id], found.content) == (told.ends[one], one)
    if one not in told.attempted:
        assert version == told.acknowledged[one][1], one


async def _state(looking: Any, missing: Code) -> tuple[int | None, int]:
    try:
        found = await looking
    except GraphError as error:
        if error.code is not missing:
            raise
        return None, 0
    return int(found.properties["turn"]), found.version
