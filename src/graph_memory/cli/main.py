"""The command `graph-memory`: its options, its version, and the one edge at which every failure is told."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version as version_of
from typing import Annotated

import typer

from graph_memory.cli.errors import EXIT_STATUS, as_data, explained, masked
from graph_memory.cli.help import name_values
from graph_memory.cli.input.options import JsonOption
from graph_memory.cli.log import log_to_stderr
from graph_memory.cli.registry import SERVE, LazyGroup
from graph_memory.cli.removed import add_removed
from graph_memory.cli.session import read_settings

name_values()
app = typer.Typer(
    name="graph-memory",
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_removed(app)


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        version()
        raise typer.Exit


@app.callback(help="A memory service for AI agents on Neo4j.")
def configure(
    _: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_tell_version, is_eager=True)
    ] = False,
) -> None:
    """Send the log to stderr: stdout carries results and the protocol only."""
    log_to_stderr(read_settings().log_level)


@app.command(rich_help_panel=SERVE)
def version(as_json: JsonOption = False) -> None:
    """Print the version."""
    number = version_of("graph-memory")
    typer.echo(json.dumps({"version": number}) if as_json else number)


def run() -> None:
    """Run the command; a failure is told in a line or two, with an exit status by its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what a terminal's encoding lacks is no reason to fail
    as_json = _wants_json(sys.argv)
    try:
        ended = app(standalone_mode=False) if as_json else app()  # standalone, it words mistakes for people only
        sys.exit(ended if isinstance(ended, int) else 0)
    except typer.Abort:
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the one edge: everything is told
        failure = masked(error)
        typer.echo(json.dumps(as_data(failure)) if as_json else explained(failure), err=True)
        sys.exit(EXIT_STATUS[failure.code])


def _wants_json(arguments: Sequence[str]) -> bool:
    """Say whether the caller is a program; the parser's own word is gone with the command that failed."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options
