"""Paths in the environment, written as people write them in the configuration of an agent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from graph_memory.settings import Settings, missing_memory_file
from tables import for_rows


@pytest.mark.parametrize(
    "written",
    [
        "~/my memory.jsonl",
        "$HOME/my memory.jsonl",
        "${HOME}/my memory.jsonl",
        '"~/my memory.jsonl"',
        "'$HOME/my memory.jsonl'",
        " ~/my memory.jsonl ",
        "file://{home}/my%20memory.jsonl",
        "FILE://localhost{home}/my%20memory.jsonl",
        "file:{home}/my%20memory.jsonl",
        "file://~/my%20memory.jsonl",
        "file://$HOME/my%20memory.jsonl",
        "'file://{home}/my%20memory.jsonl'",
        "{home}/my memory.jsonl",
    ],
)
@pytest.mark.parametrize("name", ["MEMORY_FILE_PATH", "GRAPH_MEMORY_HOME"])
def test_a_path_is_resolved_as_a_shell_would(
    name: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(name, written.replace("{home}", str(tmp_path)))
    settings = Settings()
    path = settings.memory_file_path if name == "MEMORY_FILE_PATH" else settings.home
    assert path == tmp_path / "my memory.jsonl"


@pytest.mark.parametrize("written", ["", "  ", '""', "''", ' "" ', "'  '", "$EMPTY", "file://"])
def test_a_blank_path_counts_as_unset(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unset = Settings()
    monkeypatch.setenv("EMPTY", "")
    for name in ("MEMORY_FILE_PATH", "GRAPH_MEMORY_HOME", "GRAPH_MEMORY_CACHE", "GRAPH_MEMORY_JAVA"):
        monkeypatch.setenv(name, written)
    assert Settings() == unset


@pytest.mark.parametrize("written", ["~nobody_is_called_so/m.jsonl", "$NOT_SET_ANYWHERE/m.jsonl", "gone.jsonl"])
def test_a_memory_file_that_is_missing_is_named_in_a_warning(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_FILE_PATH", written)
    assert f"MEMORY_FILE_PATH is {written}, which is not a file" in missing_memory_file(Settings())


def test_a_memory_file_that_is_there_raises_no_warning(tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.touch()
    assert missing_memory_file(Settings(memory_file_path=file)) == ""
    assert missing_memory_file(Settings(memory_file_path=None)) == ""
    assert os.fspath(tmp_path) in missing_memory_file(Settings(memory_file_path=tmp_path))


@for_rows("name", ["users_domain", "agent_domain"])
@for_rows("domain", ["a b", "auto", "/users"])
def test_a_domain_of_the_agent_must_have_a_valid_name(name: str, domain: str):
    with pytest.raises(ValidationError, match="must be the name of a domain"):
        Settings.model_validate({name: domain})
