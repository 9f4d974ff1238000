"""The command `graph-memory`: its parts put together, and the one edge at which every failure is told."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version as version_of
from typing import Annotated

import typer

from graph_memory.cli.commands import (
    agent,
    branch,
    connection,
    domain,
    entity,
    gtd,
    history,
    link,
    node,
    ontology,
    serve,
    session,
    transfer,
    upkeep,
)
from graph_memory.cli.commands.backup import backup, restore
from graph_memory.cli.commands.batch import batch
from graph_memory.cli.commands.call import call
from graph_memory.cli.commands.config import config
from graph_memory.cli.commands.diff import diff
from graph_memory.cli.commands.doctor import doctor
from graph_memory.cli.commands.load import load
from graph_memory.cli.commands.neo4j import app as neo4j_app
from graph_memory.cli.commands.protection import protect, unprotect
from graph_memory.cli.commands.recall import recall, synthesize
from graph_memory.cli.commands.reconcile import reconcile
from graph_memory.cli.commands.remember import decide, forget, remember
from graph_memory.cli.commands.retention import compact, erase, scan
from graph_memory.cli.commands.review import review
from graph_memory.cli.commands.search import find, query, search
from graph_memory.cli.commands.traverse import neighbors, path, traverse
from graph_memory.cli.errors import EXIT_STATUS, as_data, explained, masked
from graph_memory.cli.help import name_values
from graph_memory.cli.input.options import JsonOption
from graph_memory.cli.log import log_to_stderr
from graph_memory.cli.removed import add_removed
from graph_memory.cli.session import read_settings

REMEMBER = "Remember and find"
HISTORY = "See what changed, and undo it"
SERVE = "Serve and maintain"

name_values()
app = typer.Typer(
    name="graph-memory",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(ontology.app, name="ontology", rich_help_panel=REMEMBER)
app.add_typer(node.app, name="node", rich_help_panel=REMEMBER)
app.add_typer(connection.app, name="connection", rich_help_panel=REMEMBER)
app.add_typer(entity.app, name="entity", rich_help_panel=REMEMBER)
app.add_typer(session.block_app, name="block", rich_help_panel=REMEMBER)
app.add_typer(session.app, name="session", rich_help_panel=REMEMBER)
app.add_typer(domain.app, name="domain", rich_help_panel=REMEMBER)
app.add_typer(link.app, name="link", rich_help_panel=REMEMBER)
for command in (
    remember,
    forget,
    decide,
    recall,
    search,
    traverse,
    path,
    neighbors,
    synthesize,
    find,
    query,
):
    app.command(rich_help_panel=REMEMBER)(command)
app.command(rich_help_panel=REMEMBER)(batch)
app.command(rich_help_panel=REMEMBER)(call)
for command in (connection.infer, protect, unprotect):
    app.command(rich_help_panel=REMEMBER)(command)
for command in (history.log, diff, history.sessions, review, history.revert, branch.merge, compact, erase):
    app.command(rich_help_panel=HISTORY)(command)
app.add_typer(branch.app, name="branch", rich_help_panel=HISTORY)
app.add_typer(gtd.app, name="gtd", rich_help_panel=REMEMBER)
app.add_typer(agent.app, name="agent", rich_help_panel=REMEMBER)
for command in (serve.mcp, upkeep.verify, upkeep.rebuild, upkeep.reindex, upkeep.gc, scan, reconcile, backup, restore):
    app.command(rich_help_panel=SERVE)(command)
for command in (doctor, config):
    app.command(rich_help_panel=SERVE)(command)
app.command("export", rich_help_panel=SERVE)(transfer.export_domain)
app.command("import", rich_help_panel=SERVE)(transfer.import_domain)
app.command(rich_help_panel=SERVE)(load)
app.add_typer(neo4j_app, name="neo4j", rich_help_panel=SERVE)
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
