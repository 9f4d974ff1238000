"""Prints the output of commands: JSON for programs, and tables, records and lines for people."""

from __future__ import annotations

import json
import shlex
import sys
import unicodedata
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING

import typer

from graph_memory.model.text.wording import as_text
from graph_memory.model.values.properties import PropertyValue

if TYPE_CHECKING:
    from rich.console import Console

    from graph_memory.model.results import Result

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"
"""Invisible joining characters, which emoji and several scripts need."""
CALLED_DOMAIN: ContextVar[str | None] = ContextVar("called_domain", default=None)
"""The value of --domain in the running command, or None if it was not given."""
TERMINAL: ContextVar[Mapping[str, str] | None] = ContextVar("terminal", default=None)
"""The terminal's environment variables in the calling process, if the command runs for another process."""


def output_console() -> Console:
    """Return a console for standard output, as wide as the caller's terminal."""
    from rich.console import Console

    return Console(highlight=False, _environ=TERMINAL.get())


def print_json(value: Result | Mapping[str, object]) -> None:
    """Print the value as JSON on one line. Results have the same form as in MCP tools."""
    data = value if isinstance(value, Mapping) else value.to_dict()
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(data, ensure_ascii=not unicode))


def print_record(fields: Mapping[str, object]) -> None:
    """Print the fields, one per line, with aligned values."""
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        typer.echo(f"{name:<{width}}  {escape_line(value)}".rstrip())


def print_properties(properties: Mapping[str, PropertyValue]) -> None:
    """Print the properties, if any, under a heading, in the form that the command line accepts."""
    if properties:
        typer.echo("properties")
    for key, value in properties.items():
        typer.echo(f"  {assignment(key, value)}")


def assignment(key: str, value: PropertyValue) -> str:
    """Return a property in the form that the command line accepts: `key=text` or `key:=json`."""
    return escape_line(f"{key}={value}" if isinstance(value, str) else f"{key}:={json.dumps(value)}")


def command_line(*words: object, domain: str | None = None) -> str:
    """Return a `graph-memory` command for a shell, with --domain (default: the domain of the running command)."""
    domain = domain or CALLED_DOMAIN.get()
    option = [] if domain is None or "--domain" in words else ["--domain", domain]
    return escape_line(shlex.join(["graph-memory", *map(str, words), *option]))


def undo_command(since: int | None, until: int | None, domain: str | None = None) -> str:
    """Return the shell command that reverts a range of the log."""
    return command_line("revert", "--since", since, "--until", until, domain=domain)


def note(text: str) -> None:
    """Print a message for people to stderr."""
    typer.echo(text, err=True)


@contextmanager
def stdout_for_json(*, as_json: bool) -> Generator[None]:
    """If `as_json` is true, redirect stdout to stderr in the `with` block, because stdout must only contain JSON."""
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        yield


def format_count(number: int, noun: str) -> str:
    """Return the number and the noun, with a plural `s` unless the number is 1."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_local_time(moment: datetime) -> str:
    """Return the time in the machine's time zone, with the zone, in a form that options accept."""
    local = moment.astimezone()
    return f"{local:%Y-%m-%d %H:%M} {f'{local:%z}'.removesuffix('00') if local.utcoffset() else 'UTC'}"


def validity_fields(valid_from: datetime | None, valid_to: datetime | None) -> dict[str, object]:
    """Return fields for `print_record` that describe a validity period: its start and its end, if they are set."""
    moments = {"valid from": valid_from, "valid until": valid_to}
    return {name: format_local_time(moment) for name, moment in moments.items() if moment is not None}


def escape_line(value: object) -> str:
    """Return the value as one line of text, with terminal control characters escaped."""
    return "".join(_printable(character) for character in as_text(value))


def escape_control_characters(text: str) -> str:
    """Return the text with terminal control characters escaped. Line breaks and tabs are kept."""
    return "".join(c if c in "\n\t" or c in _JOINERS else _printable(c) for c in text)


def _printable(character: str) -> str:
    if character in _JOINERS or unicodedata.category(character) not in _HIDDEN:
        return character
    return " " if character in "\n\t" else f"\\u{ord(character):04x}"
