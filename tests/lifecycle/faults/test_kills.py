"""`kill -9` of the database and of the service in the middle of writes.

Nothing that was acknowledged is lost, nothing is half done, the log has no gaps, and search finds what there is.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Settings, local, ontology_from, open_memory
from lifecycle.faults.fault_writer import text_of
from support import index

KILLS = int(os.environ.get("KILLS") or 1)
"""How often each is killed; `make soak` asks for more."""

SECONDS = 300.0 + 60 * KILLS
"""Maximum seconds of a test."""
pytestmark = [pytest.mark.anyio, pytest.mark.timeout(SECONDS)]

SEED = int(os.environ.get("SEED") or 0) or random.SystemRandom().randrange(10**6)
"""Printed when a test fails; set SEED to have the same random choices again."""
PATIENCE = 90.0
"""Seconds after which what is waited for is given up: a restart of Neo4j on a busy machine takes ten."""
ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]}]}
)


@dataclass
class Reports:
    """Reports of writers: the acknowledged state of each subject, and the attempted states."""

    acknowledged: dict[str, tuple[int | None, int]] = field(default_factory=dict)
    attempted: dict[str, set[int | None]] = field(default_factory=dict)
    ends: dict[str, list[str]] = field(default_factory=dict)
    together: dict[str, set[str]] = field(default_factory=dict)
    """Connections that are there for certain, by the node with which they go if its deletion was made."""
    failures: list[dict[str, Any]] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)

    def add(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if "done" in line:
                self.ends |= {line["subject"]: line["ends"]} if "ends" in line else {}
                (self._add_acknowledged if line["done"] else self._add_attempted)(line)
            elif "failed" in line:
                self.failures.append(line)

    def _add_attempted(self, line: dict[str, Any]) -> None:
        goes = line.get("goes", [])
        for others in self.together.values():
            others.difference_update(goes)
        self.together[line["subject"]] = {goe for goe in goes if None not in self.allowed_turns(goe)}
        for subject_id in (line["subject"], *goes):
            self.attempted.setdefault(subject_id, set()).add(line["turn"])

    def _add_acknowledged(self, line: dict[str, Any]) -> None:
        self.together.pop(line["subject"], None)
        for subject_id in (line["subject"], *line.get("goes", [])):
            del self.attempted[subject_id]
            self.acknowledged[subject_id] = (line["turn"], line["version"])
        self.versions.append(line["version"])

    @property
    def subjects(self) -> set[str]:
        return {*self.acknowledged, *self.attempted}

    def of_kind(self, kinds: str) -> list[str]:
        """Return the subjects of these kinds, which stand as a letter before the number at the end of the name."""
        return sorted(subject for subject in self.subjects if subject.rstrip("0123456789")[-1] in kinds)

    def allowed_turns(self, subject: str) -> set[int | None]:
        """The turns at which a subject may be; None stands for gone, or never made."""
        turns = {self.acknowledged[subject][0]} if subject in self.acknowledged else {None}
        return turns | self.attempted.get(subject, set())


class Service:
    """A process that writes; it speaks into a file, so that its last words outlive it."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        domain: str,
        name: str,
        *,
        writers: int,
        seconds: float,
        script: str = "fault_writer.py",
    ) -> None:
        self.words = folder / f"{name}.words"
        self.errors = folder / f"{name}.errors"
        command = [sys.executable, str(Path(__file__).with_name(script)), str(settings.home), domain, name]
        with self.words.open("wb") as words, self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [*command, str(writers), str(seconds)], stdin=subprocess.DEVNULL, stdout=words, stderr=errors
            )

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Return the reported lines, without a last line that was cut off."""
        return [json.loads(line) for line in self.words.read_bytes().split(b"\n")[:-1]]

    @property
    def acknowledgements(self) -> int:
        return self.words.read_bytes().count(b'{"done": true')

    def check_alive(self) -> None:
        assert self.process.poll() is None, f"the service ended: {self.errors.read_text()[-3000:]}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


@contextmanager
def service(*values: Any, **options: Any) -> Iterator[Service]:
    """Run a service, and see to it that it ends with the test."""
    running = Service(*values, **options)
    try:
        yield running
    finally:
        running.kill()


async def until(reached: Callable[[], bool], running: Service | None = None) -> None:
    """Wait for a condition. Fails if the service dies first or the time is over."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, "it takes too long"
        if running:
            running.check_alive()
        await anyio.sleep(0.005)


async def more_acknowledgements(running: Service, number: int) -> None:
    """Wait until the service has acknowledged so many more writes, however slowly."""
    target = running.acknowledgements + number
    while (seen := running.acknowledgements) < target:
        await until(lambda seen=seen: running.acknowledgements > seen, running)


