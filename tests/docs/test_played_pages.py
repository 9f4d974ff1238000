"""The commands in the tutorial and the recipes run, and print what the pages show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from acceptance.agents import environment_of, run
from graph_memory import Settings
from pages import FILE, ROOT, complete, pattern_of, steps_of

PLAYED = ("tutorial.md", "cookbook.md")


@pytest.mark.long
@pytest.mark.parametrize("file_name", PLAYED)
def test_the_commands_of_a_page_print_what_it_shows(
    file_name: str, settings: Settings, domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / file_name
    monkeypatch.chdir(tmp_path)
    for file, text in FILE.findall(page.read_text(encoding="utf-8")):
        Path(file).write_text(text, encoding="utf-8")
    environment = {**environment_of(settings), "GRAPH_MEMORY_DOMAIN": domain, "COLUMNS": "160"}
    before = ""
    for step in steps_of(page):
        command = complete(step.command, before)
        for name in ("what-if", "notebook", "recipes"):
            command = re.sub(rf"(?<=[ =]){name}(?= |$)", f"{domain}-what-if" if name == "what-if" else domain, command)
        done = run(environment, *shlex.split(command)[1:])
        before = (done.stdout + done.stderr).replace(f"{domain}-what-if", "what-if")
        assert re.fullmatch(pattern_of(step.output), before), f"{step.place}: {command}\n{before}"
