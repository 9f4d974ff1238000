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
    given = ("--domain", domain)
    for words in (["duplicates"], ["similar", "PostgreSQL"], ["health"], ["orphans"], ["recent"], ["of-type", "tool"]):
        shown = run(environment, "entity", *words, *given)
        assert "Postgres-SQL" in shown.stdout, shown.stderr
    health = run(environment, "entity", "health", *given).stdout
    assert "graph-memory entity" in " ".join(health.split())
    assert '{"' not in health
    assert json.loads(run(environment, "entity", "hot", *given, "--json").stdout)["entities"] == []
    tried = run(environment, "entity", "merge", "Postgres-SQL", "--into", "PostgreSQL", "--dry-run", *given)
    assert "Would merge Postgres-SQL into PostgreSQL: 1 observation and 0 relations moved." in tried.stderr
    done = run(environment, "entity", "merge", "Postgres-SQL", "--into", "PostgreSQL", *given)
    assert len((await entities.read_graph()).entities) == 1
    undo = done.stderr.rpartition("graph-memory ")[2].split()
    undone = run(environment, *undo, *given, "--yes")
    assert undone.returncode == 0, undone.stderr
    assert len((await entities.read_graph()).entities) == 2
