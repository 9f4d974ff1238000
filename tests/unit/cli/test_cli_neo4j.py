"""`graph-memory neo4j start`: what it says about the local Neo4j and the embedding model."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from graph_memory import local
from graph_memory.cli.commands import neo4j
from graph_memory.cli.main import app


@pytest.mark.parametrize("has_model", [True, False])
def test_a_start_says_if_the_model_could_not_be_downloaded(has_model: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    server = SimpleNamespace(version="2026.08.1", pid=7, uri="bolt://127.0.0.1:1", http_url="http://127.0.0.1:2")
    monkeypatch.delenv("NEO4J_URI", raising=False)
    monkeypatch.setattr(local, "ensure_running", Mock(return_value=server))
    monkeypatch.setattr(neo4j, "fetch_model", Mock(return_value=has_model))
    done = CliRunner().invoke(app, ["neo4j", "start"])
    assert done.stdout.startswith("Neo4j 2026.08.1 is running as process 7.")
    assert ("could not be downloaded" in done.stderr) is not has_model
