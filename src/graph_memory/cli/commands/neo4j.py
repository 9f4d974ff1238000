"""`graph-memory neo4j …`: the local Neo4j, by hand."""

from __future__ import annotations

import json
import shlex
import sys
import webbrowser
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import typer

from graph_memory import local
from graph_memory.cli.input.options import DomainOption, JsonOption
from graph_memory.cli.output.printing import local_time, note
from graph_memory.cli.output.progress import progress_bar
from graph_memory.cli.session import read_settings
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import without_credentials
from graph_memory.model.values.arguments import check_domain
from graph_memory.settings import Settings

app = typer.Typer(help="The local Neo4j: start, stop and look at it.", no_args_is_help=True)

_PATIENCE = 20.0

PasswordOption = Annotated[bool, typer.Option("--show-password", help="Print the password as well.")]


@app.command()
def start(as_json: JsonOption = False) -> None:
    """Start the local Neo4j, or find the one that is running. It keeps running until `stop`."""
    settings = read_settings()
    with progress_bar() as progress:
        server = local.ensure_running(settings, progress)
    if as_json:
        typer.echo(json.dumps(_plain(local.status(settings))))
    else:
        typer.echo(f"Neo4j {server.version} is running as process {server.pid}.")
        typer.echo(f"Bolt {server.uri}, HTTP {server.http_url}; `graph-memory neo4j browser` opens it.")
    if settings.neo4j_uri:
        note("NEO4J_URI is set, so graph-memory itself uses that server, not this one.")


@app.command()
def stop(as_json: JsonOption = False) -> None:
    """Stop the local Neo4j and wait for it to end."""
    was_running = local.stop(read_settings())
    told = "Stopped." if was_running else "It was not running."
    typer.echo(json.dumps({"was_running": was_running}) if as_json else told)


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Say whether the local Neo4j is running, and where; exits with 3 if it is stopped."""
    settings = read_settings()
    found, fast = local.status(settings), local.fast_start(settings)
    typer.echo(json.dumps({**_plain(found), "fast_start": asdict(fast)}) if as_json else _described(found))
    if not as_json:
        typer.echo(f"fast start: {fast.found}")
    raise typer.Exit(3 if found.state is local.State.STOPPED else 0)


@app.command()
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many lines to print, from the end.")] = 100,
    path: Annotated[bool, typer.Option("--path", help="Print where the log is, not what it says.")] = False,
) -> None:
    """Print the last lines that the local Neo4j wrote."""
    settings = read_settings()
    if path:
        return typer.echo(str(local.status(settings).log))
    for line in local.console_log(settings, lines):
        typer.echo(line)
    return None


@app.command()
def browser(
    domain: DomainOption = None,
    opens: Annotated[
        bool, typer.Option("--open/--no-open", help="Open it, or only print how to reach the Neo4j that runs.")
    ] = True,
    show_password: PasswordOption = False,
    as_json: JsonOption = False,
) -> None:
    """Open Neo4j Browser on the local Neo4j, logged in; it starts if needed. Prints the way in for other programs too.

    With --no-open nothing is started. What is behind `cypher-shell` is a line for your shell.
    """
    settings = read_settings(domain=domain)
    check_domain(settings.domain)
    if opens:
        _refuse_other_server(settings)
        with progress_bar() as progress:
            local.ensure_running(settings, progress)
    rendered = _ways_in(settings)
    if not show_password:
        rendered.pop("password", None)
    if not as_json:
        typer.echo(_lines(rendered))
    opened = opens and _opened(_running(settings), settings.domain)
    if as_json:
        typer.echo(json.dumps({name.replace("-", "_"): value for name, value in rendered.items()} | {"opened": opened}))


def _ways_in(settings: Settings) -> dict[str, str]:
    if settings.neo4j_uri:
        return {
            "bolt": without_credentials(settings.neo4j_uri),
            "username": settings.neo4j_username,
            "cypher-shell": _line_for_server(settings),
        }
    server = _running(settings)
    return {
        "browser": server.browser_url,
        "bolt": server.uri,
        "username": server.username,
        "password": server.password,
        "cypher-shell": _line_for_local(settings, server),
    }


def _refuse_other_server(settings: Settings) -> None:
    if settings.neo4j_uri:
        host = urlsplit(settings.neo4j_uri).hostname or "that server"
        hint = f"That server's own may be at http://{host}:7474/browser/. Without NEO4J_URI, the local one is opened."
        message = "this opens the Neo4j Browser of the local Neo4j, but NEO4J_URI names another server"
        raise GraphError(Code.INVALID_ARGUMENT, message, {"hint": hint})


def _opened(server: local.LocalServer, domain: str) -> bool:
    """Open the page where there is a screen; say on stderr how it went."""
    from graph_memory.cli.input.browser_login import (  # brings a web server, which no other command needs
        hand_over,
        has_display,
    )

    if not has_display():
        typer.echo("There is no display here: open the address yourself.", err=True)
        return False
    login = {"host": server.uri, "username": server.username, "password": server.password, "domain": domain}
    opened = hand_over(server.browser_url, login, webbrowser.open, _PATIENCE)
    failed = "No web browser opened it: open the address yourself; --show-password prints the password."
    typer.echo("Opened in your web browser, logged in." if opened else failed, err=True)
    return opened


def _line_for_local(settings: Settings, server: local.LocalServer) -> str:
    """Return a line without the password in it: the shell reads it from its file."""
    file = str(local.password_file(settings))
    if sys.platform == "win32":  # PowerShell
        quoted = file.replace("'", "''")
        password = f"(Get-Content '{quoted}')"
        return f"$env:NEO4J_USERNAME='{server.username}'; $env:NEO4J_PASSWORD={password}; cypher-shell -a {server.uri}"
    return f'NEO4J_USERNAME={server.username} NEO4J_PASSWORD="$(cat {shlex.quote(file)})" cypher-shell -a {server.uri}'


def _line_for_server(settings: Settings) -> str:
    """Give the line for a server of the user's; cypher-shell itself reads NEO4J_PASSWORD, or asks."""
    words = ["cypher-shell", "-a", settings.neo4j_uri or "", "-u", settings.neo4j_username]
    return shlex.join([*words, *(["-d", settings.neo4j_database] if settings.neo4j_database else [])])


def _lines(told: Mapping[str, str]) -> str:
    return "\n".join(f"{name:<12}  {value}" for name, value in told.items())


def _running(settings: Settings) -> local.LocalServer:
    if local.status(settings).state is local.State.STOPPED:
        hint = "`graph-memory neo4j start` starts it."
        raise GraphError(Code.STORE_UNAVAILABLE, "the local Neo4j is not running", {"hint": hint})
    return local.ensure_running(settings)


def _plain(found: local.Status) -> dict[str, object]:
    started = found.started and datetime.fromtimestamp(found.started, UTC).isoformat(timespec="seconds")
    return {**asdict(found), "home": str(found.home), "log": str(found.log), "started": started or None}


def _described(found: local.Status) -> str:
    if found.state is local.State.STOPPED:
        return f"stopped; its data is in {found.home}"
    since = local_time(datetime.fromtimestamp(found.started or 0, UTC))
    where = f"Bolt {found.uri}, HTTP {found.http_url}, data in {found.home}"
    return f"{found.state}: Neo4j {found.version}, process {found.pid} since {since}\n{where}"
