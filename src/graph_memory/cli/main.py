"""The command `graph-memory`: its own options, and the handling of errors."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version as version_of
from typing import Annotated

import typer

from graph_memory.cli.errors import EXIT_STATUS, as_graph_error, error_data, error_text
from graph_memory.cli.help import install_help_renderer
from graph_memory.cli.input.options import JsonOption
from graph_memory.cli.log import log_to_stderr
from graph_memory.cli.registry import SERVE, LazyGroup
from graph_memory.cli.removed import add_removed

install_help_renderer()
app = typer.Typer(
    name="graph-memory",
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_removed(app)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        version()
        raise typer.Exit


@app.callback(help="A memory service for AI agents on Neo4j.")
def configure(
    _: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Configure logging to stderr, because stdout is only for results and the protocol."""
    from graph_memory.cli.session import SERVED, read_settings  # not needed for help

    if SERVED.get() is None:
        log_to_stderr(read_settings().log_level)


@app.command(rich_help_panel=SERVE)
def version(as_json: JsonOption = False) -> None:
    """Print the version."""
    number = version_of("graph-memory")
    typer.echo(json.dumps({"version": number}) if as_json else number)


def run() -> None:
    """Run this process's command line, and exit. An error's code determines the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters outside the terminal's encoding must not fail
    sys.exit(run_arguments(sys.argv[1:]))


def run_arguments(arguments: Sequence[str]) -> int:
    """Run the command with these arguments, and return its exit status. Prints its result, or its error to stderr."""
    as_json = _wants_json(arguments)
    try:
        # standalone, it reports errors only as text
        status = app(list(arguments), prog_name="graph-memory", standalone_mode=not as_json)
        return status if isinstance(status, int) else 0
    except typer.Abort:
        return 1
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except Exception as error:  # noqa: BLE001 - the edge of the process: a person gets a message, not a traceback
        failure = as_graph_error(error)
        typer.echo(json.dumps(error_data(failure)) if as_json else error_text(failure), err=True)
        return EXIT_STATUS[failure.code]


def _wants_json(arguments: Sequence[str]) -> bool:
    """Return whether the arguments include --json, even if they cannot be parsed."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options
