"""The queries of hooks to a running server, which may send them to a provider of embeddings."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from graph_memory import remote
from graph_memory.hooks import hook
from graph_memory.hooks.exclusions import FILE
from graph_memory.hooks.shown import is_briefed, read_shown
from graph_memory.hooks.spool import Spool

PROMPT = "<private>my PIN</private> Why is password = 'hunter22xy' refused?"


@pytest.fixture
def queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The commands that hooks send to a server."""
    sent: list[Sequence[str]] = []

    def ask_server(request: Mapping[str, Sequence[str]], seconds: float) -> Mapping[str, object]:
        assert seconds > 0
        sent.append(request["arguments"])
        return {"status": 0, "stdout": "{}"}

    monkeypatch.setenv("GRAPH_MEMORY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(hook, "ask_server", ask_server)
    monkeypatch.setattr(hook, "_end_after", lambda _: None)
    monkeypatch.setattr(os, "_exit", lambda _: None)
    return sent


def answer_with(monkeypatch: pytest.MonkeyPatch, **answers: Mapping[str, object] | str | None) -> None:
    """Let a server answer the briefing or the context so: with a result, with damaged text, or not at all."""

    def ask_server(request: Mapping[str, Sequence[str]], seconds: float) -> Mapping[str, object] | None:
        answer = answers[request["arguments"][1]]
        if answer is None:
            time.sleep(seconds)  # until the deadline of the hook
            return None
        return {"status": 0, "stdout": answer if isinstance(answer, str) else json.dumps(answer)}

    monkeypatch.setattr(hook, "ask_server", ask_server)


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capture: str = "all", prompt: str = PROMPT) -> None:
    payload = {"session_id": "s1", "cwd": str(folder), "prompt": prompt}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode())))
    hook.run_hook([name, "--client", "claude-code", "--capture", capture])


@pytest.mark.parametrize(("capture", "stored"), [("all", 1), ("prompts", 1), ("off", 0), ("unknown", 0)])
def test_a_query_is_the_redacted_prompt(
    capture: str, stored: int, queries: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("UserPromptSubmit", tmp_path, monkeypatch, capture)
    assert [query[1] for query in queries] == ["context", "briefing"]
    assert [query[-1] for query in queries[:1]] == ["[private] Why is password = '[secret: password]' refused?"]
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


BRIEFING = {"text": "The briefing"}
FACTS = {"text": "The facts", "ids": ["n1"]}


@pytest.mark.parametrize("briefing", [None, "damaged {", "[]"])
def test_a_late_briefing_that_fails_does_not_cost_the_facts(
    briefing: str | None,
    queries: list[Sequence[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer_with(monkeypatch, briefing=briefing, context=FACTS)
    run("UserPromptSubmit", tmp_path, monkeypatch)
    assert context_in(capsys) == "The facts"
    spool = Spool.of(tmp_path / "home").folder
    assert (is_briefed(spool, "s1"), read_shown(spool, "s1")) == (False, ["n1"])
    answer_with(monkeypatch, briefing=BRIEFING, context="damaged {")
    run("UserPromptSubmit", tmp_path, monkeypatch, prompt="Again?")
    assert context_in(capsys) == "The briefing"
    assert is_briefed(spool, "s1")


def test_a_briefing_that_takes_too_long_after_the_facts_comes_before_those_of_the_next_prompt(
    queries: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[str] = []

    def ask_server(request: Mapping[str, Sequence[str]], seconds: float) -> None:
        commands.append(request["arguments"][1])
        time.sleep(seconds)

    monkeypatch.setattr(hook, "ask_server", ask_server)
    for prompt in ("One", "Two", "Three"):
        run("UserPromptSubmit", tmp_path, monkeypatch, prompt=prompt)
    assert commands == ["context", "briefing", "context"]


def test_a_briefing_stands_before_the_facts_of_its_prompt(
    queries: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(monkeypatch, briefing=BRIEFING, context=FACTS)
    run("UserPromptSubmit", tmp_path, monkeypatch)
    assert context_in(capsys) == "The briefing\n\nThe facts"


def test_a_session_is_marked_only_after_its_answer_is_printed(
    queries: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, briefing=BRIEFING, context=FACTS)
    monkeypatch.setattr(sys, "stdout", ClosedPipe())
    run("UserPromptSubmit", tmp_path, monkeypatch)
    spool = Spool.of(tmp_path / "home").folder
    assert (is_briefed(spool, "s1"), read_shown(spool, "s1")) == (False, ())


def test_the_second_of_two_hooks_does_not_forget_what_the_first_has_shown(
    queries: list[Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, briefing=BRIEFING)
    for _ in range(2):
        run("SessionStart", tmp_path, monkeypatch)
    assert is_briefed(Spool.of(tmp_path / "home").folder, "s1")


def test_no_further_server_is_asked_after_the_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried_paths: list[Path] = []

    def ask(path: Path, request: object, deadline: float, accept_seconds: float) -> None:
        tried_paths.append(path)
        time.sleep(max(deadline - time.monotonic(), 0))

    monkeypatch.setattr(remote, "_sockets", lambda: [tmp_path / "1.sock", tmp_path / "2.sock"])
    monkeypatch.setattr(remote, "_ask", ask)
    assert remote.ask_server({}, 0.01) is None
    assert tried_paths == [tmp_path / "1.sock"]


class ClosedPipe(io.StringIO):
    """The output to a client that has ended."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError(text)


def context_in(capsys: pytest.CaptureFixture[str]) -> str:
    return json.loads(capsys.readouterr().out)["hookSpecificOutput"]["additionalContext"]
