"""What the commands print: JSON for programs; tables, records and lines for people."""

from __future__ import annotations

import json
import shlex
import sys
import unicodedata
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from contextvars import ContextVar
from datetime import datetime

import typer

from graph_memory.model.results import Result
from graph_memory.model.text.wording import as_text
from graph_memory.model.values.properties import PropertyValue

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"
"""Invisible, but part of how emoji and several scripts are written."""
CALLED_DOMAIN: ContextVar[str | None] = ContextVar("called_domain", default=None)
"""The domain that the running command was given."""


def print_json(value: Result | Mapping[str, object]) -> None:
    """Print a value as JSON on one line; for a result, that which the MCP tool gives."""
    data = value.to_dict() if isinstance(value, Result) else value
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(data, ensure_ascii=not unicode))


def print_record(fields: Mapping[str, object]) -> None:
    """Print names and values below one another; a value of several lines is indented under its first."""
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        typer.echo(f"{name:<{width}}  {plain(value)}".rstrip())


def print_properties(properties: Mapping[str, PropertyValue]) -> None:
    """Print properties as the command line takes them."""
    if properties:
        typer.echo("properties")
    for key, value in properties.items():
        typer.echo(f"  {assignment(key, value)}")


def assignment(key: str, value: PropertyValue) -> str:
    """Return a property as the command line takes it."""
    return plain(f"{key}={value}" if isinstance(value, str) else f"{key}:={json.dumps(value)}")


def command_line(*words: object, domain: str | None = None) -> str:
    """Return a command to paste, for a domain, by default that of the running command."""
    domain = domain or CALLED_DOMAIN.get()
    own = [] if domain is None or "--domain" in words else ["--domain", domain]
    return plain(shlex.join(["graph-memory", *map(str, words), *own]))


def undo_line(since: int | None, until: int | None, domain: str | None = None) -> str:
    """Return the command that reverts a range of the log."""
    return command_line("revert", "--since", since, "--until", until, domain=domain)


def note(text: str) -> None:
    """Tell a person something that is no result: it goes to stderr."""
    typer.echo(text, err=True)


@contextmanager
def aside(*, as_json: bool) -> Generator[None]:
    """Have what is printed within go to stderr where stdout is for JSON."""
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        yield


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where that is due."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def local_time(moment: datetime) -> str:
    """Return a time as a person reads it, in the time zone of the machine, which it names; it can be typed so too."""
    local = moment.astimezone()
    return f"{local:%Y-%m-%d %H:%M} {f'{local:%z}'.removesuffix('00') if local.utcoffset() else 'UTC'}"


def bounds(valid_from: datetime | None, valid_to: datetime | None) -> dict[str, object]:
    """Return the fields of a record for the period in which a subject holds, none when it always does."""
    moments = {"holds from": valid_from, "holds until": valid_to}
    return {name: local_time(moment) for name, moment in moments.items() if moment is not None}


def plain(value: object) -> str:
    """Return a value on one line, without anything that a terminal would obey."""
    return "".join(_shown(character) for character in as_text(value))


def harmless(text: str) -> str:
    """Return text of several lines without anything that a terminal would obey."""
    return "".join(c if c in "\n\t" or c in _JOINERS else _shown(c) for c in text)


def _shown(character: str) -> str:
    if character in _JOINERS or unicodedata.category(character) not in _HIDDEN:
        return character
    return " " if character in "\n\t" else f"\\u{ord(character):04x}"
