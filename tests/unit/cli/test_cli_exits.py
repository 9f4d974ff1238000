"""How the command line fails: every code has an exit status, every failure a line or two, none a traceback."""

from __future__ import annotations

import json
import sys

import pytest

from graph_memory.cli import main, session
from graph_memory.cli.errors import EXIT_STATUS, as_graph_error, error_data, error_text
from graph_memory.model.errors import Code, GraphError


def test_every_code_has_an_exit_status_that_is_not_success():
    assert set(EXIT_STATUS) == set(Code)
    assert all(0 < status < 126 for status in EXIT_STATUS.values())


def test_an_error_is_told_with_its_hint():
    error = GraphError(Code.STORE_UNAVAILABLE, "Nobody answers", {"hint": "Start Neo4j."})
    assert error_text(error) == "STORE_UNAVAILABLE: Nobody answers\nHint: Start Neo4j."
    assert error_text(GraphError(Code.TIMEOUT, "Late")) == "TIMEOUT: Late"


def test_the_path_that_an_error_is_about_is_told_to_people_and_programs():
    error = as_graph_error(PermissionError(13, "Permission denied", "/home/me/memory"))
    assert error_text(error).splitlines()[1] == "Path: /home/me/memory"
    assert error_data(error) == {**error.to_dict(), "path": "/home/me/memory"}
    assert "path" not in error_data(GraphError(Code.TIMEOUT, "Late"))


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (GraphError(Code.STORE_UNAVAILABLE, "Nobody answers"), Code.STORE_UNAVAILABLE),
        (ExceptionGroup("tasks", [GraphError(Code.TIMEOUT, "Late")]), Code.TIMEOUT),
        (RuntimeError("odd"), Code.INTERNAL),
        (ExceptionGroup("tasks", [RuntimeError("odd"), RuntimeError("odder")]), Code.INTERNAL),
    ],
)
def test_run_ends_with_the_status_of_the_code_and_without_a_traceback(
    raised: Exception, code: Code, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit) as ended:
        main.run()
    output = capsys.readouterr()
    assert ended.value.code == EXIT_STATUS[code]
    assert output.err.startswith(f"{code}: ")
    assert output.err.count("\n") <= 2
    assert "Traceback" not in output.err
    assert output.out == ""


def test_what_nobody_expected_names_its_kind_but_not_its_text():
    error = as_graph_error(RuntimeError("password=secret"))
    assert "RuntimeError" in error.message
    assert "secret" not in error.message


def test_a_faulty_setting_is_named_as_the_environment_names_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_HEAP", "much")
    with pytest.raises(GraphError) as caught:
        session.read_settings()
    assert caught.value.code == Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == "GRAPH_MEMORY_NEO4J_HEAP"


@pytest.mark.parametrize("arguments", [["mcp", "--toolsets", "graf"], ["mcp", "--domain", "no good"]])
def test_a_server_that_cannot_be_as_asked_is_refused_before_it_starts(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["graph-memory", *arguments])
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == EXIT_STATUS[Code.INVALID_ARGUMENT]
    assert capsys.readouterr().err.startswith("INVALID_ARGUMENT: ")


@pytest.mark.parametrize("arguments", [["node", "frob"], ["node", "get"], ["query", "--limit", "0"], ["--frob"]])
def test_a_command_line_that_is_not_understood_is_told_as_json_to_a_program(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", ["graph-memory", *arguments, "--json"])
    with pytest.raises(SystemExit) as ended:
        main.run()
    result = json.loads(capsys.readouterr().err)
    assert ended.value.code == EXIT_STATUS[Code.INVALID_ARGUMENT]
    assert result["code"] == "INVALID_ARGUMENT"
    assert "--help` to see its arguments and options" in result["details"]["hint"]