@pytest.fixture(scope="module")
async def own(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> AsyncIterator[Settings]:
    """A Neo4j of this module's own: killing it hurts nobody."""
    settings = Settings(home=tmp_path_factory.mktemp("own") / "home")
    try:
        yield settings
    finally:
        local.stop(settings)


async def begin(settings: Settings, domain: str) -> Settings:
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
    rng, result = random.Random(SEED), Reports()
    await begin(own, domain)
    with service(tmp_path, own, domain, "a", writers=4, seconds=SECONDS) as running:
        for _ in range(max(KILLS - 1, 1)):
            await more_acknowledgements(running, rng.randint(20, 120))
            kill_database(own)
            await more_acknowledgements(running, 5)  # it found the way back by itself
        await more_acknowledgements(running, rng.randint(20, 120))
        kill_database(own)
        running.kill()
    result.add(running.lines)
    assert {failure["failed"] for failure in result.failures} <= {Code.STORE_UNAVAILABLE, Code.STARTING}
    async with open_memory(own) as memory:
        await check(memory.in_domain(domain), result)


async def test_what_was_acknowledged_outlives_the_kill_of_the_service(
    own: Settings, domain: str, tmp_path: Path
) -> None:
    print("SEED", SEED)  # noqa: T201
    rng, result = random.Random(SEED), Reports()
    await begin(own, domain)
    for round_number in range(KILLS):
        with service(tmp_path, own, domain, f"b{round_number}", writers=4, seconds=SECONDS) as running:
            await more_acknowledgements(running, rng.randint(20, 80))
            running.kill()
        result.add(running.lines)
    assert result.failures == []
    async with open_memory(own) as memory:
        await check(memory.in_domain(domain), result)


Look = Callable[[Memory, Reports, str], Awaitable[None]]


async def check(memory: Memory, reports: Reports) -> None:
    """Compare the memory with what its writers were told."""
    verification = await memory.upkeep.verify()
    assert verification.differences == ()
    assert len(set(reports.versions)) == len(reports.versions) > 0
    assert max(reports.versions) <= verification.events
    nodes = (await memory.query_nodes()).node_ids
    connections = (await memory.query_connections()).connection_ids
    assert {*nodes, *connections} <= reports.subjects
    _check_cascades(reports, {*nodes, *connections})
    await _check_types(memory, reports)
    await _look_at_all(_look_at_node, memory, reports, reports.of_kind("n"))
    await _look_at_all(_look_at_connection, memory, reports, reports.of_kind("c"))
    await index(memory)
    await _look_at_all(_look_at_node, memory, reports, reports.of_kind("n"))


async def _look_at_all(look: Look, memory: Memory, reports: Reports, ids: list[str]) -> None:
    """Look at many subjects, some at a time."""
    limit = anyio.Semaphore(8)

    async def one_by_one(subject: str) -> None:
        async with limit:
            await look(memory, reports, subject)

    async with anyio.create_task_group() as tasks:
        for subject in ids:
            tasks.start_soon(one_by_one, subject)


def _check_cascades(reports: Reports, present_ids: set[str]) -> None:
    """A node whose deletion is in doubt is there with all its connections, or gone with them."""
    for node, connections in reports.together.items():
        assert {connection in present_ids for connection in connections} <= {node in present_ids}, node


async def _check_types(memory: Memory, reports: Reports) -> None:
    """Types that were acknowledged are there, and of two that were added in one write both or none."""
    ontology = await memory.get_ontology()
    node_types = {declared.name for declared in ontology.node_types}
    connection_types = {declared.name for declared in ontology.connection_types}
    assert {*node_types, *connection_types} <= {"Note", "RelatesTo", *reports.of_kind("krb")}
    for kind, present_types in (("kb", node_types), ("rb", connection_types)):
        for text in reports.of_kind(kind):
            assert (0 if text in present_types else None) in reports.allowed_turns(text), text
    for subject_id in reports.of_kind("b"):
        assert (subject_id in node_types) == (subject_id in connection_types), subject_id


async def _look_at_node(memory: Memory, reports: Reports, text: str) -> None:
    turn, version = await _state(memory.get_node(text), Code.NODE_NOT_FOUND)
    assert turn in reports.allowed_turns(text), text
    searched = f"{text}turn"
    if turn is None:
        assert (await memory.search_content(searched)).node_ids == (), text
        return
    if text not in reports.attempted:
        assert version == reports.acknowledged[text][1], text
    assert (await memory.get_node_content(text)).content == text_of(text, turn)
    for needle in (searched, text_of(text, turn)[:300]):
        assert (await memory.search_content(needle)).node_ids == (text,), needle
    if turn:
        assert (await memory.search_content(f"{text}turn{turn - 1}zq")).node_ids == (), text


async def _look_at_connection(memory: Memory, reports: Reports, text: str) -> None:
    turn, version = await _state(memory.get_connection(text), Code.CONNECTION_NOT_FOUND)
    assert turn in reports.allowed_turns(text), text
    if turn is None:
        return
    connection = await memory.get_connection(text, include_content=True)
    assert ([connection.from_node_id, connection.to_node_id], connection.content) == (reports.ends[text], text)
    if text not in reports.attempted:
        assert version == reports.acknowledged[text][1], text


async def _state(looking: Any, missing: Code) -> tuple[int | None, int]:
    try:
        result = await looking
    except GraphError as error:
        if error.code is not missing:
            raise
        return None, 0
    return int(result.properties["turn"]), result.version
