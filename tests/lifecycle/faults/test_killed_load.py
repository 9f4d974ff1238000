"""`graph-memory load` is killed between and within its pages, and then asked for once more."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest

from acceptance.agents import COMMAND, environment_of, verify
from graph_memory import GraphError, Memory, Settings
from graph_memory.memory.transfer.load.staging import PAGE
from lifecycle.faults.test_kills import SEED

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600), pytest.mark.long]

NODES, CONNECTIONS = PAGE + 1_000, PAGE + 1_000
TYPES = 4
"""Events before the graph's events: of the domain, the ontology, a node type and a connection type."""


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A folder with a graph of two pages of nodes and two of connections."""
    people = "".join(f"p{n},Name {n},{n % 90},Person\n" for n in range(NODES))
    knows = "".join(f"p{n},p{(n * 7 + 1) % NODES},Knows,{n}\n" for n in range(CONNECTIONS))
    (tmp_path / "people.csv").write_text(":ID,name,age:int,:LABEL\n" + people)
    (tmp_path / "knows.csv").write_text(":START_ID,:END_ID,:TYPE,since:int\n" + knows)
    return tmp_path


async def counts(memory: Memory) -> tuple[int, int]:
    """Return the numbers of nodes and connections."""
    try:
        info = await memory.domain_info()
    except GraphError:
        return (-1, 0)
    return info.nodes, info.connections


async def test_a_load_that_is_killed_goes_on_when_it_is_asked_for_again(
    memory: Memory, settings: Settings, domain: str, graph: Path
) -> None:
    print("SEED", SEED)  # noqa: T201
    rng = random.Random(SEED)
    command = [str(COMMAND), "load", str(graph), "--ontology", "infer", "--domain", domain]
    environment = {**os.environ, **environment_of(settings)}
    for reached in ((0, 0), (PAGE, 0), (NODES, 0)):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: ASYNC220
        while process.poll() is None and await counts(memory) < reached:  # noqa: ASYNC110
            await anyio.sleep(0.02)
        await anyio.sleep(rng.uniform(0, 0.5))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        nodes, connections = await counts(memory)
        assert nodes in (0, PAGE, NODES)
        assert connections in (0, PAGE, CONNECTIONS)
    done = subprocess.run([*command, "--json"], env=environment, capture_output=True, check=False, timeout=300)  # noqa: ASYNC221
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    result = json.loads(done.stdout)
    assert (result["nodes"]["loaded_before"], result["nodes"]["created"]) == (NODES, 0)
    assert sum(result["connections"].values()) == CONNECTIONS
    assert verify(environment, domain)["events"] == TYPES + NODES + CONNECTIONS
    assert await export_lines(memory) == read_again(graph)


async def export_lines(memory: Memory) -> Counter[str]:
    """Return all nodes and connections of a domain, without the ids that connections were given."""
    out = io.BytesIO()
    await memory.transfer.export_graph(out, "jsonl")
    return Counter(map(line_key, map(json.loads, out.getvalue().splitlines())))


def line_key(line: dict[str, Any]) -> str:
    [[kind, result]] = line.items()
    if kind == "connection":
        del result["id"]
    return json.dumps(line, sort_keys=True)


def read_again(folder: Path) -> Counter[str]:
    """Return the contents of the files."""
    people = [row.split(",") for row in (folder / "people.csv").read_text().splitlines()[1:]]
    knows = [row.split(",") for row in (folder / "knows.csv").read_text().splitlines()[1:]]
    nodes = [
        {"id": text, "type": kind, "properties": {"name": name, "age": int(age)}} for text, name, age, kind in people
    ]
    joined = [
        {"type": kind, "from": text, "to": other, "properties": {"since": int(since)}}
        for text, other, kind, since in knows
    ]
    lines = [{"node": node} for node in nodes] + [{"connection": connection} for connection in joined]
    return Counter(json.dumps(line, sort_keys=True) for line in lines)
