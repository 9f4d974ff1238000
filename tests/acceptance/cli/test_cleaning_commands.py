"""The commands that keep entities clean, as a person uses them."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import run
from graph_memory import Memory

pytestmark = [pytest.mark.anyio, pytest.mark.long]


async def test_what_is_alike_is_shown_merged_and_undone(
    memory: Memory, environment: dict[str, str], domain: str
) -> None:
    entities = memory.entities
    await entities.create_entities(
        [{"name": name, "type": "tool", "observations": [name, "runs"]} for name in ("PostgreSQL", "Postgres-SQL")]
    )
    values = ("--domain", domain)
    for words in (["duplicates"], ["health"]):
        shown = run(environment, "entity", *words, *values)
        assert "Postgres-SQL" in shown.stdout, shown.stderr
    health = run(environment, "entity", "health", *values).stdout
    assert "graph-memory call " in " ".join(health.split())
    assert '{"' not in health
    merge = ("call", "merge_entities", "names=Postgres-SQL", "into=PostgreSQL", *values)
    assert json.loads(run(environment, *merge, "dry_run=true").stdout)["dry_run"] is True
    done = json.loads(run(environment, *merge).stdout)
    assert len((await entities.read_graph()).entities) == 1
    since, until = str(done["since"]), str(done["until"])
    undone = run(environment, "revert", "--since", since, "--until", until, *values, "--yes")
    assert undone.returncode == 0, undone.stderr
    assert len((await entities.read_graph()).entities) == 2
