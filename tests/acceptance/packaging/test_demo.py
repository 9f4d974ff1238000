"""`make demo` as a new user meets it: it runs to its end, says what it promises, and what it prints can be pasted."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from acceptance.agents import COMMAND, OFFERED
from graph_memory import Settings, local

DEMO = Path(__file__).parents[3] / "examples" / "demo.py"
EXPECTED = [
    "graph-memory-core",
    f"offers {len(OFFERED)} tools",
    "ONTOLOGY_NOT_FOUND",
    "Cannot connect Project to Person with NextAction. Valid targets: [Action]",
    "Connection type WaitingFor requires properties: [since, follow_up_date]. Missing: [follow_up_date]",
    "node_ids: [‹Kitchen Renovation›, ‹Bathroom Remodel›, ‹Research farmhouse sinks›]",
    "└── WaitingFor → ‹Anna Anderson›",
    "VERSION_CONFLICT",
    "Garden   no next action",
    "Ask the electrician The oven needs a circuit of its own.",
    "Budget: $50k, to be ready in Q1 2026.",
    "Budget: $65k, to be ready in Q1 2026.",
    "38 events replayed, 35 subjects compared, 0 differences.",
    "(:Project Kitchen Renovation)-[:",
    f"claude mcp add --scope user graph-memory -- {shlex.quote(str(COMMAND))} mcp --for agent",
]


def demo(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DEMO],
        env={**os.environ, "FORCE_COLOR": "", **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_demo_tells_its_story_to_a_pipe_and_leaves_a_neo4j_that_it_found_running(
    environment: dict[str, str], settings: Settings
):
    done = demo(environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert [line for line in EXPECTED if line not in done.stdout] == []
    assert "\x1b" not in done.stdout
    server = server_of(done.stdout)
    assert Path(server["command"]).is_file()
    assert server["args"] == ["mcp", "--for", "agent"]
    assert local.status(settings).state is local.State.RUNNING


def server_of(output: str) -> dict[str, Any]:
    """Return the server of the configuration that the output holds."""
    text = output[output.index("{\n") : output.index("\n}\n") + 2]
    return json.loads(text)["mcpServers"]["graph-memory"]


def test_a_failure_is_told_with_what_to_do(tmp_path: Path):
    done = demo({"GRAPH_MEMORY_HOME": str(tmp_path / "home"), "GRAPH_MEMORY_JAVA": str(tmp_path / "missing")})
    assert done.returncode == 1
    assert "STORE_UNAVAILABLE" in done.stdout
    assert "Hint: " in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
