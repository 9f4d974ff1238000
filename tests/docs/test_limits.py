"""Features that the README calls missing are missing, and its limits equal the code's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from graph_memory.cli.main import app
from graph_memory.memory.changes.paging import AT_ONCE
from graph_memory.operations.table import TOOLSETS
from graph_memory.settings import MIB, Settings
from pages import ROOT

LIMITS = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Limits\n")[1].split("\n## ")[0]
LIMITED, MISSING = LIMITS.split("\nNot there yet:\n")

WORDS = {
    "rights in Neo4j": {"role", "roles", "rbac"},
    "removing a property from a node or connection": {"remove", "removed", "unset"},
}
"""Words that would be in the name of a tool, argument, command, option or setting if it were there."""


def names() -> Iterator[str]:
    """Give the names of everything that can be called or set."""
    for tool in (tool for tools in TOOLSETS.values() for tool in tools):
        yield from (tool.name, *tool.input_schema["properties"])
    yield from names_of(get_command(app))
    yield from Settings.model_fields


def names_of(command: Any) -> Iterator[str]:
    """Give the options of a command, and the names of those below it with theirs."""
    yield from (option for parameter in command.params for option in parameter.opts)
    for name, child in getattr(command, "commands", {}).items():
        yield from (name, *names_of(child))


def test_nothing_is_there_that_is_said_not_to_be():
    results = re.findall(r"^- ([^:\n]+)", MISSING, re.MULTILINE)
    assert results == [*WORDS]
    names_by_word = {word: name for name in names() for word in re.split(r"[_-]+", name)}
    assert {"branch", "merge", "erase", "export", "uri"} <= names_by_word.keys()
    assert {name: names_by_word.keys() & words for name, words in WORDS.items() if names_by_word.keys() & words} == {}


def test_the_limits_are_those_of_the_code():
    fields = Settings.model_fields
    most = {fields[name].default // MIB for name in ("text_content_bytes", "mcp_content_bytes")}
    assert re.findall(r"([\d,]+) (MB|connections)", LIMITED) == [
        (str(most.pop()), "MB"),
        (f"{AT_ONCE:,}", "connections"),
    ]
    assert most == set()
