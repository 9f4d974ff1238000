"""Input of the command line: properties, and content from any source."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.main import get_command

from graph_memory.cli.input.assignments import parse_assignments
from graph_memory.cli.input.content import ContentInput, read_content, read_text, save_on_failure
from graph_memory.cli.input.times import point_callback, time_callback
from graph_memory.cli.main import app
from graph_memory.cli.output.printing import format_local_time
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.time.clock import rfc3339
from tables import for_rows


def code_of(function, *arguments, **named) -> Code:
    with pytest.raises(GraphError) as caught:
        function(*arguments, **named)
    return caught.value.code


def editor(tmp_path: Path, script: str) -> str:
    path = tmp_path / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return str(path)


@for_rows(
    ("text", "value"),
    [
        ("p=next", "next"),
        ("p=1", "1"),
        ("p=true", "true"),
        ("p=", ""),
        ("p=a=b:=c", "a=b:=c"),
        ('p="quoted"', '"quoted"'),
        ("p:=1", 1),
        ("p:=1.5", 1.5),
        ("p:=true", True),
        ('p:="1"', "1"),
        ("p:=null", None),
        ('p:={"enum": ["a"]}', {"enum": ["a"]}),
    ],
)
def test_a_value_is_text_after_an_equals_sign_and_json_after_a_colon_and_one(text: str, value: object):
    result = parse_assignments([text])
    assert result == {"p": value}
    assert isinstance(result["p"], type(value))


@for_rows("text", ["p", "=1", ":=1", "p:=", "p:=next", "p:=NaN", "p:={"])
def test_what_is_no_property_is_refused(text: str):
    assert code_of(parse_assignments, [text]) is Code.INVALID_ARGUMENT


def test_no_property_is_none_and_one_given_twice_is_a_mistake():
    assert parse_assignments(None) is None
    assert parse_assignments([]) is None
    assert code_of(parse_assignments, ["a=1", "a:=1"]) is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.md", "# Größe\r\n".encode(), ContentInput("# Größe\r\n", "utf-8", "markdown")),
        ("a.json", b"{}", ContentInput("{}", "utf-8", "json")),
        ("a", b"text", ContentInput("text", "utf-8", None)),
        ("a.PDF", b"%PDF\xff", ContentInput(b"%PDF\xff", "base64", "pdf")),
        ("a", b"\0\1", ContentInput(b"\0\1", "base64", "binary")),
    ],
)
def test_a_file_is_text_if_possible_and_its_name_says_the_format(
    name: str, data: bytes, expected: ContentInput, tmp_path: Path
):
    (tmp_path / name).write_bytes(data)
    assert read_content(None, tmp_path / name) == expected


def test_standard_input_is_a_file_called_dash(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"piped")))
    assert read_content(None, Path("-")) == ContentInput("piped", "utf-8", None)


def test_text_can_be_kept_as_binary_content():
    assert read_content("text", None, binary=True) == ContentInput(b"text", "base64", None)


def test_content_comes_from_one_place(tmp_path: Path):
    assert read_content(None, None) is None
    assert read_content("", None) == ContentInput("", "utf-8", None)
    assert code_of(read_content, "text", None, edit=True) is Code.INVALID_ARGUMENT
    assert code_of(read_content, None, tmp_path / "missing") is Code.INVALID_ARGUMENT
    assert code_of(read_content, None, tmp_path) is Code.INVALID_ARGUMENT


def test_notes_of_a_connection_are_text(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"\xff")
    assert code_of(read_text, None, tmp_path / "a") is Code.INVALID_ENCODING
    assert read_text("", None) == ""
    assert read_text(None, None) is None


def test_an_editor_begins_with_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setenv("VISUAL", editor(tmp_path, 'printf " and more" >> "$1"'))
    assert read_content(None, None, edit=True, original="Größe") == ContentInput("Größe and more", "utf-8", None)


@pytest.mark.parametrize("script", ["exit 3", "printf '\\377' > \"$1\""])
def test_an_editor_that_fails_changes_nothing(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VISUAL", editor(tmp_path, script))
    assert code_of(read_content, None, None, edit=True) is Code.INVALID_ARGUMENT
    monkeypatch.setenv("VISUAL", str(tmp_path / "nothing"))
    assert code_of(read_content, None, None, edit=True) is Code.INVALID_ARGUMENT


def test_what_was_written_in_an_editor_outlives_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with (
        pytest.raises(GraphError) as caught,
        save_on_failure(ContentInput("an hour's work", "utf-8", None), edit=True),
    ):
        raise GraphError(Code.INVALID_PROPERTY, "No", {"hint": "Do this."})
    [file] = tmp_path.iterdir()
    assert file.read_text() == "an hour's work"
    assert caught.value.hint == f"Do this. Your text is in {file}."
    assert caught.value.code is Code.INVALID_PROPERTY


def test_what_was_written_in_an_editor_outlives_an_interruption_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), save_on_failure(ContentInput(b"work", "base64", None), edit=True):
        raise KeyboardInterrupt
    [file] = tmp_path.iterdir()
    assert file.read_bytes() == b"work"
    assert str(file) in capsys.readouterr().err


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in New York."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("new_york")
@pytest.mark.parametrize("month", [1, 7])
def test_a_time_that_was_printed_can_be_typed(month: int):
    at = datetime(2026, month, 5, 20, 46, 33, tzinfo=UTC)
    printed = format_local_time(at)
    assert printed == {1: "2026-01-05 15:46 -05", 7: "2026-07-05 16:46 -04"}[month]
    begins = rfc3339(at.replace(second=0))
    assert point_callback("since")(printed) == begins
    assert point_callback("since")(printed[: len("2026-01-05 15:46")]) == begins
    assert point_callback("as-of")(printed) == rfc3339(at.replace(second=59, microsecond=999999))
    assert time_callback("from")(printed) == begins


def test_numbers_events_and_open_bounds_are_left_as_they_are():
    assert [point_callback("since")(text) for text in (None, "27", "evt_1")] == [None, "27", "evt_1"]
    assert [time_callback("to")(text) for text in (None, "open")] == [None, "open"]


def test_every_option_that_takes_a_point_or_a_time_reads_it_where_the_person_is():
    names = {"since", "until", "at", "as_of", "before", "valid_at"}
    taken = [(path, option) for path, option in options(get_command(app)) if option.name in names]
    assert {option.name for _, option in taken} == names
    assert [(path, option.name) for path, option in taken if option.callback is None] == []
    assert {option.metavar for _, option in taken} == {"POINT", "TIME"}


def options(command: Any, *above: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give the options of a command and of all below it."""
    for option in command.params:
        yield above, option
    for name, inner in getattr(command, "commands", {}).items():
        yield from options(inner, *above, name)


@pytest.mark.parametrize("text", ["last session", "the last session", "Last Time", "last session of Apollo"])
def test_the_last_session_is_left_to_the_memory_to_find(text: str):
    assert point_callback("since")(text) == text
