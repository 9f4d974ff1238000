"""The queries of hooks to a running server, which may send them to a provider of embeddings."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from graph_memory.hooks import hook
from graph_memory.hooks.exclusions import FILE
from graph_memory.hooks.spool import Spool

PROMPT = "<private>my PIN</private> Why is password = 'hunter22xy' refused?"


@pytest.fixture
def queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The commands that hooks send to a server."""
    sent: list[Sequence[str]] = []

    def ask_server(request: Mapping[str, Sequence[str]], seconds: float) -> None:
        assert seconds > 0
        sent.append(request["arguments"])

    monkeypatch.setenv("GRAPH_MEMORY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(hook, "ask_server", ask_server)
    monkeypatch.setattr(hook, "_end_after", lambda _: None)
    monkeypatch.setattr(os, "_exit", lambda _: None)
    return sent


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capture: str = "all") -> None:
    payload = {"session_id": "s1", "cwd": str(folder), "prompt": PROMPT}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode())))
    hook.run_hook([name, "--client", "claude-code", "--capture", capture])


@pytest.mark.parametrize(("capture", "stored"), [("all", 1), ("prompts", 1), ("off", 0), ("unknown", 0)])
def test_a_query_is_the_redacted_prompt(
    capture: str, stored: int, queries: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("UserPromptSubmit", tmp_path, monkeypatch, capture)
    assert [query[-1] for query in queries] == ["[private] Why is password = '[secret: password]' refused?"]
    assert "hunter22xy" not in repr(queries)
    assert len(Spool.of(tmp_path / "home").names()) == stored


def test_an_excluded_project_sends_no_query(
    queries: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("SessionStart", tmp_path, monkeypatch)
    assert [query[1] for query in queries] == ["briefing"]
    (tmp_path / FILE).touch()
    run("SessionStart", tmp_path, monkeypatch)
    run("UserPromptSubmit", tmp_path, monkeypatch, "off")
    assert len(queries) == 1
