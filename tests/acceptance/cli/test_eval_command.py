"""`graph-memory eval` as a person uses it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from acceptance.agents import run
from graph_memory import Memory
from question_sets import LOCOMO
from support import exists

pytestmark = pytest.mark.anyio


async def test_a_question_set_is_measured_and_its_domain_goes(
    memory: Memory, environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([LOCOMO]))
    kept = run(environment, "eval", str(file), "--k", "2", "--max-tokens", "800", "--keep", "--json")
    assert kept.returncode == 0, kept.stderr
    done = json.loads(kept.stdout)
    expected = {"format": "locomo", "file": "locomo.json", "k": 2, "max_tokens": 800, "messages": 3, "seed": 0}
    assert expected.items() <= done.items()
    assert done["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert {(kind["kind"], kind["questions"], kind["labelled"]) for kind in done["kinds"]} == {
        ("single-hop", 1, 1),
        ("multi-hop", 1, 1),
        ("adversarial", 1, 0),
        ("all", 3, 2),
    }
    assert done["server"].startswith("Neo4j 20")
    total = done["kinds"][-1]
    assert (total["turn_recall"], total["session_recall"], total["evidence_complete"]) == (1, 1, 1)
    [name] = done["kept"]
    [event] = (await memory.in_domain(name).agent.episodic.search("kayak", limit=1)).events
    assert (event.session, event.actor) == ("session_1", "user")
    assert str(event.timestamp).startswith("2023-05-08")
    await memory.delete_domain(name)

    shown = run(environment, "eval", str(file), "--limit", "1", "--seed", "3", "--format", "locomo")
    assert shown.returncode == 0, shown.stderr
    first, second, third, _, heading, *rows = shown.stdout.splitlines()
    assert first == f"locomo: locomo.json, SHA-256 {done['sha256']}"
    assert second.endswith("k 10, recall of at most 2,000 tokens, at most 1 question, seed 3")
    assert third.startswith("1 conversation, 3 messages; ")
    assert heading.startswith("kind ")
    assert "session recall@10" in heading
    assert [row.split()[1] for row in rows] == ["1", "1"]
    assert not await exists(memory, name)

    file.write_text('[{"conversation": {}, "qa": []}]')
    refused = run(environment, "eval", str(file), "--json")
    assert refused.returncode == 65
    assert json.loads(refused.stderr)["message"] == "locomo.json, element 1: sample_id: The value is null, not text"
