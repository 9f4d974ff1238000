"""`graph-memory import` of what other programs remember, and `export --format official`, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acceptance.agents import run
from graph_memory import Memory

pytestmark = pytest.mark.anyio

LINES = """\
{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}
{"type":"relation","from":"Ada","to":"Ada","relationType":"is"}"""


async def test_a_memory_is_tried_imported_and_exported_again(
    memory: Memory, environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(LINES)
    tried = run(environment, "import", str(file), "--domain", domain, "--dry-run")
    assert tried.stdout.endswith(
        f"Nothing was written. Domain {domain} would get 1 entity, 1 relation, 1 observation.\n"
    ), tried.stderr
    done = run(environment, "import", str(file), "--domain", domain)
    text, _, undo = done.stdout.rpartition(" Undo it with ")
    assert text.endswith(f"Imported into domain {domain}: 1 entity, 1 relation, 1 observation."), done.stderr
    assert (await memory.entities.read_graph()).entities[0].name == "Ada"
    again = run(environment, "import", str(file), "--domain", domain, "--format", "official", "--json")
    assert json.loads(again.stdout)["entities"] == {"new": 0, "already_there": 1}
    back = run(environment, "export", "-", "--domain", domain, "--format", "official")
    assert back.stdout == LINES
    command, *undoing = undo.strip("`.\n").split()
    assert command == "graph-memory"
    undone = run(environment, *undoing, "--yes")
    assert undone.returncode == 0, undone.stderr
    assert (await memory.entities.read_graph()).entities == ()


def test_what_is_damaged_or_unknown_is_told_with_its_place_and_imports_nothing(
    environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(f'{LINES}\n{{"type":"entity"}}')
    refused = run(environment, "import", str(file), "--domain", domain)
    assert refused.returncode == 65
    assert "memory.jsonl:3, column name: name is missing" in refused.stderr
    skipped = run(environment, "import", str(file), "--domain", domain, "--skip-invalid", "--json")
    assert json.loads(skipped.stdout)["refused"]["count"] == 1
    for more in (["--as", "x", "--format", "official"], ["--format", "letta"]):
        wrong = run(environment, "import", str(file), *more, "--json")
        assert json.loads(wrong.stderr)["code"] == "INVALID_ARGUMENT"
    file.write_text('{"a": 1}')
    unknown = run(environment, "import", str(file), "--domain", domain, "--json")
    assert "--format" in json.loads(unknown.stderr)["details"]["hint"]


async def test_instructions_are_imported_as_blocks_and_undone(
    memory: Memory, environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("# Style\nShort.\n# Commands\nmake check\n")
    tried = run(environment, "import", str(file), "--domain", domain, "--dry-run")
    assert tried.stdout.endswith(f"Domain {domain} would get 2 new blocks, 0 changed blocks.\n"), tried.stderr
    done = run(environment, "import", str(file), "--domain", domain)
    text, _, undo = done.stdout.rpartition(" Undo it with ")
    assert text.endswith(f"Imported into domain {domain}: 2 new blocks, 0 changed blocks."), done.stderr
    again = run(environment, "import", str(file), "--domain", domain, "--json")
    assert json.loads(again.stdout)["blocks"] == {"new": 0, "changed": 0, "already_there": 2}
    _, *undoing = undo.strip("`.\n").split()
    assert run(environment, *undoing, "--yes").returncode == 0
    assert not any(block.text for block in (await memory.entities.get_block()).blocks)
