"""Two processes of eight writers each, and ontologies that change under them: all that was acknowledged is there.

`MINUTES=5 pytest -s` on this file is the long run, and prints what it measured.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from neo4j import Driver

from graph_memory import Memory, Ontology, Settings, ontology_from
from lifecycle.concurrency.ledger import Ledger
from lifecycle.concurrency.mixed_writer import COUNTERS, WRITERS, Plan, text_of
from lifecycle.concurrency.tails import Fairness, fairness_table, latency_table

SECONDS = 60 * float(os.environ.get("MINUTES") or 0) or 4.0
SEED = int(os.environ.get("SEED") or 0) or random.SystemRandom().randrange(10**6)
"""Printed with the report; set SEED to have the same random choices again."""
PROCESSES = ("first", "second")
STEPS = 8
ENOUGH = 10
"""Writes of a writer, on average, from which on it can be said that one starved."""

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300 + 3 * SECONDS)]

RULES: dict[str, Any] = {
    "node_types": ["Note", "Step", "Counter", {"name": "Ticket", "properties": {"code": {"unique": True}}}],
    "connection_types": [
        {"name": "About", "from": ["Note"], "to": ["Step"]},
        {
            "name": "Then",
            "from": ["Step"],
            "to": ["Step"],
            "acyclic": True,
            "unique_source": True,
            "unique_target": True,
        },
    ],
}
ONTOLOGY = ontology_from(RULES)
Report = dict[str, Any]


class Process:
    """A process with eight writers, which waits until it is told to begin."""

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self.plan = plan
        script = Path(__file__).with_name("mixed_writer.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), plan.text()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | _server_of(settings),
        )

    def await_ready(self) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline() == "ready\n", self.end()

    def begin(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self) -> int:
        """Wait for its end, and return how many deadlocks its writes were the victims of."""
        out, err = self.process.communicate(timeout=SECONDS + 120)
        assert self.process.returncode == 0, err[-5000:]
        return json.loads(out)["deadlocks"]

    @property
    def reports(self) -> list[Report]:
        return [json.loads(line) for line in Path(self.plan.reports).read_text().splitlines()]


def _server_of(settings: Settings) -> dict[str, str]:
    """Return the variables that lead another process to the server that the settings name, if they name one."""
    if settings.neo4j_uri is None:
        return {}
    password = settings.neo4j_password.get_secret_value()
    return {
        "NEO4J_URI": settings.neo4j_uri,
        "NEO4J_USERNAME": settings.neo4j_username,
        "NEO4J_PASSWORD": password,
    }


@contextmanager
def process(plan: Plan, settings: Settings) -> Iterator[Process]:
    """Run a process, and see to it that it ends with the test."""
    running = Process(plan, settings)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.communicate()


class Run:
    """One run of the two processes on some domains, and what is known of it afterwards."""

    def __init__(self, folder: Path, settings: Settings, memory: Memory, domains: Sequence[str]) -> None:
        self.folder = folder
        self.settings = settings
        self.memory = memory
        self.domains = domains
        self.open_domain = f"{domains[0]}-open"
        self.begun: dict[str, list[Report]] = {}
        self.reports: list[Report] = []
        self.deadlocks = 0

    async def make(self, seconds: float) -> None:
        """Begin the domains, have both processes write for so long, and gather what they were told."""
        for domain in self.domains:
            self.begun[domain] = await _begin(self.memory, domain, ONTOLOGY)
        open_ontology = ontology_from({**RULES, "open": True})
        self.begun[self.open_domain] = await _begin(self.memory, self.open_domain, open_ontology)
        with ExitStack() as stack:
            running = [stack.enter_context(process(self.plan(name, seconds), self.settings)) for name in PROCESSES]
            await anyio.to_thread.run_sync(self._watch, running)

    def plan(self, name: str, seconds: float) -> Plan:
        return Plan(
            name=name,
            home=str(self.settings.home),
            domains=list(self.domains),
            open_domain=self.open_domain,
            seconds=seconds,
            seed=SEED,
            reports=str(self.folder / f"{name}.told"),
            news=str(self.folder / "news"),
            changes=name == PROCESSES[0],
        )

    def _watch(self, running: Sequence[Process]) -> None:
        (self.folder / "news").touch()
        for process in running:
            process.await_ready()
        for process in running:
            process.begin()
        self.deadlocks = sum([process.end() for process in running])
        self.reports = [line for process in running for line in process.reports]

    def acknowledged_reports(self, domain: str) -> list[Report]:
        result = (line for line in self.reports if line["domain"] == domain and line["version"] is not None)
        return [*self.begun[domain], *result]

    def fairness(self) -> dict[str, Fairness]:
        """Return the fairness among all writers, in each process, and among writers of the same kind."""
        half = WRITERS // 2
        groups = {"all 16 writers": (PROCESSES, range(WRITERS))}
        groups |= {f"the 8 of the {process} process": ((process,), range(WRITERS)) for process in PROCESSES}
        if len(self.domains) > 1:
            groups["the 8 that keep to one domain"] = (PROCESSES, range(half))
            groups["the 8 that change about"] = (PROCESSES, range(half, WRITERS))
        return {
            name: Fairness.of(self.reports, [f"{process}{number}" for process in processes for number in numbers])
            for name, (processes, numbers) in groups.items()
        }

    def report(self, seconds: float) -> str:
        writes = sum(line["version"] is not None for line in self.reports)
        first = (
            f"Domains: {len(self.domains)}. Seconds: {seconds:.0f}. Seed: {SEED}. Calls: {len(self.reports):,}. "
            f"Acknowledged writes: {writes:,}, {writes / seconds:.0f} a second. "
            f"Deadlocks of writes, tried again: {self.deadlocks}."
        )
        return "\n\n".join(["", first, latency_table(self.reports), fairness_table(self.fairness()), ""])


async def _begin(memory: Memory, domain: str, ontology: Ontology) -> list[Report]:
    """Begin a domain with what all writers share, and return it as acknowledged writes."""
    await memory.create_ontology(ontology, domain=domain)
    shared = [("Counter", f"counter{number}", {"count": 0}) for number in range(COUNTERS)]
    shared += [("Step", f"step{number}", {}) for number in range(STEPS)]
    results: list[Report] = []
    for node_type, text, has in shared:
        made = await memory.create_node(node_type, text, properties=has, id=text, domain=domain)
        results.append({"op": "create", "subject": text, "type": node_type, "has": has, "version": made.version})
    return results


async def check(run: Run, driver: Driver) -> None:
    """Compare every domain with what the writers were told."""
    for domain in (*run.domains, run.open_domain):
        results = run.acknowledged_reports(domain)
        assert (await run.memory.upkeep.verify(domain=domain)).differences == ()
        check_log(driver, domain, results)
        await check_live(run.memory.in_domain(domain), Ledger().add(results))
    check_strict_types(run)
    fairness = run.fairness()["all 16 writers"]
    assert fairness.mean < ENOUGH or fairness.least >= fairness.mean / 10, fairness.writes


def check_log(driver: Driver, domain: str, reports: Sequence[Report]) -> None:
    """The log has no gaps, holds every acknowledged write, and nothing that none of them has brought about."""
    statement = """
        MATCH (e:_Event {_domain: $domain})
        RETURN e._seq AS seq, e._op AS op, e._subject AS subject, e._batch AS batch, e._at AS at ORDER BY seq"""
    rows = driver.execute_query(statement, domain=domain).records
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    assert len({line["version"] for line in reports}) == len(reports)
    for line in reports:
        row = rows[line["version"] - 1]
        assert (row["op"], row["subject"]) == (line["op"], line["subject"])
    batches = {rows[line["version"] - 1]["batch"] for line in reports} | {rows[0]["batch"]}
    assert {row["batch"] for row in rows} == batches


async def check_live(memory: Memory, ledger: Ledger) -> None:
    """The graph is what the acknowledged writes have made, one after the other; some of it is searched for."""
    nodes, connections = ledger.nodes, ledger.connections
    assert set((await memory.query_nodes()).node_ids) == set(nodes)
    assert set((await memory.query_connections()).connection_ids) == set(connections)
    results = {
        node.id: (node.type, node.properties, node.version) for node in await memory.describe_nodes(sorted(nodes))
    }
    assert results == {name: (node.type, node.has, node.version) for name, node in nodes.items()}
    described = await memory.describe_connections(sorted(connections))
    tied = {
        connection.id: (
            connection.type,
            (connection.from_id, connection.to_id),
            connection.properties,
            connection.version,
        )
        for connection in described
    }
    assert tied == {name: (link.type, link.ends, link.has, link.version) for name, link in connections.items()}
    ontology = await memory.get_ontology()
    assert ledger.type_names("node_type") <= {declared.name for declared in ontology.node_types}
    assert ledger.type_names("connection_type") <= {declared.name for declared in ontology.connection_types}
    for text in [name for name, node in nodes.items() if node.type == "Note"][-20:]:
        needle = text_of(text, nodes[text].has["turn"])[:300]
        assert (await memory.search_content(needle)).node_ids == (text,)


def check_strict_types(run: Run) -> None:
    """A type was declared before any node of it was made, or used before and never declared."""
    uses = [line for line in run.reports if line["act"] == "use a new type"]
    lines = (run.folder / "news").read_text().splitlines()
    states = {(name, domain): state for state, kind, name, domain in map(str.split, lines) if kind == "node"}
    assert uses
    assert "done" in states.values()
    for (name, domain), state in states.items():
        accepted = [line for line in uses if line["type"] == name and line["domain"] == domain and not line["code"]]
        if state == "done":
            assert all("code" in line["has"] for line in accepted), name
        elif state == "lost":
            assert accepted, name


@pytest.mark.parametrize("domains", [1, 4], ids=["on one domain", "across four domains"])
async def test_two_processes_of_eight_writers_lose_nothing_starve_nobody_and_obey_each_others_ontologies(
    settings: Settings, memory: Memory, driver: Driver, domain: str, tmp_path: Path, domains: int
) -> None:
    run = Run(tmp_path, settings, memory, [f"{domain}-{number}" for number in range(domains)])
    await run.make(SECONDS)
    print(run.report(SECONDS))  # noqa: T201
    await check(run, driver)
