"""The command `graph-memory`."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from importlib.metadata import version as version_of
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import anyio
import typer
from pydantic import ValidationError

from graph_memory.cli.doctor import doctor
from graph_memory.cli.exits import DIFFERENCES, EXIT_STATUS, answerable, explained
from graph_memory.cli.neo4j import app as neo4j_app
from graph_memory.model.arguments import check_domain
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import Difference, Result, Verification
from graph_memory.settings import Settings

if TYPE_CHECKING:
    from graph_memory.memory.api import Memory

T = TypeVar("T")
DAY = 24 * 60 * 60.0
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

app = typer.Typer(name="graph-memory", no_args_is_help=True, pretty_exceptions_enable=False)
blobs_app = typer.Typer(help="Large and binary content, kept outside of Neo4j.", no_args_is_help=True)
app.add_typer(neo4j_app, name="neo4j")
app.add_typer(blobs_app, name="blobs")
app.command()(doctor)

DomainOption = Annotated[str | None, typer.Option(help="Domain to use.", envvar="GRAPH_MEMORY_DOMAIN")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class Transport(StrEnum):
    """How an MCP client reaches the server."""

    STDIO = "stdio"


@app.callback(help="A memory service for AI agents on Neo4j.")
def configure() -> None:
    """Send the log to stderr: stdout carries results and the protocol only."""
    level = read_settings().log_level
    logging.basicConfig(stream=sys.stderr, level=level, format=LOG_FORMAT)
    if level != "DEBUG":  # a lost connection is an error of ours, or is mended; the driver's own lines say neither
        logging.getLogger("neo4j").setLevel(logging.CRITICAL)


@app.command()
def mcp(
    domain: DomainOption = None,
    toolsets: Annotated[str | None, typer.Option(help="Toolsets to serve, separated by commas.")] = None,
    transport: Annotated[Transport, typer.Option(help="How clients connect.")] = Transport.STDIO,
) -> None:
    """Serve the memory to an MCP client."""
    from graph_memory.mcp_server.stdio import serve_stdio

    settings = read_settings(domain=domain, toolsets=toolsets)
    check_domain(settings.domain)
    if sys.stdin.isatty():
        typer.echo("This speaks MCP on stdin and stdout: let an MCP client start it. Ctrl-C ends it.", err=True)
    match transport:
        case Transport.STDIO:
            serve_stdio(settings, settings.toolsets)


@app.command()
def verify(domain: DomainOption = None, as_json: JsonOption = False) -> None:
    """Replay a domain's log and compare it with the live graph; ends with 1 if they differ."""
    found = _with_memory(lambda memory: memory.verify(domain=domain))
    _show(found, "difference", as_json=as_json)
    raise typer.Exit(0 if found.clean else DIFFERENCES)


@app.command()
def rebuild(domain: DomainOption = None, as_json: JsonOption = False) -> None:
    """Mend the live graph of a domain by its log, difference by difference."""
    _show(_with_memory(lambda memory: memory.rebuild(domain=domain)), "mended difference", as_json=as_json)


@blobs_app.command("gc")
def collect_blobs(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    grace: Annotated[float, typer.Option(min=0, help="Seconds for which a blob without an owner is kept.")] = DAY,
    as_json: JsonOption = False,
) -> None:
    """Remove the blobs that nothing in the log refers to."""
    found = _with_memory(lambda memory: memory.collect_blobs(dry_run=dry_run, grace=grace))
    if as_json:
        return _print_json(found)
    for blob in found.blobs:
        typer.echo(f"{blob.domain}/{blob.name}  {blob.bytes:,} bytes")
    done = "would be removed" if dry_run else "removed"
    return typer.echo(f"{_counted(len(found.blobs), 'blob')} {done}.")


@app.command()
def version(as_json: JsonOption = False) -> None:
    """Print the version."""
    number = version_of("graph-memory")
    typer.echo(json.dumps({"version": number}) if as_json else number)


def read_settings(**given: str | None) -> Settings:
    """Return the settings of the environment, save those that the command line gave.

    Raises INVALID_ARGUMENT, naming the environment variable, for a setting that cannot be.
    """
    options = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**cast("dict[str, Any]", options))
    except ValidationError as error:
        raise _faulty_setting(error) from error


def _faulty_setting(error: ValidationError) -> GraphError:
    fault = error.errors()[0]
    name = str(fault["loc"][0])
    variable = name if name.isupper() else f"GRAPH_MEMORY_{name.upper()}"
    hint = f"Set {variable} to another value, or unset it."
    return GraphError(Code.INVALID_ARGUMENT, f"{variable}: {fault['msg']}", {"argument": variable, "hint": hint})


def _with_memory(use: Callable[[Memory], Awaitable[T]]) -> T:
    async def work() -> T:
        from graph_memory.app import open_memory

        async with open_memory(read_settings(), progress=_stages_told()) as memory:
            return await use(memory)

    return anyio.run(work)


def _stages_told() -> Callable[[str, float | None], None]:
    """Return what tells a person at a terminal of each stage of a start, once."""
    told: set[str] = set()

    def tell(stage: str, _done: float | None) -> None:
        if stage not in told and sys.stderr.isatty():
            told.add(stage)
            typer.echo(f"{stage} …", err=True)

    return tell


def _show(found: Verification, noun: str, *, as_json: bool) -> None:
    if as_json:
        return _print_json(found)
    for difference in found.differences:
        typer.echo(_line(difference))
    compared = f"{_counted(found.events, 'event')} replayed, {_counted(found.subjects, 'subject')} compared"
    return typer.echo(f"{found.domain}: {compared}, {_counted(len(found.differences), noun)}.")


def _print_json(result: Result) -> None:
    typer.echo(json.dumps(result.to_dict(), ensure_ascii=False))


def _line(difference: Difference) -> str:
    states = [("expected", difference.expected), ("found", difference.found)]
    found = "; ".join(f"{name} {state}" for name, state in states if state is not None)
    return f"{difference.kind} {difference.subject}: {difference.problem}" + (f" ({found})" if found else "")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def run() -> None:
    """Run the command; a failure is told in a line or two, with an exit status by its code."""
    try:
        app()
    except Exception as error:  # noqa: BLE001 - the one edge: everything is told
        failure = answerable(error)
        typer.echo(explained(failure), err=True)
        sys.exit(EXIT_STATUS[failure.code])
