"""`graph-memory neo4j …`: the local Neo4j, by hand."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer

from graph_memory import local
from graph_memory.cli.progress import progress_bar
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings

app = typer.Typer(help="The local Neo4j: start, stop and look at it.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.command()
def start() -> None:
    """Start the local Neo4j, or find the one that runs. It keeps running until `stop`."""
    settings = Settings()
    with progress_bar() as progress:
        server = local.ensure_running(settings, progress)
    typer.echo(f"Neo4j {server.version} runs as process {server.pid}.")
    typer.echo(f"Bolt {server.uri}, HTTP {server.http_url}; `graph-memory neo4j shell-url` says how to log in.")
    if settings.neo4j_uri:
        typer.echo("NEO4J_URI is set, so graph-memory itself uses that server and not this one.", err=True)


@app.command()
def stop() -> None:
    """Stop the local Neo4j and wait for its end."""
    typer.echo("Stopped." if local.stop(Settings()) else "It was not running.")


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Tell whether the local Neo4j runs, and where; ends with 3 when it is stopped."""
    settings = Settings()
    found, fast = local.status(settings), local.fast_start(settings)
    typer.echo(json.dumps({**_plain(found), "fast_start": asdict(fast)}) if as_json else _described(found))
    if not as_json:
        typer.echo(f"fast start: {fast.found}")
    raise typer.Exit(3 if found.state is local.State.STOPPED else 0)


@app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many of the last lines.")] = 100,
    path: Annotated[bool, typer.Option("--path", help="Print where the log is, not what it says.")] = False,
) -> None:
    """Print what the local Neo4j wrote last."""
    settings = Settings()
    if path:
        return typer.echo(str(local.status(settings).log))
    for line in local.console_log(settings, lines):
        typer.echo(line)
    return None


@app.command("shell-url")
def shell_url(
    show_password: Annotated[bool, typer.Option("--show-password", help="Print the password as well.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print how to reach the running local Neo4j with Neo4j Browser, cypher-shell or a driver."""
    settings = Settings()
    server = _running(settings)
    told = {
        "browser": f"{server.http_url}/browser/",
        "bolt": server.uri,
        "username": server.username,
        "password": server.password if show_password else "(shown with --show-password)",
    }
    typer.echo(json.dumps(told) if as_json else "\n".join(f"{name:<9} {value}" for name, value in told.items()))


def _running(settings: Settings) -> local.LocalServer:
    if local.status(settings).state is local.State.STOPPED:
        hint = "`graph-memory neo4j start` starts it."
        raise GraphError(Code.STORE_UNAVAILABLE, "the local Neo4j does not run", {"hint": hint})
    return local.ensure_running(settings)


def _plain(found: local.Status) -> dict[str, object]:
    started = found.started and datetime.fromtimestamp(found.started, UTC).isoformat(timespec="seconds")
    return {**asdict(found), "home": str(found.home), "log": str(found.log), "started": started or None}


def _described(found: local.Status) -> str:
    if found.state is local.State.STOPPED:
        return f"stopped; its data is in {found.home}"
    since = datetime.fromtimestamp(found.started or 0).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    where = f"Bolt {found.uri}, HTTP {found.http_url}, data in {found.home}"
    return f"{found.state}: Neo4j {found.version}, process {found.pid} since {since}\n{where}"
