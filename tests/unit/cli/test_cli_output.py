"""Output of the command line: whole in a pipe, fitted on a terminal, and without control sequences."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time

import pytest

from graph_memory.cli.output import progress
from graph_memory.cli.output.printing import escape_control_characters, escape_line
from graph_memory.cli.output.tables import GAP, fit_widths, print_table

WHOLE = "mem_01M847W9ZH5SAAAAAAAAAAAAAA"
ROWS = [("mem_1", "x" * 300), ("mem_22", "東京の家 [bold]no markup[/bold]")]


def test_a_table_outside_of_a_terminal_is_whole_and_without_control_codes(capsys: pytest.CaptureFixture[str]):
    print_table(("id", "title"), ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "id      title",
        "mem_1   " + "x" * 300,
        "mem_22  東京の家 [bold]no markup[/bold]",
    ]


@pytest.mark.parametrize(
    ("room", "widths"), [(100, [30, 7, 20]), (61, [30, 7, 20]), (50, [30, 7, 9]), (10, [30, 5, 5])]
)
def test_the_widest_column_gives_way_and_an_id_never(room: int, widths: list[int]):
    assert fit_widths([30, 7, 20], [0, 5, 5], room) == widths
    assert sum(widths) + 2 * GAP <= max(room, 44)


@pytest.mark.parametrize(("width", "id_shown"), [(60, WHOLE), (44, WHOLE[:16])])
def test_a_table_on_a_terminal_has_whole_ids_where_they_fit(
    width: int, id_shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")  # what is captured then counts as a terminal
    monkeypatch.setenv("COLUMNS", str(width))
    print_table(("title", "id"), [("Call the painter", WHOLE)])
    assert capsys.readouterr().out.splitlines()[-1].split("  ")[-1] == id_shown


def test_a_narrow_table_shortens_the_ids_that_it_is_told_of_and_folds_what_is_to_be_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    row = ("Call the painter, choose the tiles", "session_0123456789abcdef0123456789abcdef")
    print_table(("about", "session"), [row], ids="session", wrapped=("about",))
    out = capsys.readouterr().out
    assert "session_01234567\n" in out
    assert all(word in out for word in ("painter,", "choose", "tiles"))


def test_stored_text_cannot_steer_a_terminal():
    assert escape_line("a\x1b[31mb\nc\u202ed") == "a\\u001b[31mb c\\u202ed"
    assert escape_control_characters("a\x1b]0;t\x07\n\tb\u200d") == "a\\u001b]0;t\\u0007\n\tb\u200d"
    assert escape_line(True) == "true"


def test_json_survives_an_output_that_is_not_unicode():
    code = "from graph_memory.cli.output.printing import print_json; print_json({'title': 'Größe 🏠'})"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONIOENCODING": "ascii"}, capture_output=True, check=True
    )
    assert json.loads(done.stdout) == {"title": "Größe 🏠"}


class Screen(io.StringIO):
    """A terminal as far as a progress bar looks."""

    def isatty(self) -> bool:
        return True


def test_a_person_is_told_after_a_second_that_the_memory_is_being_opened(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "DELAY", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress.progress_bar("Opening the memory"):
        deadline = time.monotonic() + 5
        while "Opening the memory" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "Opening the memory" in screen.getvalue()


def test_nothing_of_the_progress_is_written_where_stderr_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(progress, "DELAY", 0.01)
    with progress.progress_bar("Opening the memory") as tell:
        tell("Starting Neo4j", None)
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")
