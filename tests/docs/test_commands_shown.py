"""Every `graph-memory …` that a page shows is a command that there is, with options that it has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from typer.main import get_command

from graph_memory.cli.main import app
from pages import Block, blocks, inline
from tables import for_rows

SEPARATORS = re.compile(r"\$\(|\)|\||&&|;|\s[<>]+\s*\S+|\s2>&1")


def shell_commands() -> Iterator[tuple[Block, list[str]]]:
    """Give the arguments of every command in a block for the shell."""
    for block in blocks("sh", "bash", "console"):
        for line in block.text.replace("\\\n", " ").splitlines():
            bare = line.partition(" #")[0].removeprefix("$ ")
            for part in SEPARATORS.split(bare) if not line.startswith("#") else ():
                yield from ((block, arguments) for arguments in [arguments_of(part)] if arguments is not None)


def arguments_of(part: str) -> list[str] | None:
    """Return the text after the command, or None if the part of a line is not about it."""
    words = shlex.split(part)
    places = [place for place, word in enumerate(words) if word.rpartition("/")[2] == "graph-memory"]
    if not places or not {"pip", "pipx", "--entrypoint"}.isdisjoint(words):
        return None
    return words[places[-1] + 1 :]


def parse_command(arguments: Sequence[str]) -> tuple[Any, list[str]]:
    """Return the command that the words name, with the words behind them."""
    command: Any = get_command(app)
    rest = list(arguments)
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        word = rest.pop(0)
        if word not in command.commands and hasattr(command, "implied"):
            return command.commands[command.implied], [word, *rest]
        assert word in command.commands, f"there is no command {word!r}"
        command = command.commands[word]
    return command, rest


@for_rows(("block", "arguments"), shell_commands())
def test_a_command_in_a_block_is_understood(block: Block, arguments: list[str]):
    command, rest = parse_command(arguments)
    if hasattr(command, "commands"):
        assert rest in ([], ["--help"], ["--install-completion"])
    else:
        command.make_context(command.name, rest)


def test_a_command_in_the_text_has_the_options_that_are_named():
    seen = 0
    for code in inline():
        if code.text.startswith("graph-memory ") and not re.search(r"[…=<{]| is | in ", code.text):
            command, rest = parse_command(shlex.split(code.text)[1:])
            options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {
                "--help",
                "-h",
            }
            named = {word.partition("=")[0] for word in rest if word.startswith("-")}
            assert named <= options, f"{code}: {code.text}"
            seen += 1
    assert seen > 20
